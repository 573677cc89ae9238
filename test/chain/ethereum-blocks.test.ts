import { createBlockFromRLP } from '@ethereumjs/block';
import { createBlockchain } from '@ethereumjs/blockchain';
import { type Common, createCustomCommon, Mainnet } from '@ethereumjs/common';
import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import type { Block } from '../../src/protocol/block.ts';
import type { RuleSetName } from '../../src/protocol/hardforks/registry.ts';
import { encodeBlock } from '../../src/protocol/header-encoding.ts';
import { engineKzg } from '../../src/reference/rule-set-common.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const sender = testAccount(0).address;

/** A chain with single transfers, three transfers in one block, a creation, blobs and empty blocks. */
async function grownChain(ruleSet: RuleSetName): Promise<Chain> {
  const { chain } = await createTestChain({ ruleSet });
  const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
  await chain.sendFrom(sender, transfer({ ...fees, maxPriorityFeePerGas: fees.maxFeePerGas }));
  await chain.sendFrom(sender, transfer({ ...fees, type: 2 }));
  chain.miner.setMode({ automine: false, blockTime: null });
  for (let count = 0; count < 3; count++) await chain.sendFrom(sender, transfer({ ...fees, type: 2 }));
  await chain.mine();
  const initcode = new Uint8Array(Buffer.from('600a600c600039600a6000f3602a60005260206000a0', 'hex'));
  await chain.sendFrom(
    sender,
    transfer({ ...fees, type: 2, to: null, value: 0n, data: initcode, gasLimit: 200_000n }),
  );
  await chain.mine();
  if (chain.ruleSet.blobs !== null) {
    const hash = new Uint8Array(32).fill(1);
    const blobs = { maxFeePerBlobGas: 10n ** 9n, blobVersionedHashes: Array.from({ length: 6 }, () => hash) };
    // From Cancun to Osaka, two of them exceed the limit of a block. The second one waits.
    for (let count = 0; count < 4; count++)
      await chain.sendFrom(sender, transfer({ ...fees, type: 3, ...blobs }));
    for (let count = 0; count < 4; count++) await chain.mine();
  }
  await chain.mine({ count: 2 });
  return chain;
}

/** The library's settings of a chain with the rule set from genesis. */
function commonOf(ruleSet: RuleSetName): Common {
  const last = Mainnet.hardforks.findIndex(({ name }) => name === ruleSet);
  const hardforks = Mainnet.hardforks.slice(0, last + 1).map(({ name, timestamp }) => {
    return timestamp === undefined ? { name, block: 0 } : { name, block: null, timestamp: 0 };
  });
  return createCustomCommon({ chainId: 33, hardforks }, Mainnet, {
    hardfork: ruleSet,
    customCrypto: { kzg: engineKzg },
  });
}

async function blocksOf(chain: Chain): Promise<Block[]> {
  const blocks: Block[] = [];
  for (let number = 0n; number <= BigInt(chain.head().header.number); number++) {
    const block = await chain.block({ number });
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}

const BEFORE = [1, 1, 3, 1] as const;
const ONE_EACH = [...BEFORE, 1, 1, 1, 1, 0, 0];
const COUNTS = {
  paris: [...BEFORE, 0, 0],
  shanghai: [...BEFORE, 0, 0],
  cancun: ONE_EACH,
  prague: ONE_EACH,
  osaka: ONE_EACH,
  bpo1: [...BEFORE, 2, 2, 0, 0, 0, 0],
  bpo2: [...BEFORE, 3, 1, 0, 0, 0, 0],
} as const;
const SIX_EACH = [0, 0, 0, 0, 6, 6, 6, 6, 0, 0];
const BLOB_COUNTS = {
  paris: [0, 0, 0, 0, 0, 0],
  shanghai: [0, 0, 0, 0, 0, 0],
  cancun: SIX_EACH,
  prague: SIX_EACH,
  osaka: SIX_EACH,
  bpo1: [0, 0, 0, 0, 12, 12, 0, 0, 0, 0],
  bpo2: [0, 0, 0, 0, 18, 6, 0, 0, 0, 0],
} as const;

/** Six blobs are the target of Prague. The blobs of Osaka are below the reserve price. */
const EXCEEDS_TARGET: ReadonlySet<RuleSetName> = new Set(['cancun', 'osaka', 'bpo1', 'bpo2'] as const);

describe.each(['paris', 'shanghai', 'cancun', 'prague', 'osaka', 'bpo1', 'bpo2'] as const)(
  'blocks under %s',
  (ruleSet) => {
    it('blocks are accepted by another implementation with the same hashes', async () => {
      const chain = await grownChain(ruleSet);
      const common = commonOf(ruleSet);
      const [genesis, ...later] = (await blocksOf(chain)).map((block) => ({
        ours: block,
        theirs: createBlockFromRLP(encodeBlock(block, 'ethereum'), { common, setHardfork: true }),
      }));
      if (genesis === undefined) throw new Error('the chain has no first block');
      const blockchain = await createBlockchain({
        common,
        genesisBlock: genesis.theirs,
        validateBlocks: true,
      });
      for (const { ours, theirs } of later) {
        await blockchain.putBlock(theirs);
        expect(theirs.hash()).toEqual(ours.hash);
      }
      const blobs = later.map(({ ours }) =>
        ours.transactions.reduce((count, { blobVersionedHashes }) => count + blobVersionedHashes.length, 0),
      );
      expect(later.map(({ ours }) => ours.transactions.length)).toEqual(COUNTS[ruleSet]);
      expect(blobs).toEqual(BLOB_COUNTS[ruleSet]);
      const excess = later.map(({ ours }) => ours.header.ethereum.excessBlobGas ?? 0n);
      expect(excess.some((gas) => gas > 0n)).toBe(EXCEEDS_TARGET.has(ruleSet));
      expect((await blockchain.getCanonicalHeadHeader()).number).toBe(BigInt(later.length));
    });
  },
);
