/** Maximum bytes of all answers. One execution cannot pay for this amount of different calls. */
const MAX_SIZE = 2 ** 24;

/** Memory of an entry in bytes, in addition to its key and answer. */
const ENTRY_SIZE = 256;

interface SizedAnswer {
  readonly answer: unknown;
  readonly size: number;
}

/**
 * Answers that no cache takes, limited in bytes. Above the limit the oldest are evicted, but never the newest.
 */
export class RecentAnswers {
  readonly #largest: number;
  readonly #answers = new Map<string, SizedAnswer>();
  #heldBytes = 0;

  /** `largest` is the limit in bytes. */
  constructor(largest = MAX_SIZE) {
    this.#largest = largest;
  }

  /** Bytes of the answers and their keys. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  get(key: string): unknown {
    return this.#answers.get(key)?.answer;
  }

  set(key: string, answer: unknown): void {
    this.#drop(key);
    const size = ENTRY_SIZE + key.length + JSON.stringify(answer).length;
    for (const oldest of this.#answers.keys()) {
      if (this.#heldBytes + size <= this.#largest) break;
      this.#drop(oldest);
    }
    this.#answers.set(key, { answer, size });
    this.#heldBytes += size;
  }

  #drop(key: string): void {
    const held = this.#answers.get(key);
    if (held === undefined) return;
    this.#answers.delete(key);
    this.#heldBytes -= held.size;
  }
}
