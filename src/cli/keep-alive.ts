import { type Awaitable, endingWith } from '../primitives/awaitable.ts';

/** Keeps the process alive during its calls, because the timers and the server of the node do not. */
export class KeepAlive {
  readonly #handle: Pick<NodeJS.Timeout, 'ref' | 'unref'>;
  #pending = 0;

  /** `handle` keeps the process alive unless it is unreferenced. */
  constructor(handle: Pick<NodeJS.Timeout, 'ref' | 'unref'>) {
    this.#handle = handle;
    handle.unref();
  }

  /** Returns the result of `action`. */
  during<Result>(action: () => Awaitable<Result>): Awaitable<Result> {
    if (this.#pending++ === 0) this.#handle.ref();
    return endingWith(action, () => {
      if (--this.#pending === 0) this.#handle.unref();
    });
  }
}
