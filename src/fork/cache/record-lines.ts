// Lines of JSON from files that others may have written. Their length and nesting are limited.

import { isAscii } from 'node:buffer';
import { JsonLimitError, parseShallowJson, readJson } from '../../json/json-reader.ts';
import type { Steps } from '../../primitives/steps.ts';
import { NESTING_LIMIT } from '../upstream/rpc-answer.ts';

const NEWLINE = 10;

/** Maximum bytes of a line: the largest cached response, escaped, with its key. */
export const MAX_LINE_LENGTH = 2 ** 26;

/** Splits bytes into lines. A line above {@link MAX_LINE_LENGTH} is not kept in memory. */
export class LineSplitter {
  #parts: Buffer[] = [];
  #length = 0;

  /** The number of bytes after the last line break. */
  get rest(): number {
    return this.#length;
  }

  /** Yields the complete lines without line breaks; `null` for a line that is too long. */
  *add(chunk: Buffer): Iterable<Buffer | null> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#push(chunk.subarray(start, end));
      const [only] = this.#parts;
      const line = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
      yield this.#length > MAX_LINE_LENGTH ? null : line;
      this.#parts = [];
      this.#length = 0;
      start = end + 1;
    }
    this.#push(chunk.subarray(start));
  }

  #push(part: Buffer): void {
    if (part.length === 0) return;
    this.#length += part.length;
    if (this.#length > MAX_LINE_LENGTH) this.#parts = [];
    else this.#parts.push(part);
  }
}

/** The maximum nesting of a line: an array of key and response. */
const LEVELS = NESTING_LIMIT + 1;
/** Maximum bytes of a line that is parsed without a yield. */
const PARSED_AT_ONCE = 2 ** 16;

/**
 * Parses a line and yields for long lines. Throws a `SyntaxError` for invalid JSON, and a `JsonLimitError`
 * for JSON nested deeper than an upstream response may be.
 */
export function* readJsonLine(line: Buffer): Steps<unknown> {
  const text = line.toString(isAscii(line) ? 'latin1' : 'utf8');
  if (line.length > PARSED_AT_ONCE) return yield* readJson(text, { levels: LEVELS });
  return parseShallowJson(text, LEVELS);
}

/** True for the errors of {@link readJsonLine}. */
export function isLineError(error: unknown): error is SyntaxError | JsonLimitError {
  return error instanceof SyntaxError || error instanceof JsonLimitError;
}
