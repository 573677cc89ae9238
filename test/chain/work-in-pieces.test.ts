import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import { afterMicrotasks, Scheduler } from '../../src/scheduling/scheduler.ts';
import { BlockStorage } from '../../src/storage/block-storage.ts';
import { createFakeTime } from '../support/fake-time.ts';
import {
  createChainWith,
  nodeOf,
  TEST_DEFAULTS,
  TEST_START,
  testAccount,
  testDependencies,
  transfer,
} from '../support/test-chain.ts';
import { countTurns } from '../support/turns.ts';

const SENDER = testAccount(0).address;
const TRANSACTIONS = 3_000;

/**
 * A chain with a frozen monotonic clock. It yields only if the work units of a time slice are used up.
 * The number of yields therefore measures the counted work. Transaction execution does not yield.
 */
async function createCountedChain(now = () => 0): Promise<Chain> {
  const scheduler = new Scheduler({
    clock: { now },
    defer: (action) => void setImmediate(action),
    afterMicrotasks,
  });
  const options = { ...TEST_DEFAULTS, automine: false, gasLimit: 10n ** 9n };
  return createChainWith(options, { ...testDependencies(createFakeTime(TEST_START)), scheduler });
}

/** Runs the work. Returns the number of yields and each distinct value that readers saw. */
async function watch(work: () => Promise<unknown>, look: () => unknown) {
  const seen = new Set<string>();
  let isOver = false;
  const see = (): void => {
    seen.add(JSON.stringify(look()));
    if (!isOver) setImmediate(see);
  };
  setImmediate(see);
  const { turns } = await countTurns(work);
  isOver = true;
  see();
  return { turns, seen: [...seen] };
}

async function fill(chain: Chain, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await chain.sendFrom(SENDER, transfer());
}

/** The state of the chain for readers. */
function looked(chain: Chain) {
  const { number } = chain.head().header;
  return { number, transactions: chain.head().transactions.length, waiting: chain.pool.size };
}

describe('mining of a block with 3,000 transactions', () => {
  it('yields, and readers see the chain only before or after the block', async () => {
    const chain = await createCountedChain();
    await fill(chain, TRANSACTIONS);
    const { turns, seen } = await watch(
      () => chain.mine(),
      () => looked(chain),
    );
    expect(turns).toBeGreaterThan(15);
    expect(seen).toEqual([
      JSON.stringify({ number: 0, transactions: 0, waiting: TRANSACTIONS }),
      JSON.stringify({ number: 1, transactions: TRANSACTIONS, waiting: 0 }),
    ]);
  });

  it('does not yield for a block with 20 transactions', async () => {
    const chain = await createCountedChain();
    await fill(chain, 20);
    const { turns } = await watch(
      () => chain.mine(),
      () => looked(chain),
    );
    expect(turns).toBeLessThan(3);
  });
});

describe('loading of a dump', () => {
  /** Yields during the load of an uncompressed dump. Decompression happens on another thread. */
  const turnsOfLoading = async (chain: Chain): Promise<number> => {
    const bytes = await nodeOf(chain).dump.write({ isCompressed: false, withKeys: false });
    const copy = await createCountedChain();
    return (await countTurns(() => nodeOf(copy).dump.load(bytes))).turns;
  };

  it('yields between transactions of a block and of the pool', async () => {
    // The first load also waits for its code.
    await turnsOfLoading(await createCountedChain());
    const empty = await turnsOfLoading(await createCountedChain());
    const chain = await createCountedChain();
    await fill(chain, 1_000);
    const waiting = await turnsOfLoading(chain);
    await chain.mine();
    const mined = await turnsOfLoading(chain);
    expect(waiting).toBeGreaterThan(empty + 3);
    expect(mined).toBeGreaterThan(empty + 4);
  });
});

