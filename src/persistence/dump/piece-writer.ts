import { JsonWriter } from '../../json/json-writer.ts';
import { joinInSteps } from '../../primitives/steps.ts';
import { runTask } from '../../scheduling/task.ts';
import type { TimeSlice } from '../../scheduling/time-slice.ts';
import { compressPiece } from './pieces.ts';

/** Receives a dump. */
export interface DumpTarget {
  /** Copies the first bytes of the earlier dump. Called at most once, before the other bytes. */
  keep(length: number): Promise<void>;
  append(bytes: Uint8Array): Promise<void>;
}

interface PieceForm {
  readonly isCompressed: boolean;
  /** Minimum bytes of text in a piece, except for the last one. */
  readonly pieceSize: number;
}

/** Bytes of text that are written before they are added to a piece. */
const PART_SIZE = 2 ** 16;

/** Gathers lines to pieces. One piece is compressed and written while the next one is gathered. */
export class PieceWriter {
  /** Writes the present line. */
  readonly line: JsonWriter;
  readonly #target: DumpTarget;
  readonly #form: PieceForm;
  readonly #slice: TimeSlice;
  #parts: Uint8Array[] = [];
  /** The bytes of the parts. */
  #length = 0;
  /** The length of the written bytes. */
  #size = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(target: DumpTarget, form: PieceForm, slice: TimeSlice) {
    this.#target = target;
    this.#form = form;
    this.#slice = slice;
    this.line = new JsonWriter(PART_SIZE, (part) => {
      this.#parts.push(part);
      this.#length += part.length;
    });
  }

  /** Starts with the first bytes of the earlier dump. Call it before the first line. */
  async keep(length: number): Promise<void> {
    this.#size = length;
    await this.#target.keep(length);
  }

  /**
   * Ends a line. Calls `onEnd` when the line ends a piece, as soon as this piece is written, with the length of
   * the bytes.
   */
  async endLine(onEnd: (size: number) => void): Promise<void> {
    this.line.text('\n');
    if (this.#length + this.line.length < this.#form.pieceSize) return;
    this.line.flush();
    await this.#endPiece(onEnd);
  }

  /** Writes the last piece. Resolves to the length of the bytes. */
  async finish(): Promise<number> {
    this.line.flush();
    if (this.#length > 0) await this.#endPiece(() => undefined);
    await this.#writing;
    return this.#size;
  }

  async #endPiece(onEnd: (size: number) => void): Promise<void> {
    const text = await runTask(joinInSteps(this.#parts), this.#slice);
    this.#parts = [];
    this.#length = 0;
    await this.#writing;
    this.#writing = this.#write(text, onEnd);
    // The next piece reports the error.
    this.#writing.catch(() => undefined);
  }

  async #write(text: Uint8Array, onEnd: (size: number) => void): Promise<void> {
    const bytes = this.#form.isCompressed ? await compressPiece(text) : text;
    await this.#target.append(bytes);
    this.#size += bytes.length;
    onEnd(this.#size);
  }
}
