import { describe, expect, it } from 'vitest';
import { type CancelCheck, neverCancelled } from '../../src/scheduling/cancel-check.ts';
import type { Yielder } from '../../src/scheduling/scheduler.ts';
import { ThreadSlots } from '../../src/scheduling/thread-slots.ts';
import { settleMicrotasks } from '../support/fake-time.ts';

const LANE = 'lane';

/** Takes a slot for each name. Returns the names that have a slot, in order. */
function takers(slots: ThreadSlots, ...names: readonly string[]): string[] {
  return takersOf(LANE, slots, ...names);
}

function takersOf(lane: string, slots: ThreadSlots, ...names: readonly string[]): string[] {
  const begun: string[] = [];
  for (const name of names) void slots.take(lane, neverCancelled).then(() => begun.push(name));
  return begun;
}

/** A check that the test can make reject. */
function interruptible(): { readonly check: CancelCheck; readonly interrupt: () => void } {
  let interrupt = (): void => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = () => reject(new Error('the caller is gone'));
  });
  const during: CancelCheck['during'] = (awaited) => Promise.race([awaited, interrupted]);
  return { check: Object.assign(() => undefined, { during }), interrupt };
}

describe('ThreadSlots', () => {
  it('grants all slots, then queues takers in order', async () => {
    const slots = new ThreadSlots(2);
    const begun = takers(slots, 'a', 'b', 'c', 'd');
    await settleMicrotasks();
    expect(begun).toEqual(['a', 'b']);
    slots.give(LANE);
    await settleMicrotasks();
    expect(begun).toEqual(['a', 'b', 'c']);
    slots.give(LANE);
    slots.give(LANE);
    slots.give(LANE);
    const later = takers(slots, 'e', 'f', 'g');
    await settleMicrotasks();
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    expect(later).toEqual(['e', 'f']);
  });

  it('keeps a slot if a taker is cancelled during or right after its wait', async () => {
    const slots = new ThreadSlots(1);
    const begun = takers(slots, 'first');
    const early = interruptible();
    const late = interruptible();
    const ends = [early, late].map(({ check }) => slots.take(LANE, check));
    const next = takers(slots, 'next');
    early.interrupt();
    await expect(ends[0]).rejects.toThrow('the caller is gone');
    late.interrupt();
    slots.give(LANE);
    await expect(ends[1]).rejects.toThrow('the caller is gone');
    await settleMicrotasks();
    expect([...begun, ...next]).toEqual(['first', 'next']);
  });

  it('excludes the wait for a slot from the time limit', async () => {
    const slots = new ThreadSlots(1);
    takers(slots, 'first');
    const untimed: Promise<unknown>[] = [];
    const during: CancelCheck['during'] = () => Promise.reject(new Error('the wait is timed'));
    const turns: Yielder = {
      blockedFor: () => 0,
      wait: async () => undefined,
      untimed: (awaited) => {
        untimed.push(awaited);
        return awaited;
      },
    };
    const taken = slots.take(
      LANE,
      Object.assign(() => undefined, { during, yielder: turns }),
    );
    expect(untimed).toHaveLength(1);
    slots.give(LANE);
    await expect(taken).resolves.toBeUndefined();
  });

  it('gives the next slot to a lane without one if another lane has all slots', async () => {
    const slots = new ThreadSlots(1);
    const endless = takersOf('hostile', slots, 'h1', 'h2', 'h3');

    const other = takersOf('other', slots, 'o1', 'o2');
    await settleMicrotasks();

    expect([endless, other]).toEqual([['h1'], ['o1']]);
  });

  it('bounds the queue and alternates between waiting lanes', async () => {
    const slots = new ThreadSlots(1);
    for (const lane of ['a', 'b', 'c', 'd', 'e']) takersOf(lane, slots, lane);
    const hostile = takersOf('hostile', slots, 'h1', 'h2', 'h3');
    const other = takersOf('other', slots, 'o1');
    await settleMicrotasks();
    expect([hostile, other]).toEqual([[], []]);

    for (const lane of ['a', 'b', 'c', 'd']) slots.give(lane);
    await settleMicrotasks();
    expect([hostile, other]).toEqual([['h1'], ['o1']]);

    for (const lane of ['e', 'other']) slots.give(lane);
    await settleMicrotasks();
    expect(hostile).toEqual(['h1']);
    slots.give('hostile');
    await settleMicrotasks();
    expect(hostile).toEqual(['h1', 'h2']);
  });
});
