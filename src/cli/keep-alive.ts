/** Keeps the process alive during its calls, because the timers and the server of the node do not. */
export class KeepAlive {
  readonly #handle: Pick<NodeJS.Timeout, 'ref' | 'unref'>;
  #pending = 0;

  /** `handle` keeps the process alive unless it is unreferenced. */
  constructor(handle: Pick<NodeJS.Timeout, 'ref' | 'unref'>) {
    this.#handle = handle;
    handle.unref();
  }

  /** Settles as `action` does. */
  async during<Result>(action: () => Promise<Result>): Promise<Result> {
    if (this.#pending++ === 0) this.#handle.ref();
    try {
      return await action();
    } finally {
      if (--this.#pending === 0) this.#handle.unref();
    }
  }
}
