// The explanations of failed calls in the background of the log, which end with it.

import type { CallToken } from '../chain/changes.ts';
import type { CheckInterrupt } from '../scheduling/interrupt.ts';
import { LogClosedError } from './errors.ts';
import type { FailedCallFacts } from './log-entries.ts';

/** Calls that may wait to be explained; clients that poll can fail faster than that. */
const MOST_WAITING = 32;

/** Gas of all of them together, each of which is run two times more. */
const MOST_GAS = 200_000_000n;

type Facts = FailedCallFacts | null;

/** The calls that failed, which are explained in the background as far as they are few and short. */
export class FailedCalls {
  readonly #onError: (error: unknown) => void;
  readonly #explained = new WeakMap<CallToken, Promise<Facts>>();
  /** Settles when the calls before are explained: one at a time, so that they do not hold other work up. */
  #before: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #gas = 0n;

  /** `onError` is called with bugs. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Has a failed call explained that used so much gas, unless too many wait for it. */
  add(call: CallToken, gasUsed: bigint, explain: () => Promise<Facts>): void {
    if (this.#waiting >= MOST_WAITING || this.#gas + gasUsed > MOST_GAS) return;
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

  /** Resolves to what is said of the failed call, `null` for nothing; `undefined` for one that is not explained. */
  of(call: CallToken): Promise<Facts> | undefined {
    return this.#explained.get(call);
  }
}

/** The end of explaining, which a signal asks for. */
export class ExplainingEnd {
  #isOver = false;
  /** The rejections of everything that is awaited; the end calls each. */
  readonly #awaiting = new Set<(error: LogClosedError) => void>();

  /** Ends all that is explained. */
  end(): void {
    this.#isOver = true;
    for (const reject of this.#awaiting) reject(new LogClosedError());
  }

  /** Throws a {@link LogClosedError} once it has come, also while something is awaited. */
  readonly checkInterrupt: CheckInterrupt = Object.assign(
    (): void => {
      if (this.#isOver) throw new LogClosedError();
    },
    { during: <Result>(awaited: Promise<Result>): Promise<Result> => this.#orEnd(awaited) },
  );

  /** A race with a promise that lives as long as the log would keep all that were ever awaited. */
  #orEnd<Result>(awaited: Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#awaiting.add(reject);
      awaited.then(resolve, reject).finally(() => this.#awaiting.delete(reject));
      if (this.#isOver) reject(new LogClosedError());
    });
  }
}
