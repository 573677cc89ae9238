/** Runs tasks one at a time, in the order they came. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `task` when all before it are done; gives what it gives. A task that fails does not stop the next. */
  run<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
