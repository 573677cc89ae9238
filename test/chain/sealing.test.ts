import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import { MiningStoppedError } from '../../src/chain/errors.ts';
import { finish } from '../../src/primitives/steps.ts';
import type { Block } from '../../src/protocol/block.ts';
import { encodeBlock, headerHash } from '../../src/protocol/header-encoding.ts';
import { proofOfWorkFault } from '../../src/protocol/merged-mining/proof-of-work.ts';
import { bloomOf } from '../../src/protocol/receipt.ts';
import { nextIteration } from '../../src/scheduling/cancel-check.ts';
import { orderedTrieRoot } from '../../src/state/trie/ordered-trie.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const SENDER = testAccount(0).address;
/** A search takes more than one time slice. */
const SOME_DIFFICULTY = 20_000n;
/** A search does not end in a test. */
const ENDLESS_DIFFICULTY = 2n ** 60n;

async function blockAt(chain: Chain, number: number): Promise<Block> {
  const block = await chain.block({ number: BigInt(number) });
  if (block === undefined) throw new RangeError(`block ${number} does not exist`);
  return block;
}

function expectSealed(block: Block): void {
  expect(proofOfWorkFault(block.header)).toBeNull();
  expect(headerHash(block.header, 'network')).toEqual(block.hash);
  expect(encodeBlock(block, 'network')).toHaveLength(block.size);
}

async function history(chain: Chain): Promise<readonly Block[]> {
  await chain.sendFrom(SENDER, transfer());
  await chain.mine({ count: 3 });
  return Promise.all([1, 2, 3, 4].map((number) => blockAt(chain, number)));
}

describe('Rootstock blocks', () => {
  it('Rootstock blocks have a proof of work after automine, mining and a reorganization', async () => {
    const { chain } = await createTestChain();
    for (const block of await history(chain)) expectSealed(block);
    await chain.reorganizer.reorganize({ depth: 2, transactions: new Map(), keepsTransactions: true });
    expectSealed(await blockAt(chain, 3));
    expectSealed(chain.head());
  });

  it('Rootstock blocks have the empty roots, bloom and sums without transactions', async () => {
    const { chain } = await createTestChain();
    await chain.mine();
    const { transactionsRoot, receiptsRoot, logsBloom, gasUsed, paidFees } = chain.head().header;
    const root = finish(orderedTrieRoot([]));
    expect([transactionsRoot, receiptsRoot, logsBloom]).toEqual([root, root, bloomOf([])]);
    expect([gasUsed, paidFees]).toEqual([0n, 0n]);
  });

  it('Rootstock blocks have the same proof of work on equal chains', async () => {
    const [first, second] = [await createTestChain(), await createTestChain()];
    expect(await history(first.chain)).toEqual(await history(second.chain));
  });

  it('Rootstock blocks have a proof of work inside a bulk-mined series', async () => {
    const { chain } = await createTestChain();
    await chain.mineBulk({ count: 1_000_000 });
    for (const number of [2, 500_000, 999_999]) {
      const block = await blockAt(chain, number);
      expect(proofOfWorkFault(block.header)).toBeNull();
      expect(await blockAt(chain, number)).toEqual(block);
    }
    expectSealed(chain.head());
  });

  it('Rootstock blocks have no proof of work while pending', async () => {
    const { chain } = await createTestChain({ difficulty: ENDLESS_DIFFICULTY });
    const { block } = await chain.view({ tag: 'pending' });
    expect(block.header.difficulty).toBe(ENDLESS_DIFFICULTY);
    expect(block.header.mergedMining.header).toHaveLength(0);
    expect(
      await chain.calls.call({ ...transfer(), sender: SENDER, gasLimit: null }, { tag: 'pending' }),
    ).toMatchObject({
      outcome: 'success',
    });
  });
});

describe('Rootstock blocks with a difficulty', () => {
  it('blocks with a difficulty meet the difficulty and add it to the total difficulty', async () => {
    const { chain } = await createTestChain({ difficulty: SOME_DIFFICULTY });
    await chain.sendFrom(SENDER, transfer());
    expectSealed(chain.head());
    expect(chain.head()).toMatchObject({
      header: { difficulty: SOME_DIFFICULTY },
      totalDifficulty: 2n * SOME_DIFFICULTY,
    });
  });

  it('blocks with a difficulty have no proof of work inside a bulk-mined series', async () => {
    const { chain } = await createTestChain({ difficulty: SOME_DIFFICULTY });
    await chain.mineBulk({ count: 300 });
    expect((await blockAt(chain, 150)).header.mergedMining.header).toHaveLength(0);
    expect(chain.head().totalDifficulty).toBe(301n * SOME_DIFFICULTY);
    expectSealed(chain.head());
  });

  it('an endless transaction of a block without a gas limit ends with the chain', async () => {
    const { chain } = await createTestChain({ gasLimit: 2n ** 53n - 1n });
    // The code jumps back to its beginning.
    const to = testAccount(2).address;
    await chain.cheats.setCode(to, Uint8Array.of(0x5b, 0x60, 0x00, 0x56));
    const sent = chain.sendFrom(SENDER, transfer({ to, gasLimit: 2n ** 50n }));
    const ended = expect(sent).rejects.toThrow(MiningStoppedError);
    for (let turn = 0; turn < 3; turn++) await nextIteration();
    expect(chain.head().header.number).toBe(0);
    await chain.close();
    await ended;
  });

  it('blocks with a difficulty yield during the search, which ends with the chain', async () => {
    const { chain } = await createTestChain({ difficulty: ENDLESS_DIFFICULTY });
    const mined = chain.mine();
    const ended = expect(mined).rejects.toThrow(MiningStoppedError);
    for (let turn = 0; turn < 3; turn++) await nextIteration();
    expect(chain.head().header.number).toBe(0);
    await chain.close();
    await ended;
  });

  it('interval mining with a difficulty stops without an error if the chain closes', async () => {
    const { chain, time } = await createTestChain({
      automine: false,
      blockTime: 1,
      difficulty: ENDLESS_DIFFICULTY,
    });
    await time.advance(1_000);
    await chain.close();
    await nextIteration();
    expect(chain.head().header.number).toBe(0);
  });

  it('blocks have a difficulty of zero under proof of stake', async () => {
    const { chain } = await createTestChain({ ruleSet: 'cancun', difficulty: 5n });
    await chain.mine();
    expect(chain.head().header.difficulty).toBe(0n);
  });

  it('blocks have no proof of work under Ethereum rules', async () => {
    const { chain } = await createTestChain({ ruleSet: 'london', difficulty: ENDLESS_DIFFICULTY });
    await chain.mine();
    expect(chain.head().header.difficulty).toBe(ENDLESS_DIFFICULTY);
    expect(chain.head().header.mergedMining.header).toHaveLength(0);
  });
});
