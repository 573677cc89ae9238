import { describe, expect, it } from 'vitest';
import { ThreadSlots } from '../../src/evm/javascript-tracer/thread-slots.ts';
import { type CheckInterrupt, uninterrupted } from '../../src/primitives/interrupt.ts';
import { settleMicrotasks } from '../support/fake-time.ts';

/** Takes a slot for each name; the list has the names of those that have one, in the order in which they got it. */
function takers(slots: ThreadSlots, ...names: readonly string[]): string[] {
  const begun: string[] = [];
  for (const name of names) void slots.take(uninterrupted).then(() => begun.push(name));
  return begun;
}

/** A check whose waiting work ends with an error when the test says so. */
function interruptible(): { readonly check: CheckInterrupt; readonly interrupt: () => void } {
  let interrupt = (): void => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = () => reject(new Error('the caller is gone'));
  });
  const during: CheckInterrupt['during'] = (awaited) => Promise.race([awaited, interrupted]);
  return { check: Object.assign(() => undefined, { during }), interrupt };
}

describe('the slots of threads', () => {
  it('are taken as many at a time as there are, and then in the order of those that wait', async () => {
    const slots = new ThreadSlots(2);
    const begun = takers(slots, 'a', 'b', 'c', 'd');
    await settleMicrotasks();
    expect(begun).toEqual(['a', 'b']);
    slots.give();
    await settleMicrotasks();
    expect(begun).toEqual(['a', 'b', 'c']);
    slots.give();
    slots.give();
    slots.give();
    const later = takers(slots, 'e', 'f', 'g');
    await settleMicrotasks();
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    expect(later).toEqual(['e', 'f']);
  });

  it('are not lost to one that was interrupted while it waited, or as it got one', async () => {
    const slots = new ThreadSlots(1);
    const begun = takers(slots, 'first');
    const early = interruptible();
    const late = interruptible();
    const ends = [early, late].map(({ check }) => slots.take(check));
    const next = takers(slots, 'next');
    early.interrupt();
    await expect(ends[0]).rejects.toThrow('the caller is gone');
    late.interrupt();
    slots.give();
    await expect(ends[1]).rejects.toThrow('the caller is gone');
    await settleMicrotasks();
    expect([...begun, ...next]).toEqual(['first', 'next']);
  });
});
