/** Reads slots of a fork in batches instead of one by one. */

import { type CancelCheck, unlessCancelled } from '../../scheduling/cancel-check.ts';
import { MissingStateError } from '../../state/state-source.ts';
import type { ReadSlot } from './storage-value.ts';

const ZERO = new Uint8Array(32);

/** Runs a task again until no slot that it reads is missing. Missing slots read as zero until then. */
export class BatchReader {
  readonly #source: ReadSlot;
  readonly #checkCancelled: CancelCheck;
  #missing = new Map<bigint, MissingStateError>();

  /** `source` may throw `MissingStateError`. */
  constructor(source: ReadSlot, checkCancelled: CancelCheck) {
    this.#source = source;
    this.#checkCancelled = checkCancelled;
  }

  /** Reads a slot within a task of {@link run}. */
  readonly read: ReadSlot = (slot) => {
    try {
      return this.#source(slot);
    } catch (error) {
      if (!(error instanceof MissingStateError)) throw error;
      this.#missing.set(slot, error);
      return ZERO;
    }
  };

  /**
   * Resolves to the result of the first run of `task` without missing slots. Results and errors of earlier
   * runs are discarded, so the task must be repeatable. Rejects with the errors of the fetches.
   */
  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    for (;;) {
      this.#missing = new Map();
      const outcome = await task().then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
      this.#checkCancelled();
      if (this.#missing.size === 0) {
        if ('error' in outcome) throw outcome.error;
        return outcome.result;
      }
      const fetches = Array.from(this.#missing.values(), (missing) => missing.fetch());
      await unlessCancelled(Promise.all(fetches), this.#checkCancelled);
    }
  }
}