describe('removal of 1,500 blocks', () => {
  const BLOCKS = 1_500;

  it.each([
    [
      'by a revert',
      async (chain: Chain) => {
        const id = await chain.snapshots.take();
        return () => chain.snapshots.revert(id);
      },
    ],
    ['by a rollback', async (chain: Chain) => () => chain.reorganizer.rollback(BLOCKS)],
    ['by a reset', async (chain: Chain) => () => chain.snapshots.reset()],
  ])('yields, and readers see all blocks or none: %s', async (_, prepare) => {
    const chain = await createCountedChain();
    const takeOff = await prepare(chain);
    await chain.mine({ count: BLOCKS });
    const { turns, seen } = await watch(takeOff, () => looked(chain).number);
    expect(turns).toBeGreaterThan(4);
    expect(seen).toEqual([`${BLOCKS}`, '0']);
  });
});

describe('reorganization of many blocks', () => {
  it('takes work in proportion to the number of blocks', async () => {
    const turnsFor = async (blocks: number): Promise<number> => {
      const chain = await createCountedChain();
      await chain.mine({ count: blocks });
      const { turns } = await watch(
        () =>
          chain.reorganizer.reorganize({ depth: blocks, transactions: new Map(), keepsTransactions: true }),
        () => 0,
      );
      return turns;
    };
    const [few, many] = [await turnsFor(512), await turnsFor(2_048)];
    expect(few).toBeGreaterThan(15);
    expect(many).toBeGreaterThan(3 * few);
    expect(many).toBeLessThan(5 * few);
  });

  it('reads fewer than 30 blocks per time slice, even if replaced blocks are kept', async () => {
    let time = 0;
    const chain = await createCountedChain(() => ++time);
    for (let block = 0; block < 120; block++) {
      await fill(chain, 40);
      await chain.mine();
    }
    let readInTurn = 0;
    let mostRead = 0;
    const read = BlockStorage.prototype.block;
    const spy = vi.spyOn(BlockStorage.prototype, 'block').mockImplementation(function (
      this: BlockStorage,
      number,
    ) {
      if (readInTurn === 0)
        setImmediate(() => {
          readInTurn = 0;
        });
      mostRead = Math.max(mostRead, ++readInTurn);
      return read.call(this, number);
    });
    onTestFinished(() => spy.mockRestore());
    const oldest = await chain.view({ number: 1n });
    const options = { depth: 120, transactions: new Map(), keepsTransactions: false, keepsBlocks: true };
    await chain.reorganizer.reorganize(options);
    expect(mostRead).toBeGreaterThan(0);
    expect(mostRead).toBeLessThan(30);
    const found = await chain.view({ hash: oldest.block.hash });
    expect([found.block.transactions.length, found.state.root]).toEqual([40, oldest.state.root]);
  });

  it('yields while it returns transactions to the pool', async () => {
    const turnsFor = async (keepsTransactions: boolean): Promise<number> => {
      const chain = await createCountedChain();
      await fill(chain, TRANSACTIONS);
      await chain.mine();
      const reorganize = () =>
        chain.reorganizer.reorganize({ depth: 1, transactions: new Map(), keepsTransactions });
      const { turns } = await countTurns(reorganize);
      expect(chain.pool.size).toBe(keepsTransactions ? TRANSACTIONS : 0);
      return turns;
    };
    expect(await turnsFor(true)).toBeGreaterThan((await turnsFor(false)) + 5);
  });

  it('iterates over the given transactions once', async () => {
    let looks = 0;
    class Watched extends Map<number, readonly []> {
      override keys() {
        looks++;
        return super.keys();
      }
    }
    const chain = await createCountedChain();
    await chain.mine({ count: 2_000 });
    const transactions = new Watched(Array.from({ length: 20 }, (_, index) => [index * 100, []]));
    await chain.reorganizer.reorganize({ depth: 2_000, transactions, keepsTransactions: false });
    expect(looks).toBe(1);
    expect(chain.head().header.number).toBe(2_000);
  });
});
