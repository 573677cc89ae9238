import type { CallToken } from '../chain/changes.ts';
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
