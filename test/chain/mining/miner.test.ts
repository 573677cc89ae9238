import { describe, expect, it } from 'vitest';
import { Miner, type MiningMode } from '../../../src/chain/settings/miner.ts';
import { countingRandom } from '../../support/counting-random.ts';
import { createFakeTime, settleMicrotasks } from '../../support/fake-time.ts';

const START = 1_700_000_000_000;

/** A miner with a fake clock, and the start times of its blocks in milliseconds after the start. */
function createMiner(mode: MiningMode, makeBlock: () => Promise<void> = () => Promise.resolve()) {
  const time = createFakeTime(START);
  const begun: number[] = [];
  const miner = new Miner(mode, {
    wallClock: time.clock,
    timers: time.timers,
    random: countingRandom(),
  });
  const start = () =>
    miner.start(() => {
      begun.push(time.clock.now() - START);
      return makeBlock();
    });
  return { time, miner, start, begun };
}

/** Blocks that end only when the test calls `finish`. */
function createSlowBlocks() {
  const waiting: (() => void)[] = [];
  return {
    makeBlock: () => new Promise<void>((resolve) => waiting.push(resolve)),
    /** Ends the oldest running block and lets waiting code continue. */
    async finish() {
      const resolve = waiting.shift();
      if (resolve === undefined) throw new Error('no block is being made');
      resolve();
      await settleMicrotasks();
    },
  };
}

const every = (blockTime: number | null, automine = false): MiningMode => ({ automine, blockTime });

describe('miner with a block time', () => {
  it('starts blocks at even intervals', async () => {
    const { time, start, begun } = createMiner(every(2));
    start();
    await time.advance(1_999);
    expect(begun).toEqual([]);
    await time.advance(1);
    expect(begun).toEqual([2_000]);
    await time.advance(6_500);
    expect(begun).toEqual([2_000, 4_000, 6_000, 8_000]);
  });

  it('accepts fractions of seconds', async () => {
    const { time, start, begun } = createMiner(every(0.25));
    start();
    await time.advance(1_000);
    expect(begun).toEqual([250, 500, 750, 1_000]);
  });

  it('starts no block before it is started', async () => {
    const { time, begun } = createMiner(every(1));
    await time.advance(5_000);
    expect(begun).toEqual([]);
  });

  it('counts the block time from its start, not from its creation', async () => {
    const { time, start, begun } = createMiner(every(1));
    await time.advance(700);
    start();
    await time.advance(1_000);
    expect(begun).toEqual([1_700]);
  });

  it('keeps even intervals if a block takes 600 ms', async () => {
    const { makeBlock, finish } = createSlowBlocks();
    const { time, start, begun } = createMiner(every(1), makeBlock);
    start();
    await time.advance(1_000);
    await time.advance(600);
    await finish();
    await time.advance(399);
    expect(begun).toEqual([1_000]);
    await time.advance(1);
    expect(begun).toEqual([1_000, 2_000]);
  });

  it('makes one block at a time and skips missed blocks', async () => {
    const { makeBlock, finish } = createSlowBlocks();
    const { time, start, begun } = createMiner(every(1), makeBlock);
    start();
    await time.advance(4_500);
    expect(begun).toEqual([1_000]);
    await finish();
    await time.advance(0);
    expect(begun).toEqual([1_000, 4_500]);
    await finish();
    await time.advance(999);
    expect(begun).toEqual([1_000, 4_500]);
    await time.advance(1);
    expect(begun).toEqual([1_000, 4_500, 5_500]);
  });
});

describe('miner without a block time', () => {
  it('starts no block by itself', async () => {
    const { time, start, begun } = createMiner(every(null, true));
    start();
    await time.advance(60_000);
    expect(begun).toEqual([]);
  });
});

describe('miner mode', () => {
  it.each([
    [every(null, true), true],
    [every(1), true],
    [every(1, true), true],
    [every(null), false],
  ])('%j determines whether the miner is mining', (mode, isMining) => {
    const { miner } = createMiner(mode);
    expect(miner.isMining).toBe(isMining);
    expect(miner.mode).toEqual(mode);
    expect(miner.automine).toBe(mode.automine);
    expect(miner.blockTime).toBe(mode.blockTime);
  });

  it('starts blocks after a block time is set while running', async () => {
    const { time, miner, start, begun } = createMiner(every(null, true));
    start();
    await time.advance(300);
    miner.setMode(every(1));
    expect(miner.mode).toEqual(every(1));
    await time.advance(2_000);
    expect(begun).toEqual([1_300, 2_300]);
  });

  it('replaces the old block time', async () => {
    const { time, miner, start, begun } = createMiner(every(10));
    start();
    await time.advance(9_000);
    miner.setMode(every(4));
    await time.advance(8_500);
    expect(begun).toEqual([13_000, 17_000]);
  });

  it('starts no more blocks after the block time is removed', async () => {
    const { time, miner, start, begun } = createMiner(every(1));
    start();
    await time.advance(1_500);
    miner.setMode(every(null));
    await time.advance(10_000);
    expect(begun).toEqual([1_000]);
  });

  it('keeps the timer if only automine changes', async () => {
    const { time, miner, start, begun } = createMiner(every(2));
    start();
    await time.advance(1_500);
    miner.setMode(every(2, true));
    await time.advance(500);
    expect(begun).toEqual([2_000]);
    expect(miner.automine).toBe(true);
  });

  it('keeps one timer if it changes during a block', async () => {
    const { makeBlock, finish } = createSlowBlocks();
    const { time, miner, start, begun } = createMiner(every(1), makeBlock);
    start();
    await time.advance(1_000);
    miner.setMode(every(3));
    await finish();
    await time.advance(2_999);
    expect(begun).toEqual([1_000]);
    await time.advance(1);
    expect(begun).toEqual([1_000, 4_000]);
    await finish();
    await time.advance(3_000);
    expect(begun).toEqual([1_000, 4_000, 7_000]);
  });

  it('does not start the miner', async () => {
    const { time, miner, begun } = createMiner(every(null));
    miner.setMode(every(1));
    await time.advance(5_000);
    expect(begun).toEqual([]);
  });
});

describe('stopped miner', () => {
  it('a stopped miner starts no more blocks', async () => {
    const { time, miner, start, begun } = createMiner(every(1));
    start();
    await time.advance(1_500);
    miner.stop();
    await time.advance(10_000);
    expect(begun).toEqual([1_000]);
  });

  it('a stopped miner starts no block after the running block', async () => {
    const { makeBlock, finish } = createSlowBlocks();
    const { time, miner, start, begun } = createMiner(every(1), makeBlock);
    start();
    await time.advance(1_000);
    miner.stop();
    await finish();
    await time.advance(10_000);
    expect(begun).toEqual([1_000]);
  });

  it('a stopped miner stays stopped if its mode changes', async () => {
    const { time, miner, start, begun } = createMiner(every(1));
    start();
    miner.stop();
    miner.setMode(every(2));
    await time.advance(10_000);
    expect(begun).toEqual([]);
  });
});
