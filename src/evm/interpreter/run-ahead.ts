// Executions that continue past missing state, to find all values that they miss.

import type { MissingStateError } from '../../state/state-source.ts';

/** Receives the missing values of an execution. */
export interface MissingValues {
  /** Returns false if the execution must wait for the value instead of using a placeholder. */
  add(missing: MissingStateError): boolean;
}

/** Maximum slices of gas that an execution runs past its first missing value. Placeholders can cause endless loops. */
const MAX_SLICES = 16;
/** Maximum missing values of one run: ten batches. */
const MAX_MISSING = 1_000;
/** Maximum discarded runs of an execution. Each one fetches at least one value that it needs. */
const MAX_DISCARDED = 256;

/** A speculative value may be invalid. If the execution really reads it, it asks again and reports the error. */
function ignore(): void {}

/**
 * The missing values of an execution. The execution continues with zero at each missing value. Then it is
 * discarded, all missing values are fetched together, and it restarts. Its result never depends on a
 * placeholder, because only a run without missing values has a result.
 */
export class RunAhead implements MissingValues {
  #missing: MissingStateError[] = [];
  #slices = 0;
  #discarded = 0;

  /** True if the present run has missing values, so that it has no result. */
  get isMissing(): boolean {
    return this.#missing.length > 0;
  }

  /** False if the execution was discarded too often. It waits at each missing value then. */
  get isAllowed(): boolean {
    return this.#discarded < MAX_DISCARDED;
  }

  add(missing: MissingStateError): boolean {
    if (this.#missing.length >= MAX_MISSING) return false;
    this.#missing.push(missing);
    return true;
  }

  /** Counts a slice of the run. Returns false if the run should stop. */
  mayContinue(): boolean {
    return !this.isMissing || ++this.#slices <= MAX_SLICES;
  }

  /**
   * Ends the run and fetches its missing values. The first time, `predict` fetches further values. Rejects if the
   * first missing value cannot be fetched. The others depend on placeholders.
   */
  async fetch(predict: () => Promise<void>): Promise<void> {
    const [first, ...others] = this.#missing;
    // If another reader fetches all values, it has asked for a prediction too.
    const isNew = this.#discarded === 0 && this.#missing.some(({ isPending }) => !isPending);
    this.#missing = [];
    this.#slices = 0;
    this.#discarded++;
    const speculative = others.map((missing) => missing.fetch().catch(ignore));
    await Promise.all([first?.fetch(), ...speculative, isNew ? predict() : undefined]);
  }
}
