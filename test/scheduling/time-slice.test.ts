import { describe, expect, it } from 'vitest';
import { sortInSteps } from '../../src/primitives/steps.ts';
import { neverCancelled } from '../../src/scheduling/cancel-check.ts';
import { Scheduler, type Yielder } from '../../src/scheduling/scheduler.ts';
import { SLICE_MILLISECONDS } from '../../src/scheduling/slice-length.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';
import { ManualLoop } from '../support/manual-loop.ts';

/** A task of five pieces that logs each of them. */
async function work(turns: Yielder, log: string[], name: string): Promise<void> {
  const pieces = new TimeSlice(neverCancelled, 1, turns);
  for (let piece = 0; piece < 5; piece++) {
    await pieces.spend(1);
    log.push(name);
  }
}

describe('TimeSlice', () => {
  it('continues one task per iteration of the event loop, independent of the number of tasks', async () => {
    const loop = new ManualLoop();
    const lane = new Scheduler(loop).createQueue();
    const log: string[] = [];
    for (let index = 0; index < 100; index++) void work(lane, log, 'x');
    for (let turn = 1; turn <= 50; turn++) {
      await loop.turn();
      expect(log).toHaveLength(turn);
    }
  });

  it('alternates with the tasks of other lanes', async () => {
    const loop = new ManualLoop();
    const scheduler = new Scheduler(loop);
    const [crowded, other] = [scheduler.createQueue(), scheduler.createQueue()];
    const log: string[] = [];
    for (let index = 0; index < 100; index++) void work(crowded, log, 'x');
    void work(other, log, 'o');
    for (let turn = 0; turn < 10; turn++) await loop.turn();
    expect(log.join('')).toBe('xoxoxoxoxo');
  });

  it('yields before its units are used if the event loop was blocked for a time slice', async () => {
    const loop = new ManualLoop();
    const lane = new Scheduler(loop).createQueue();
    lane.blockedFor();
    loop.pass(SLICE_MILLISECONDS);
    const pieces = new TimeSlice(neverCancelled, 2 ** 18, lane);
    expect(pieces.spend(100)).toBeUndefined();
    expect(pieces.spend(2 ** 14)).toBeInstanceOf(Promise);
  });

  it('reads the clock rarely', () => {
    const loop = new ManualLoop();
    const pieces = new TimeSlice(neverCancelled, 2 ** 18, new Scheduler(loop).createQueue());
    for (let unit = 0; unit < 2 ** 17; unit++) pieces.spend(1);
    expect(loop.readings).toBeLessThan(10);
  });
});

describe('sortInSteps', () => {
  it.each([0, 1, 1_023, 1_025, 5_000])('sorts %i texts like Array.prototype.sort', async (count) => {
    const texts = Array.from({ length: count }, (_, index) => String((index * 7_919) % 3_001));
    expect(await runTask(sortInSteps(texts), new TimeSlice())).toEqual(texts.toSorted());
  });

  it('yields about once per few thousand texts', async () => {
    let turns = 0;
    const counted: Yielder = { blockedFor: () => 0, wait: async () => void turns++ };
    const texts = Array.from({ length: 50_000 }, (_, index) => String((index * 7_919) % 50_021));
    await runTask(sortInSteps(texts), new TimeSlice(neverCancelled, undefined, counted));
    expect(turns).toBeGreaterThanOrEqual(50);
  });
});
