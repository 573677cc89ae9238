// Explains failed calls in the background of the log.

import type { CallToken } from '../chain/changes.ts';
import type { CancelCheck } from '../scheduling/cancel-check.ts';
import { LogClosedError } from './errors.ts';
import type { FailedCallFacts } from './log-entries.ts';

/** Maximum calls that wait for an explanation. Clients that poll can fail faster. */
const MAX_WAITING = 32;

/** Maximum gas of the waiting calls together. Each one runs two more times. */
const MAX_GAS = 200_000_000n;

type Facts = FailedCallFacts | null;

/** Failed calls that are explained in the background, bounded in number and gas. */
export class FailedCalls {
  readonly #onError: (error: unknown) => void;
  readonly #explained = new WeakMap<CallToken, Promise<Facts>>();
  /** Settles when earlier calls are explained. One at a time, to leave time for other work. */
  #before: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #gas = 0n;

  /** `onError` receives bugs. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Adds a failed call with its used gas, unless too many are waiting. */
  add(call: CallToken, gasUsed: bigint, explain: () => Promise<Facts>): void {
    if (this.#waiting >= MAX_WAITING || this.#gas + gasUsed > MAX_GAS) return;
    this.#waiting++;
    this.#gas += gasUsed;
    const explained = this.#before.then(explain).catch((error: unknown) => {
      this.#onError(error);
      return null;
    });
    this.#before = explained.then(() => {
      this.#waiting--;
      this.#gas -= gasUsed;
    });
    this.#explained.set(call, explained);
  }

  /** Resolves to the explanation, or `null` if there is none. Undefined for a call that is not explained. */
  of(call: CallToken): Promise<Facts> | undefined {
    return this.#explained.get(call);
  }
}

/** Stops all explanations when the log closes. */
export class ExplainingEnd {
  #isOver = false;
  /** The reject functions of all pending promises. */
  readonly #awaiting = new Set<(error: LogClosedError) => void>();

  end(): void {
    this.#isOver = true;
    for (const reject of this.#awaiting) reject(new LogClosedError());
  }

  /** Throws a {@link LogClosedError} after the end, and rejects pending promises. */
  readonly checkCancelled: CancelCheck = Object.assign(
    (): void => {
      if (this.#isOver) throw new LogClosedError();
    },
    { during: <Result>(awaited: Promise<Result>): Promise<Result> => this.#orEnd(awaited) },
  );

  /** `Promise.race` with a promise that lives as long as the log would retain all awaited promises. */
  #orEnd<Result>(awaited: Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#awaiting.add(reject);
      awaited.then(resolve, reject).finally(() => this.#awaiting.delete(reject));
      if (this.#isOver) reject(new LogClosedError());
    });
  }
}
