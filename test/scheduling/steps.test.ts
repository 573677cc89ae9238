import { describe, expect, it, onTestFinished } from 'vitest';
import type { Awaitable } from '../../src/primitives/awaitable.ts';
import { runTask, type Task, waitFor } from '../../src/scheduling/task.ts';

/** Adds up the numbers in order. A step that throws counts as `instead`. */
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

describe('runTask', () => {
  it('returns immediately if no step waits', () => {
    expect(runTask(sum([now(1), now(2)]))).toBe(3);
    expect(runTask(sum([]))).toBe(0);
  });

  it('throws the error of a step synchronously', () => {
    expect(() => runTask(sum([now(1), never]))).toThrow(RangeError);
  });

  it('waits for a promise and continues with its result', async () => {
    const answer = runTask(sum([now(1), later(2), now(3), later(4)]));
    expect(answer).toBeInstanceOf(Promise);
    expect(await answer).toBe(10);
  });

  it('waits for promises if the program has replaced the global Promise', async () => {
    const own = globalThis.Promise;
    onTestFinished(() => {
      globalThis.Promise = own;
    });
    globalThis.Promise = class Other<Value> extends own<Value> {};
    expect(await runTask(sum([later(1), later(2)]))).toBe(3);
  });

  it('rejects with the error of a step after a wait', async () => {
    await expect(runTask(sum([later(1), never]))).rejects.toThrow(RangeError);
    await expect(runTask(sum([later(1), neverLater]))).rejects.toThrow(RangeError);
    await expect(runTask(sum([neverLater, now(1)]))).rejects.toThrow(RangeError);
  });

  it('lets a task catch the error of a step, with or without a wait', async () => {
    expect(runTask(sum([never, now(1)], 5))).toBe(6);
    expect(await runTask(sum([neverLater, later(1), never, neverLater], 5))).toBe(16);
  });

  it('starts each step after the step before it has ended', async () => {
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
