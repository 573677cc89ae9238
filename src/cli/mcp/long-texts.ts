/** Cuts long answers, and keeps the rest for those who want it. */

/** Characters of one answer: some thousands of words of a model's memory. */
const MOST_CHARACTERS = 24_000;

/** How many long texts are kept; each may have megabytes. */
const MOST_KEPT = 8;

/** The texts that were too long for one answer. */
export class LongTexts {
  readonly #kept = new Map<string, string>();
  #count = 0;

  /** Returns the text, or the beginning of a long one with a note how to get the rest. */
  cut(text: string): { readonly text: string; readonly isCut: boolean } {
    if (text.length <= MOST_CHARACTERS) return { text, isCut: false };
    const id = String(++this.#count);
    this.#kept.set(id, text);
    const [oldest = id] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT) this.#kept.delete(oldest);
    return { text: piece(id, text, 0), isCut: true };
  }

  /** Returns a piece of a text that was cut, from that character on; `null` where the text is no longer kept. */
  rest(id: string, offset: number): string | null {
    const text = this.#kept.get(id);
    return text === undefined ? null : piece(id, text, offset);
  }
}

function piece(id: string, text: string, offset: number): string {
  const end = Math.min(text.length, offset + MOST_CHARACTERS);
  const what = `characters ${offset} to ${end} of ${text.length}`;
  const rest =
    end < text.length ? `; the rest: read_more with id "${id}" and offset ${end}` : '; that is the end';
  return `${text.slice(offset, end)}\n\n[${what}${rest}]`;
}
