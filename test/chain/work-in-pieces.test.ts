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
 * A chain on whose monotonic clock no time passes: its work takes turns only where a whole piece of it is done, so that
 * the turns tell how much work was counted. Executing transactions takes none.
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

/** Does the work; returns the turns that others had, and each different thing that they saw meanwhile. */
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

/** Returns what readers can tell of the chain. */
function looked(chain: Chain) {
  const { number } = chain.head().header;
  return { number, transactions: chain.head().transactions.length, waiting: chain.pool.size };
}

describe('while a block of very many transactions is made', () => {
  it('others are heard, and see the chain as it was before or as it is after', async () => {
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

  it('a block of few takes no turn', async () => {
    const chain = await createCountedChain();
    await fill(chain, 20);
    const { turns } = await watch(
      () => chain.mine(),
      () => looked(chain),
    );
    expect(turns).toBeLessThan(3);
  });
});

describe('while a dump is read others are heard', () => {
  /** The turns of loading a dump of that chain, which is not packed: unpacking happens on another thread. */
  const turnsOfLoading = async (chain: Chain): Promise<number> => {
    const bytes = await nodeOf(chain).dump.write({ isCompressed: false, withKeys: false });
    const copy = await createCountedChain();
    return (await countTurns(() => nodeOf(copy).dump.load(bytes))).turns;
  };

  it('between the transactions of a block, and those that wait', async () => {
    const empty = await turnsOfLoading(await createCountedChain());
    const chain = await createCountedChain();
    await fill(chain, 1_000);
    const waiting = await turnsOfLoading(chain);
    await chain.mine();
    const mined = await turnsOfLoading(chain);
    expect(waiting).toBeGreaterThan(empty + 3);
    expect(mined).toBeGreaterThan(empty + 8);
  });
});

describe('while very many blocks are taken off the chain', () => {
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
  ])('others are heard, and see all of them or none: %s', async (_, prepare) => {
    const chain = await createCountedChain();
    const takeOff = await prepare(chain);
    await chain.mine({ count: BLOCKS });
    const { turns, seen } = await watch(takeOff, () => looked(chain).number);
    expect(turns).toBeGreaterThan(4);
    expect(seen).toEqual([`${BLOCKS}`, '0']);
  });
});

describe('replacing very many blocks', () => {
  it('takes work in proportion to their number', async () => {
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

  it('reads and decodes few of them in one turn, also where they are kept to be found by their hashes', async () => {
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

  it('puts their transactions back into the pool in pieces', async () => {
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

  it('looks through the indexes of those with transactions once', async () => {
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
