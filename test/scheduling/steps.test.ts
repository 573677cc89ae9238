import { describe, expect, it, onTestFinished } from 'vitest';
import type { Awaitable } from '../../src/primitives/awaitable.ts';
import { runTask, type Task, waitFor } from '../../src/scheduling/task.ts';

/** Adds up the numbers as they come; one that cannot be had counts as `instead`. */
function* sum(answers: readonly (() => Awaitable<number>)[], instead: number | null = null): Task<number> {
  let total = 0;
  for (const answer of answers) {
    try {
      total += yield* waitFor(answer());
    } catch (error) {
      if (instead === null) throw error;
      total += instead;
    }
  }
  return total;
}

const now = (value: number) => () => value;
const later = (value: number) => async () => value;
const never = (): number => {
  throw new RangeError('never');
};
const neverLater = async (): Promise<number> => never();

describe('a procedure in steps', () => {
  it('comes to its end at once when it has to wait for nothing', () => {
    expect(runTask(sum([now(1), now(2)]))).toBe(3);
    expect(runTask(sum([]))).toBe(0);
  });

  it('throws at once what a step throws', () => {
    expect(() => runTask(sum([now(1), never]))).toThrow(RangeError);
  });

  it('waits where it must, and goes on with what it was told', async () => {
    const answer = runTask(sum([now(1), later(2), now(3), later(4)]));
    expect(answer).toBeInstanceOf(Promise);
    expect(await answer).toBe(10);
  });

  it('waits for promises where the program has put others in the place of those of the language', async () => {
    const own = globalThis.Promise;
    onTestFinished(() => {
      globalThis.Promise = own;
    });
    globalThis.Promise = class Other<Value> extends own<Value> {};
    expect(await runTask(sum([later(1), later(2)]))).toBe(3);
  });

  it('rejects with what a step throws after it has waited', async () => {
    await expect(runTask(sum([later(1), never]))).rejects.toThrow(RangeError);
    await expect(runTask(sum([later(1), neverLater]))).rejects.toThrow(RangeError);
    await expect(runTask(sum([neverLater, now(1)]))).rejects.toThrow(RangeError);
  });

  it('can catch what a step throws, waited for or not', async () => {
    expect(runTask(sum([never, now(1)], 5))).toBe(6);
    expect(await runTask(sum([neverLater, later(1), never, neverLater], 5))).toBe(16);
  });

  it('begins each step only when the one before it is done', async () => {
    const done: string[] = [];
    const step = (name: string, isLater: boolean) => (): Awaitable<number> => {
      done.push(`begin ${name}`);
      const end = (): number => done.push(`end ${name}`);
      return isLater ? Promise.resolve().then(end) : end();
    };
    await runTask(sum([step('a', true), step('b', false), step('c', true)]));
    expect(done).toEqual(['begin a', 'end a', 'begin b', 'end b', 'begin c', 'end c']);
  });
});
