import type { Timer, Timers } from '../primitives/clock.ts';
import { type CancelCheck, unlessCancelled } from '../scheduling/cancel-check.ts';
import { TraceTimeoutError } from './errors.ts';
import { type RequestDeadline, runsTasks } from './request-check.ts';

/** The time limit of each trace of a request. */
export class TraceTimeout {
  readonly #limit: number;
  readonly #timers: Timers;
  #timer: Timer | null = null;
  #isLate = false;
  /** Rejects the promises that traces await. */
  readonly #waiting = new Set<(error: TraceTimeoutError) => void>();

  /** `limit` is in milliseconds. */
  constructor(limit: number, timers: Timers) {
    this.#limit = limit;
    this.#timers = timers;
  }

  /** Starts the time of a trace. */
  begin(): void {
    this.end();
    this.#timer = this.#timers.after(this.#limit, () => {
      this.#isLate = true;
      for (const end of this.#waiting) end(this.#error());
    });
  }

  /** Stops the time of the current trace. */
  end(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#isLate = false;
  }

  /** Returns a check that also throws {@link TraceTimeoutError} if the current trace is late. */
  checking(checkCancelled: CancelCheck): RequestDeadline {
    const { yielder } = checkCancelled;
    const check = (): void => {
      checkCancelled();
      if (this.#isLate) throw this.#error();
    };
    const during = <Result>(awaited: Promise<Result>): Promise<Result> =>
      this.#unlessLate(unlessCancelled(awaited, checkCancelled));
    return runsTasks(Object.assign(check, yielder === undefined ? { during } : { during, yielder }));
  }

  async #unlessLate<Result>(awaited: Promise<Result>): Promise<Result> {
    let end = (_error: TraceTimeoutError): void => undefined;
    const late = new Promise<never>((_resolve, reject) => {
      end = reject;
    });
    this.#waiting.add(end);
    try {
      return await Promise.race([awaited, late]);
    } finally {
      this.#waiting.delete(end);
    }
  }

  #error(): TraceTimeoutError {
    return new TraceTimeoutError(this.#limit);
  }
}
