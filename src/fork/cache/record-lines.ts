// Lines of JSON from files that others may have written: their length and nesting are bounded.

import { isAscii } from 'node:buffer';
import { JsonLimitError, parseShallowJson, readJson } from '../../json/json-reader.ts';
import type { Task } from '../../scheduling/task.ts';
import type { WorkPieces } from '../../scheduling/work-pieces.ts';
import { NESTING_LIMIT } from '../upstream/http-post.ts';

const NEWLINE = 10;

/** The maximum number of bytes of a line: the largest cached answer, escaped, with its key. */
export const LONGEST_LINE = 2 ** 26;

/** Splits chunks of bytes into lines. A line of more than {@link LONGEST_LINE} bytes is not kept in memory. */
export class LineSplitter {
  #parts: Buffer[] = [];
  #length = 0;

  /** The number of bytes after the end of the last line. */
  get rest(): number {
    return this.#length;
  }

  /** Yields the lines that end in the chunk, without their ends; `null` for a line that is too long. */
  *add(chunk: Buffer): Iterable<Buffer | null> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#push(chunk.subarray(start, end));
      const [only] = this.#parts;
      const line = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
      yield this.#length > LONGEST_LINE ? null : line;
      this.#parts = [];
      this.#length = 0;
      start = end + 1;
    }
    this.#push(chunk.subarray(start));
  }

  #push(part: Buffer): void {
    if (part.length === 0) return;
    this.#length += part.length;
    if (this.#length > LONGEST_LINE) this.#parts = [];
    else this.#parts.push(part);
  }
}

/** The maximum nesting of a line: an array of key and answer. */
const LEVELS = NESTING_LIMIT + 1;
/** The size in bytes up to which a line is parsed in one step. */
const PARSED_AT_ONCE = 2 ** 16;

/**
 * Returns the JSON value of a line, in pieces if it is long. Throws a `SyntaxError` for other text, and a
 * `JsonLimitError` for JSON that is nested deeper than an answer of an upstream may be.
 */
export function* readJsonLine(line: Buffer, pieces: WorkPieces): Task<unknown> {
  const text = line.toString(isAscii(line) ? 'latin1' : 'utf8');
  if (line.length > PARSED_AT_ONCE) return yield* readJson(text, { levels: LEVELS, pieces });
  return parseShallowJson(text, LEVELS);
}

/** True for the errors of {@link readJsonLine} about a line. */
export function isLineError(error: unknown): error is SyntaxError | JsonLimitError {
  return error instanceof SyntaxError || error instanceof JsonLimitError;
}
