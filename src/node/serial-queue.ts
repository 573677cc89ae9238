import { fetchingState } from '../state/state-elsewhere.ts';

/** Runs tasks one at a time, in the order they came. */
export class SerialQueue {
  readonly #afterEach: (() => Promise<void>) | null;
  #last: Promise<unknown> = Promise.resolve();

  /** `afterEach` runs when a task is done or has failed, before anybody hears of it; when it rejects, so does the task. */
  constructor(afterEach: (() => Promise<void>) | null = null) {
    this.#afterEach = afterEach;
  }

  /**
   * Runs `task` when all before it are done; gives what it gives. A task that fails does not stop the next. One that
   * needs state from elsewhere is begun again when that has come, so it must read state before it changes anything.
   */
  run<Result>(task: () => Promise<Result>): Promise<Result> {
    const afterEach = this.#afterEach;
    const whole = (): Promise<Result> => fetchingState(task);
    const result = this.#last.then(afterEach === null ? whole : () => runBefore(whole, afterEach));
    this.#last = result.catch(() => undefined);
    return result;
  }
}

async function runBefore<Result>(
  task: () => Promise<Result>,
  afterEach: () => Promise<void>,
): Promise<Result> {
  try {
    return await task();
  } finally {
    await afterEach();
  }
}
