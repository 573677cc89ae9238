import type { Awaitable } from '../primitives/steps.ts';
import { fetchingState } from '../state/state-elsewhere.ts';

/** Runs tasks one at a time, in the order they came. */
export class SerialQueue {
  readonly #settle: (() => Promise<void>) | null;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * `settle` runs when a task is done or has failed, before anybody hears of it, and before the next one begins, in case
   * it failed then; when it rejects, so does the task, which was not begun if it was before.
   */
  constructor(settle: (() => Promise<void>) | null = null) {
    this.#settle = settle;
  }

  /**
   * Runs `task` when all before it are done; gives what it gives. A task that fails does not stop the next. One that
   * needs state from elsewhere is begun again when that has come, so it must read state before it changes anything.
   */
  run<Result>(task: () => Awaitable<Result>): Promise<Result> {
    const settle = this.#settle;
    const whole = (): Awaitable<Result> => fetchingState(task);
    const result = this.#last.then(settle === null ? whole : () => runSettled(whole, settle));
    this.#last = result.catch(() => undefined);
    return result;
  }
}

async function runSettled<Result>(
  task: () => Awaitable<Result>,
  settle: () => Promise<void>,
): Promise<Result> {
  await settle();
  try {
    return await task();
  } finally {
    await settle();
  }
}
