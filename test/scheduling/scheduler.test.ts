import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Priority } from '../../src/scheduling/priority-queue.ts';
import { type RunQueue, Scheduler } from '../../src/scheduling/scheduler.ts';
import { SLICE_MILLISECONDS } from '../../src/scheduling/slice-length.ts';
import { settleMicrotasks } from '../support/fake-time.ts';
import { ManualLoop } from '../support/manual-loop.ts';

/** A task that blocks the loop for a time slice on each run, and logs its name each time. */
async function hold(
  lane: RunQueue,
  name: string,
  turns: number,
  loop: ManualLoop,
  log: string[],
): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await lane.wait();
    log.push(name);
    loop.pass(SLICE_MILLISECONDS);
  }
}

/** Resolves after some microtasks, like a handler. */
async function settled(): Promise<void> {
  for (let step = 0; step < 10; step++) await null;
}

/** Reference model: the start order of the tasks of a lane, with plain arrays. */
class PlainOrder {
  readonly begun: number[] = [];
  #kept: number[] = [];
  #high: number[] = [];
  #low: number[] = [];
  #overtaking = 0;

  get isEmpty(): boolean {
    return this.#kept.length + this.#high.length + this.#low.length === 0;
  }

  ask(priority: Priority, name: number): void {
    if (priority === 'low') this.#low.push(name);
    else if (priority === 'high' && this.#low.length > 0) this.#high.push(name);
    else {
      this.#kept = [...this.#kept, ...this.#high, ...this.#low, name];
      this.#high = [];
      this.#low = [];
    }
  }

  /** True if more tasks wait. */
  beginNext(): boolean {
    const next = this.#kept.shift() ?? this.#nextEarly() ?? this.#nextLate();
    if (next !== undefined) this.begun.push(next);
    return !this.isEmpty;
  }

  #nextEarly(): number | undefined {
    if (this.#high.length === 0 || (this.#overtaking >= 64 && this.#low.length > 0)) return undefined;
    this.#overtaking++;
    return this.#high.shift();
  }

  #nextLate(): number | undefined {
    this.#overtaking = 0;
    return this.#low.shift();
  }
}

