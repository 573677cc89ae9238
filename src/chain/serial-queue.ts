import type { Awaitable } from '../primitives/task.ts';
import { fetchingState } from '../state/state-source.ts';

/** A place in the line of tasks. */
interface Place {
  /** Resolves when all before it are done, or have given way. */
  readonly before: Promise<void>;
  /** Lets the next one begin. */
  readonly leave: () => void;
}

/** Runs tasks one at a time, in the order they came. */
export class SerialQueue {
  readonly #settle: (() => Promise<void>) | null;
  #last: Promise<void> = Promise.resolve();
  /** Lets the task behind the one that runs begin. */
  #leave: () => void = () => undefined;

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
    const { before, leave } = this.#lineUp();
    const result = before.then(() => {
      this.#leave = leave;
      return settle === null ? fetchingState(task) : runSettled(() => fetchingState(task), settle);
    });
    // After it gave way the task left another place than the one that it came to.
    const end = (): void => this.#leave();
    result.then(end, end);
    return result;
  }

  /**
   * For the task that runs: lets others run until `until` resolves, and goes on behind those that wait by then. What it
   * has changed so far counts as done, and anything may be different afterwards. Rejects as `settle` does.
   */
  async giveWay(until: Promise<unknown>): Promise<void> {
    await this.#settle?.();
    this.#leave();
    try {
      await until;
    } finally {
      const { before, leave } = this.#lineUp();
      await before;
      this.#leave = leave;
    }
    await this.#settle?.();
  }

  #lineUp(): Place {
    const before = this.#last;
    let leave: () => void = () => undefined;
    this.#last = new Promise((resolve) => {
      leave = resolve;
    });
    return { before, leave };
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
