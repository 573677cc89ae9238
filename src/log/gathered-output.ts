import type { TextOutput } from './log-writer.ts';

/**
 * Text that is written in one piece for all that comes within one turn of the event loop: a batch of a hundred requests
 * has a hundred lines, and each write to the system costs as much as an answer.
 */
export class GatheredOutput implements TextOutput {
  readonly #writeNow: (text: string) => void;
  readonly #afterTurn: (action: () => void) => void;
  #gathered = '';

  /** `afterTurn` calls what it is given once the turn is over. */
  constructor(writeNow: (text: string) => void, afterTurn: (action: () => void) => void) {
    this.#writeNow = writeNow;
    this.#afterTurn = afterTurn;
  }

  write(text: string): void {
    if (this.#gathered === '') this.#afterTurn(() => this.flush());
    this.#gathered += text;
  }

  /** Writes what was gathered, before something that must come after it. */
  flush(): void {
    const text = this.#gathered;
    this.#gathered = '';
    if (text !== '') this.#writeNow(text);
  }
}
