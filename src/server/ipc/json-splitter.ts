// Splits a byte stream into JSON texts, with or without separators.

import { BodyTooLargeError } from '../errors.ts';
import { ReceivedBytes } from '../received-bytes.ts';

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function opens(byte: number | undefined): boolean {
  return byte === 0x7b || byte === 0x5b;
}

function closes(byte: number | undefined): boolean {
  return byte === 0x7d || byte === 0x5d;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === NEWLINE || byte === 0x0d;
}

/** The text that is being read. A `word` is outside of objects and arrays, so it cannot be a request. */
type Part = 'none' | 'value' | 'word';

/**
 * Splits the bytes of a connection into texts, each with one object or array. A text ends at its last bracket,
 * so texts need no separator. All bytes of a multi-byte character are above the ASCII range, so the splitter
 * ignores characters. A word ends at a newline or at the next opening bracket. A closing bracket between texts is a
 * text of its own, so that the client gets its error without delay. A newline inside a string is invalid JSON.
 * The text ends there too, so that the next line is read correctly.
 */
export class JsonSplitter {
  readonly #limit: number;
  readonly #earlier = new ReceivedBytes();
  #part: Part = 'none';
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  /** `limit` is the maximum length of a text in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** True if the bytes so far end inside a text. */
  get isPartial(): boolean {
    return this.#part !== 'none';
  }

  /** Yields the texts that end in these bytes. Throws a {@link BodyTooLargeError} for a text above the limit. */
  *add(bytes: Buffer): Generator<string> {
    let start = 0;
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index];
      if (this.#part === 'none') {
        if (isSpace(byte)) continue;
        if (closes(byte)) {
          yield this.#take(bytes.subarray(index, index + 1));
          continue;
        }
        start = index;
        this.#begin(byte);
        continue;
      }
      const end = this.#part === 'word' ? endOfWord(byte) : this.#endOfValue(byte);
      if (end === null) continue;
      yield this.#take(bytes.subarray(start, index + end));
      start = index + end;
      if (end === 0) this.#begin(byte);
    }
    if (this.#part !== 'none') this.#keep(bytes.subarray(start));
  }

  /** Returns the incomplete last text of a connection; `null` if there is none. */
  end(): string | null {
    return this.#part === 'none' ? null : this.#take(Buffer.alloc(0));
  }

  #begin(byte: number | undefined): void {
    this.#part = opens(byte) ? 'value' : 'word';
    this.#depth = 1;
    this.#isInString = false;
    this.#isEscaped = false;
  }

  #keep(bytes: Buffer): void {
    if (this.#earlier.length + bytes.length > this.#limit) throw new BodyTooLargeError(this.#limit);
    this.#earlier.add(bytes, 0);
  }

  #take(last: Buffer): string {
    this.#keep(last);
    this.#part = 'none';
    return this.#earlier.take().toString();
  }

  /** Returns 1 if the value ends with this byte; `null` if the value continues. */
  #endOfValue(byte: number | undefined): 1 | null {
    if (this.#isInString) {
      if (byte === NEWLINE) return 1;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInString = false;
    } else if (byte === QUOTE) this.#isInString = true;
    else if (opens(byte)) this.#depth++;
    else if (closes(byte)) {
      this.#depth--;
      if (this.#depth === 0) return 1;
    }
    return null;
  }
}

/** Returns 1 if a word ends with this byte, 0 if it ends before this byte, and `null` if it continues. */
function endOfWord(byte: number | undefined): 0 | 1 | null {
  if (byte === NEWLINE) return 1;
  return opens(byte) ? 0 : null;
}