describe('Scheduler', () => {
  it('continues one task per iteration of the event loop', async () => {
    const loop = new ManualLoop();
    const lane = new Scheduler(loop).createQueue();
    const log: string[] = [];
    for (const name of ['a', 'b', 'c']) void hold(lane, name, 2, loop, log);
    const lengths = [];
    while (loop.isAwaited) {
      await loop.turn();
      lengths.push(log.length);
    }
    expect(log.join('')).toBe('abcabc');
    expect(lengths.slice(0, 6)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('alternates between lanes, even if one has many tasks', async () => {
    const loop = new ManualLoop();
    const scheduler = new Scheduler(loop);
    const [crowded, other] = [scheduler.createQueue(), scheduler.createQueue()];
    const log: string[] = [];
    for (let index = 0; index < 200; index++) void hold(crowded, 'x', 3, loop, log);
    await loop.turn();
    void hold(other, 'o', 3, loop, log);
    for (let turn = 0; turn < 6; turn++) await loop.turn();
    expect(log.filter((name) => name === 'o')).toHaveLength(3);
  });

  it('accepts connections that arrive together before a long task continues, for two time slices', async () => {
    const loop = new ManualLoop();
    const scheduler = new Scheduler(loop);
    const lane = scheduler.createQueue();
    const log: string[] = [];
    void hold(lane, 'x', 100, loop, log);
    await loop.turn();
    const begun = log.length;
    for (let turn = 0; turn < 2 * SLICE_MILLISECONDS; turn++) {
      lane.connectionOpened();
      loop.pass(1);
      await loop.turn();
    }
    expect(log).toHaveLength(begun);
    lane.connectionOpened();
    loop.pass(1);
    await loop.turn();
    expect(log).toHaveLength(begun + 1);
    lane.connectionOpened();
    await loop.turn();
    expect(log).toHaveLength(begun + 1);
    await loop.turn();
    await loop.turn();
    expect(log).toHaveLength(begun + 3);
  });

  it('starts tasks in order for a time slice per iteration, before a running task continues', async () => {
    const loop = new ManualLoop();
    const lane = new Scheduler(loop).createQueue();
    const log: string[] = [];
    void hold(lane, 'x', 4, loop, log);
    lane.blockedFor();
    loop.pass(SLICE_MILLISECONDS);
    for (let index = 0; index < 7; index++) {
      void lane.beginning()?.then(() => {
        log.push('b');
        loop.pass(1);
      });
    }
    while (loop.isAwaited) await loop.turn();
    expect(log.join('')).toBe('bbbbxbbbxxx');
  });

  it('starts one task per iteration if that task takes a time slice', async () => {
    const loop = new ManualLoop();
    const lane = new Scheduler(loop).createQueue();
    const log: string[] = [];
    lane.blockedFor();
    loop.pass(SLICE_MILLISECONDS);
    for (let index = 0; index < 3; index++) {
      void lane.beginning()?.then(() => {
        log.push('b');
        loop.pass(SLICE_MILLISECONDS);
      });
    }
    await loop.turn();
    expect(log).toEqual(['b']);
  });

  it('starts tasks of lanes in turn, even if one lane has many', async () => {
    const loop = new ManualLoop();
    const scheduler = new Scheduler(loop);
    const [crowded, other] = [scheduler.createQueue(), scheduler.createQueue()];
    const log: string[] = [];
    crowded.blockedFor();
    loop.pass(SLICE_MILLISECONDS);
    for (let index = 0; index < 200; index++) void crowded.beginning()?.then(() => void log.push('x'));
    void other.beginning()?.then(() => void log.push('o'));
    await loop.turn();
    expect(log.indexOf('o')).toBe(1);
  });

  /** A lane in a blocked loop. Tasks are identified by name and start in a recorded order. */
  function heldLane() {
    const loop = new ManualLoop();
    const lane = new Scheduler(loop).createQueue();
    const log: string[] = [];
    lane.blockedFor();
    loop.pass(SLICE_MILLISECONDS);
    const ask = (name: string, priority: Priority): void => {
      void lane.beginning(priority)?.then(() => {
        log.push(name);
        loop.pass(1);
        lane.ended();
      });
    };
    const begunInOrder = async (): Promise<string> => {
      while (loop.isAwaited) await loop.turn();
      return log.join('');
    };
    return { ask, begunInOrder };
  }

  it('starts high-priority tasks before low-priority tasks, each in order', async () => {
    const { ask, begunInOrder } = heldLane();
    for (const [name, priority] of [
      ['c', 'low'],
      ['d', 'low'],
      ['a', 'high'],
      ['e', 'low'],
      ['b', 'high'],
    ] as const)
      ask(name, priority);
    expect(await begunInOrder()).toBe('abcde');
  });

  it('starts a fifo task after all earlier tasks and before all later tasks', async () => {
    const { ask, begunInOrder } = heldLane();
    for (const [name, priority] of [
      ['b', 'low'],
      ['a', 'high'],
      ['c', 'fifo'],
      ['f', 'low'],
      ['d', 'high'],
      ['e', 'high'],
      ['g', 'fifo'],
      ['h', 'high'],
    ] as const)
      ask(name, priority);
    expect(await begunInOrder()).toBe('abcdefgh');
  });

  it('starts tasks in the order of the reference model, for any arrivals and starts', async () => {
    const asked = fc.record({
      priority: fc.constantFrom<Priority>('high', 'low', 'fifo'),
      count: fc.integer({ min: 1, max: 80 }),
    });
    const steps = fc.array(fc.oneof(asked, fc.integer({ min: 1, max: 120 })), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const loop = new ManualLoop();
        const lane = new Scheduler(loop).createQueue();
        lane.blockedFor();
        loop.pass(SLICE_MILLISECONDS);
        const expected = new PlainOrder();
        const begun: number[] = [];
        let number = 0;
        const beginOne = (): void => {
          if (!expected.isEmpty) expect(lane.beginNext()).toBe(expected.beginNext());
        };
        for (const step of taken) {
          for (let left = typeof step === 'number' ? step : step.count; left > 0; left--) {
            if (typeof step === 'number') beginOne();
            else {
              const name = number++;
              expected.ask(step.priority, name);
              void lane.beginning(step.priority)?.then(() => void begun.push(name));
            }
          }
        }
        while (!expected.isEmpty) beginOne();
        await settleMicrotasks();
        expect(begun).toEqual(expected.begun);
        expect(begun).toHaveLength(number);
      }),
    );
  });

  it('restarts a task after all waiting tasks, and sometimes before them', async () => {
    const loop = new ManualLoop();
    const lane = new Scheduler(loop).createQueue();
    expect(lane.beginning('low')).toBeUndefined();
    loop.pass(SLICE_MILLISECONDS);
    const begun: string[] = [];
    const ask = (name: string): void => void lane.beginning('low')?.then(() => void begun.push(name));
    ask('x');
    void lane.restart().then(() => void begun.push('again'));
    for (let index = 0; index < 100; index++) ask('.');
    void lane.restart().then(() => void begun.push('again'));
    ask('y');
    while (lane.beginNext());
    await settleMicrotasks();
    const places = begun.flatMap((name, place) => (name === '.' ? [] : [place]));
    expect(places).toEqual([0, 64, 102, 103]);
    expect([begun[0], begun[102], begun[103]]).toEqual(['x', 'y', 'again']);
  });

  it('sometimes starts a low-priority task while many high-priority tasks arrive', async () => {
    const { ask, begunInOrder } = heldLane();
    for (const name of ['x', 'y']) ask(name, 'low');
    for (let index = 0; index < 200; index++) ask('.', 'high');
    const begun = await begunInOrder();
    expect(begun.indexOf('x')).toBe(64);
    expect(begun.indexOf('y')).toBe(129);
    expect(begun).toHaveLength(202);
  });

  it('starts a high-priority task immediately if only low-priority tasks wait', () => {
    const lane = new Scheduler(new ManualLoop()).createQueue();
    while (lane.beginning('low') === undefined);
    lane.ended();
    expect(lane.beginning('low')).toBeInstanceOf(Promise);
    expect(lane.beginning('fifo')).toBeInstanceOf(Promise);
    expect(lane.beginning('high')).toBeInstanceOf(Promise);
    const other = new Scheduler(new ManualLoop()).createQueue();
    while (other.beginning('low') === undefined);
    other.ended();
    expect(other.beginning('high')).toBeUndefined();
  });

  it('starts tasks immediately if the loop was blocked for less than a time slice', () => {
    const loop = new ManualLoop();
    const lane = new Scheduler(loop).createQueue();
    for (let index = 0; index < 1_000; index++) {
      expect(lane.beginning()).toBeUndefined();
      lane.ended();
    }
    loop.pass(SLICE_MILLISECONDS);
    expect(lane.beginning()).toBeInstanceOf(Promise);
  });

  it('starts many short tasks in one iteration', async () => {
    const loop = new ManualLoop();
    const lane = new Scheduler(loop).createQueue();
    let begun = 0;
    for (let index = 0; index < 1_000; index++) {
      void Promise.resolve(lane.beginning()).then(() => {
        begun++;
        lane.ended();
      });
    }
    await settleMicrotasks();
    expect(begun).toBe(1_000);
  });

  it('starts few long tasks per iteration', async () => {
    const loop = new ManualLoop();
    const lane = new Scheduler(loop).createQueue();
    let begun = 0;
    for (let index = 0; index < 100; index++) {
      void Promise.resolve(lane.beginning()).then(async () => {
        await settled();
        begun++;
        loop.pass(SLICE_MILLISECONDS);
      });
    }
    await settleMicrotasks();
    expect(begun).toBeLessThan(6);
    await loop.turn();
    expect(begun).toBeLessThan(7);
    for (let turn = 0; turn < 100; turn++) await loop.turn();
    expect(begun).toBe(100);
  });

  it('starts no task in an iteration whose earlier tasks used the time slice', () => {
    const loop = new ManualLoop();
    const lane = new Scheduler(loop).createQueue();
    expect(lane.beginning()).toBeUndefined();
    loop.pass(SLICE_MILLISECONDS);
    lane.ended();
    expect(lane.beginning()).toBeInstanceOf(Promise);
  });

  it('reads the clock rarely for a few short tasks', () => {
    const loop = new ManualLoop();
    const lane = new Scheduler(loop).createQueue();
    for (let index = 0; index < 15; index++) {
      lane.beginning();
      lane.ended();
    }
    expect(loop.readings).toBeLessThan(16);
    expect(loop.isAwaited).toBe(false);
  });

  it('measures each iteration of the loop from its start', async () => {
    const loop = new ManualLoop();
    const lane = new Scheduler(loop).createQueue();
    expect(lane.blockedFor()).toBe(0);
    loop.pass(3);
    expect(lane.blockedFor()).toBe(3);
    await loop.turn();
    expect(loop.isAwaited).toBe(false);
    loop.pass(3);
    expect(lane.blockedFor()).toBe(0);
  });
});
