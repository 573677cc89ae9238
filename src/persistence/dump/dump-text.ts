// The text of a dump: lines of JSON, decompressed piece by piece.

import type { Awaitable } from '../../primitives/awaitable.ts';
import { withoutByteOrderMark } from '../../primitives/file-system.ts';
import type { Steps } from '../../primitives/steps.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { BODY_MARK, lacksBody, MARK_WORD, type ScannedBody, scanBody } from '../../wire/block-file.ts';
import { InvalidDumpError } from '../../wire/errors.ts';
import { StrictValue } from '../../wire/strict-value.ts';
import {
  ignoreProgress,
  type OnProgress,
  parseJson,
  readJsonBytes,
  type UnpackedDump,
} from './dump-bytes.ts';
import { decompressPiece, piecesIn } from './pieces.ts';

const LINE_END = 0x0a;
/** Bytes searched without a yield. */
const SEARCHED_AT_ONCE = 2 ** 21;
/** Work units per byte of a line. */
const WORK_OF_BYTE = 4;

/** Consecutive whole lines of a dump. */
interface Part {
  /** The bytes of the text. */
  readonly length: number;
  read(): Awaitable<Uint8Array>;
  /** The offset of its end in the bytes of the dump; `null` if the bytes cannot be divided there. */
  readonly end: number | null;
}

/** A line of a dump. */
export interface DumpLine {
  /** Lacks the transactions and receipts of its block if `body` contains them. */
  readonly value: StrictValue;
  readonly body: ScannedBody | null;
  readonly text: Uint8Array;
  /** The offset behind the line in the bytes of the dump; `null` if the bytes cannot be divided there. */
  readonly end: number | null;
}

/** The lines of a dump. Compressed bytes with pieces are decompressed during each iteration. */
export class DumpText {
  /** The length of the bytes of the dump, compressed or not. */
  readonly size: number;
  readonly isCompressed: boolean;
  readonly #parts: readonly Part[];

  private constructor(size: number, isCompressed: boolean, parts: readonly Part[]) {
    this.size = size;
    this.isCompressed = isCompressed;
    this.#parts = parts;
  }

  /** Returns the text of uncompressed bytes. */
  static plain(bytes: Uint8Array): DumpText {
    const { length } = bytes;
    return new DumpText(length, false, [{ length, read: () => bytes, end: length }]);
  }

  /** Returns the text of compressed bytes that were decompressed as a whole. */
  static unpacked(size: number, text: Uint8Array): DumpText {
    return new DumpText(size, true, [{ length: text.length, read: () => text, end: null }]);
  }

  /**
   * Returns the text of compressed pieces; `null` for bytes without pieces. Throws an `InvalidDumpError` if
   * it exceeds the budget.
   */
  static inPieces(bytes: Uint8Array, budget: UnpackedDump): DumpText | null {
    const pieces = piecesIn(bytes);
    if (pieces === null) return null;
    const parts = pieces.map((piece) => {
      budget.take(piece.textLength);
      return { length: piece.textLength, read: () => decompressPiece(piece), end: piece.end };
    });
    return new DumpText(bytes.length, true, parts);
  }

  /** The text of the first piece, or the whole text without pieces. Rejects with an `InvalidDumpError`. */
  async start(): Promise<Uint8Array> {
    return withoutByteOrderMark((await this.#parts[0]?.read()) ?? new Uint8Array(0));
  }

  /** Parses the first line. Rejects with an `InvalidDumpError`. */
  async firstLine(): Promise<StrictValue> {
    const text = await this.start();
    const end = text.indexOf(LINE_END);
    const line = end === -1 ? text : text.subarray(0, end);
    return new StrictValue(parseJson(line, 'line 1'), 'line 1');
  }

  /** Parses the last line that is not empty. Rejects with an `InvalidDumpError`. */
  async lastLine(): Promise<StrictValue> {
    const text = (await this.#parts.at(-1)?.read()) ?? new Uint8Array(0);
    let end = text.length;
    while (end > 0 && text[end - 1] === LINE_END) end--;
    const line = text.subarray(text.lastIndexOf(LINE_END, end - 1) + 1, end);
    return new StrictValue(parseJson(line, 'the last line'), 'the last line');
  }

  /**
   * Yields the lines without empty ones. Calls `onProgress` with the fraction of bytes read. With `ruleSet`, reads
   * the bodies of blocks from the bytes if possible. Rejects with an `InvalidDumpError`.
   */
  async *lines(
    onProgress: OnProgress = ignoreProgress,
    ruleSet: RuleSet | null = null,
  ): AsyncGenerator<DumpLine, void, undefined> {
    const total = this.#parts.reduce((length, part) => length + part.length, 0);
    const slice = new TimeSlice();
    let number = 1;
    let read = 0;
    for (const part of this.#parts) {
      const bytes = await part.read();
      for (let start = 0; start < bytes.length; number++) {
        const end = await runTask(lineEnd(bytes, start), slice);
        const text = bytes.subarray(start, end);
        const isLast = end + 1 >= bytes.length;
        const own = isLast ? part.end : end + 1;
        start = end + 1;
        if (text.length > 0) {
          const name = `line ${number}`;
          const body = ruleSet === null ? null : await runTask(scanBody(text, ruleSet), slice);
          const rest = body === null ? null : await restOf(text, body, name);
          const value = rest ?? new StrictValue(await readJsonBytes(text, name), name);
          yield { value, body: rest && body, text, end: this.isCompressed && !isLast ? null : own };
        }
        onProgress(Math.min(1, (read + start) / total));
        await slice.spend(WORK_OF_BYTE * text.length);
      }
      read += bytes.length;
    }
  }
}

/**
 * Parses a line without its scanned body. Resolves to `null` if this body is not the block's, or if the rest of the
 * line could contain the mark too.
 */
async function restOf(
  text: Uint8Array,
  { start, end }: ScannedBody,
  name: string,
): Promise<StrictValue | null> {
  const around = Buffer.concat([text.subarray(0, start), text.subarray(end)]);
  if (around.includes(MARK_WORD) || around.includes('\\')) return null;
  const bytes = Buffer.concat([text.subarray(0, start), BODY_MARK, text.subarray(end)]);
  try {
    const value = new StrictValue(await readJsonBytes(bytes, name), name);
    return lacksBody(value.field('block')) ? value : null;
  } catch (error) {
    // The whole line is parsed next, and has the same fault.
    if (error instanceof InvalidDumpError) return null;
    throw error;
  }
}

/** Returns the index of the end of the line. Yields for long lines. */
function* lineEnd(bytes: Uint8Array, lineStart: number): Steps<number> {
  for (let start = lineStart; start < bytes.length; start += SEARCHED_AT_ONCE) {
    const end = bytes.subarray(start, start + SEARCHED_AT_ONCE).indexOf(LINE_END);
    if (end !== -1) return start + end;
    yield SEARCHED_AT_ONCE;
  }
  return bytes.length;
}
