import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import { setGasLimit, setNextBaseFee } from '../../src/chain/mining-controls.ts';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import type { Block } from '../../src/protocol/block.ts';
import { RULE_SET_NAMES, type RuleSetName, ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { headerHash } from '../../src/protocol/header-encoding.ts';
import { blockValidation } from '../../src/reference/block-validation.ts';
import type { EngineDifferenceError } from '../../src/reference/shadow-engine.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const sender = testAccount(0).address;
const FEES = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 10n };
const ETHEREUM = RULE_SET_NAMES.filter((name) => ruleSetNamed(name).encoding === 'ethereum');

async function twoBlocks(
  ruleSet: RuleSetName,
  options: Partial<ChainOptions> = {},
): Promise<{ chain: Chain; block: Block; parent: Block }> {
  const { chain } = await createTestChain({ ruleSet, ...options });
  await chain.sendFrom(sender, transfer(FEES));
  const parent = chain.head();
  await chain.sendFrom(sender, transfer(FEES));
  return { chain, parent, block: chain.head() };
}

describe.each(ETHEREUM)('block validation under %s', (ruleSet) => {
  it.each([{ engine: 'reference' }, { shadow: true }] as const)(
    'accepts mined blocks with %o',
    async (options) => {
      const { chain } = await twoBlocks(ruleSet, options);
      await chain.mine({ count: 3 });
      const snapshot = await chain.snapshots.take();
      await chain.sendFrom(sender, transfer(FEES));
      await chain.snapshots.revert(snapshot);
      await chain.mine();
      expect(chain.head().header.number).toBe(6);
    },
  );

  it('rejects an invalid block with a dump', async () => {
    const { block, parent } = await twoBlocks(ruleSet);
    const header = {
      ...block.header,
      receiptsRoot: block.header.transactionsRoot,
      gasUsed: block.header.gasLimit + 1n,
    };
    const wrong = { ...block, header, hash: headerHash(header, 'ethereum') };
    const differences: EngineDifferenceError[] = [];
    const validate = blockValidation(ruleSetNamed(ruleSet), 33, (error) => differences.push(error));
    await expect(validate(wrong, parent)).rejects.toThrow(/whether block 2 is valid: /);
    expect(differences.map(({ dump }) => dump)).toEqual([
      expect.objectContaining({ ruleSet, chainId: 33, block: expect.stringMatching(/^0xf9/) }),
    ]);
    await expect(validate(block, parent)).resolves.toBeUndefined();
  });
});

describe('validation of a block with changed header fields', () => {
  it('accepts blocks with changed header fields and the blocks above', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague', shadow: true, allowsSameTimestamp: true });
    await chain.change(setNextBaseFee(7n));
    await chain.mine();
    await chain.change(setGasLimit(60_000_000n));
    await chain.mine();
    await chain.mine({ timestamp: chain.head().header.timestamp });
    await chain.sendFrom(sender, transfer(FEES));
    await chain.mine({ count: 2 });
    expect(chain.head().header.number).toBe(6);
  });
});

describe('validation of a block with an impersonated sender', () => {
  it('accepts a block with a transaction of an impersonated account', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague', shadow: true });
    await chain.sendUnsigned(sender, transfer(FEES));
    await chain.sendFrom(sender, transfer(FEES));
    expect(chain.head().header.number).toBe(2);
  });
});

describe('validation of Rootstock blocks', () => {
  it('skips Rootstock blocks', async () => {
    const { chain } = await twoBlocks('rootstock', { shadow: true });
    expect(chain.head().header.number).toBe(2);
  });
});
