import type { Awaitable } from '../primitives/task.ts';
import { fetchingState } from '../state/state-source.ts';
import type { CallToken } from '../storage/chain-events.ts';

/** A place in the queue. */
interface Place {
  /** Resolves when all tasks before it are done, or have given way. */
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
  #call: CallToken | null = null;

  /**
   * `settle` runs when a task is done or has failed, before its promise settles, and again before the next task begins, in
   * case it failed then. When it rejects, so does the task, which has not begun if that happened before it.
   */
  constructor(settle: (() => Promise<void>) | null = null) {
    this.#settle = settle;
  }

  /** The call that the running task is part of; `null` for none. */
  get call(): CallToken | null {
    return this.#call;
  }

  /**
   * Runs `task`, which is part of `call`, when all tasks before it are done; returns its result. A task that fails does not
   * stop the next. One that needs state that has to be fetched is begun again when that has come, so it must read state
   * before it changes anything.
   */
  run<Result>(task: () => Awaitable<Result>, call: CallToken | null = null): Promise<Result> {
    const settle = this.#settle;
    const { before, leave } = this.#lineUp();
    const result = before.then(() => {
      this.#leave = leave;
      this.#call = call;
      return settle === null ? fetchingState(task) : runSettled(() => fetchingState(task), settle);
    });
    const end = (): void => {
      this.#call = null;
      // A task that gave way has another place now than the one that it began in.
      this.#leave();
    };
    result.then(end, end);
    return result;
  }

  /**
   * Called by the running task: lets others run until `until` resolves, and goes on behind those that wait by then. The
   * changes of the task so far count as done, and anything may be different afterwards. Rejects as `settle` does.
   */
  async giveWay(until: Promise<unknown>): Promise<void> {
    const call = this.#call;
    await this.#settle?.();
    this.#leave();
    try {
      await until;
    } finally {
      const { before, leave } = this.#lineUp();
      await before;
      this.#leave = leave;
      this.#call = call;
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
