import { TraceTooLargeError } from './errors.ts';

/** A quarter of the longest text that the JavaScript engine can make an answer of. */
const LIMIT = 2 ** 27;

/**
 * Counts how large a trace grows. Without it, an endless loop with a whole block's gas would be traced until the node
 * has no memory left.
 */
export class TraceBudget {
  #left: number;
  readonly #limit: number;

  /** `limit` is in characters of JSON. */
  constructor(limit: number = LIMIT) {
    this.#limit = limit;
    this.#left = limit;
  }

  /** Takes note of about that many characters of JSON. Throws {@link TraceTooLargeError} beyond the limit. */
  spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new TraceTooLargeError(this.#limit);
  }
}
