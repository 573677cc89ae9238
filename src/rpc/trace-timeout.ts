// The option `timeout` of the debug_trace* methods.

import type { Timer, Timers } from '../primitives/clock.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { type CheckInterrupt, unlessInterrupted } from '../primitives/interrupt.ts';

/** A trace took longer than its options allow. */
class TraceTimeoutError extends CodedError {
  readonly code = -32000;

  /** `limit` is in milliseconds. */
  constructor(limit: number) {
    super(`execution timeout: the trace took longer than the ${limit} ms of the option timeout`);
  }
}

/** The time that each trace of a request may take. */
export class TraceTimeout {
  readonly #limit: number;
  readonly #timers: Timers;
  #timer: Timer | null = null;
  #isLate = false;
  /** End what is awaited. */
  readonly #waiting = new Set<(error: TraceTimeoutError) => void>();

  /** `limit` is in milliseconds. */
  constructor(limit: number, timers: Timers) {
    this.#limit = limit;
    this.#timers = timers;
  }

  /** Begins the time of a trace. */
  begin(): void {
    this.end();
    this.#timer = this.#timers.after(this.#limit, () => {
      this.#isLate = true;
      for (const end of this.#waiting) end(this.#error());
    });
  }

  /** Ends the time of the trace in hand. */
  end(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#isLate = false;
  }

  /** Returns the check of a request that throws, besides what it throws itself, an error of -32000 when the trace in hand is late. */
  checking(checkInterrupt: CheckInterrupt): CheckInterrupt {
    const { turns } = checkInterrupt;
    const check = (): void => {
      checkInterrupt();
      if (this.#isLate) throw this.#error();
    };
    const during = <Result>(awaited: Promise<Result>): Promise<Result> =>
      this.#unlessLate(unlessInterrupted(awaited, checkInterrupt));
    return Object.assign(check, turns === undefined ? { during } : { during, turns });
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
