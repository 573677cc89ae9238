import { describe, expect, it } from 'vitest';
import type { BlockHeader } from '../../../src/protocol/block.ts';
import { type RuleSetName, ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { BLOCK_CHARACTERS, EVENT_CHARACTERS, roomForBlocks } from '../../../src/rpc/views/mined-blocks.ts';
import { blockView } from '../../../src/wire/block.ts';
import { createTestChain, nodeOf } from '../../support/test-chain.ts';
import { testConnection } from '../rpc-harness.ts';
import { fixtureBlock, fixtureHeader, fixtureTransaction } from './fixture-block.ts';

const WORD = new Uint8Array(32).fill(0xff);
const LARGEST = 2n ** 256n - 1n;
const MAX_GAS = 2n ** 64n - 1n;

/** The longest possible header of a mined block without transactions. */
const longest: Partial<BlockHeader> = {
  difficulty: LARGEST,
  number: Number.MAX_SAFE_INTEGER,
  gasLimit: MAX_GAS,
  gasUsed: MAX_GAS,
  timestamp: Number.MAX_SAFE_INTEGER,
  extraData: WORD,
};

describe('reserved size of a mined block', () => {
  it.each(['service', 'native'] as const)(
    "exceeds Rootstock's longest block with %s field names",
    (fieldNames) => {
      const network = { ...longest, minimumGasPrice: LARGEST, paidFees: LARGEST };
      // Same lengths as in blocks that the node mines.
      const mergedMining = {
        header: new Uint8Array(80),
        coinbaseTransaction: new Uint8Array(98),
        merkleProof: new Uint8Array(0),
      };
      const length = lengthOf({ ...network, mergedMining }, 'rootstock', fieldNames);
      expect(length).toBeLessThanOrEqual(BLOCK_CHARACTERS + (fieldNames === 'native' ? EVENT_CHARACTERS : 0));
    },
  );

  it("exceeds Ethereum's longest block", () => {
    const ethereum = {
      baseFeePerGas: LARGEST,
      mixHash: WORD,
      withdrawalsRoot: WORD,
      blobGasUsed: MAX_GAS,
      excessBlobGas: MAX_GAS,
      parentBeaconBlockRoot: WORD,
      requestsHash: WORD,
      blockAccessListHash: WORD,
      slotNumber: MAX_GAS,
    };
    // Hardforks with these fields have no proof of work.
    const fields = { ...longest, difficulty: 0n, ethereum };
    expect(lengthOf(fields, 'amsterdam', 'service')).toBeLessThanOrEqual(BLOCK_CHARACTERS);
  });
});

describe('roomForBlocks in a batch', () => {
  it('allows 100,000 blocks if other calls have used almost the whole response limit', async () => {
    const { chain } = await createTestChain();
    const node = nodeOf(chain);
    const batch = { begunAt: null, answerLimit: 2 ** 28 - 8_000_000 };
    const call = { method: 'mine', connection: testConnection(), batch, isLogged: true, isAnswered: false };
    const settings = { fieldNames: 'service' } as const;
    const count = 100_000;
    expect(roomForBlocks({ node, settings, call }, { count })).toBeGreaterThan(count * BLOCK_CHARACTERS);
    const small = { ...call, batch: { ...batch, answerLimit: 2 ** 28 - 9_000_000 } };
    expect(() => roomForBlocks({ node, settings, call: small }, { count })).toThrow('was not executed');
  });
});

function lengthOf(
  fields: Partial<BlockHeader>,
  rules: RuleSetName,
  fieldNames: 'service' | 'native',
): number {
  const block = fixtureBlock({ header: fixtureHeader(fields), totalDifficulty: LARGEST });
  // The maximum size in the Bridge.
  const baseEvent = new Uint8Array(128);
  const options = { full: false, isPending: false, fieldNames, rules: ruleSetNamed(rules), baseEvent };
  // Each block of a Rootstock chain with REMASC contains its transaction.
  const transactions = rules === 'rootstock' ? [fixtureTransaction()] : [];
  const view = blockView({ ...block, transactions }, options);
  return JSON.stringify(view).length;
}
