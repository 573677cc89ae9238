// The execution counts of one message, as the counting interpreter reports them.

import type { CountedRange, CountedRun, ExecutionCounts } from '../execution-counts.ts';
import type { LinearMemory } from './linear-memory.ts';

/** Collects the counts of one message until it ends, because a discarded execution must not count. */
export class MessageCounts {
  readonly #counts: ExecutionCounts;
  readonly #memory: () => LinearMemory;
  #runs: (CountedRun & { readonly ranges: CountedRange[] })[] = [];

  constructor(counts: ExecutionCounts, memory: () => LinearMemory) {
    this.#counts = counts;
    this.#memory = memory;
  }

  /** Called for each executed code with the pointers to its hash and bytes. Only shared code has a hash. */
  countedCode(hash: number, raw: number, length: number, isShared: number): void {
    const memory = this.#memory();
    memory.refresh();
    if (isShared === 0) {
      this.#runs.push({ side: 'creation', hash: null, code: memory.copy(raw, length), ranges: [] });
      return;
    }
    const known = memory.copy(hash, 32);
    const code = this.#counts.has('deployed', known) ? null : memory.copy(raw, length);
    this.#runs.push({ side: 'deployed', hash: known, code, ranges: [] });
  }

  /** Called for each executed range of the last code. */
  counted(start: number, end: number, times: number): void {
    this.#runs.at(-1)?.ranges.push({ start, end, times });
  }

  /** Adds the collected counts. */
  keep(): void {
    for (const run of this.#runs) this.#counts.add(run);
    this.drop();
  }

  /** Discards the collected counts. */
  drop(): void {
    this.#runs = [];
  }
}
