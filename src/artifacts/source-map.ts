/** The place of the source that each instruction of a code comes from (Solidity documentation, Source Mappings). */

import type { CodeTemplate } from './artifact.ts';

/** A range of a file. */
export interface SourceRange {
  /** The index of the file among the sources of its compilation; -1 for code that stands in no file. */
  readonly file: number;
  /** Bytes of UTF-8 before the range. */
  readonly start: number;
  /** Bytes. */
  readonly length: number;
}

/** The effect of a jump: it goes into a function, returns from one, or neither. */
export type JumpKind = 'into' | 'out' | 'other';

const PUSH1 = 0x60;
const PUSH32 = 0x7f;

/** The ranges of the instructions of a code, by program counter. */
export class SourceMap {
  /** By instruction. */
  readonly #files: Int32Array;
  readonly #starts: Int32Array;
  readonly #lengths: Int32Array;
  readonly #jumps: Uint8Array;
  /** The instruction at each program counter; -1 within operands and behind the code. */
  readonly #instructions: Int32Array;

  private constructor(
    files: Int32Array,
    starts: Int32Array,
    lengths: Int32Array,
    jumps: Uint8Array,
    instructions: Int32Array,
  ) {
    this.#files = files;
    this.#starts = starts;
    this.#lengths = lengths;
    this.#jumps = jumps;
    this.#instructions = instructions;
  }

  /** Reads the source map of a code; `null` when it has none. Instructions behind the end of the map have no place. */
  static of({ bytes, sourceMap }: CodeTemplate): SourceMap | null {
    if (sourceMap === null || sourceMap === '') return null;
    // There are at most as many instructions as bytes.
    const entries = sourceMap.split(';', bytes.length);
    const files = new Int32Array(entries.length);
    const starts = new Int32Array(entries.length);
    const lengths = new Int32Array(entries.length);
    const jumps = new Uint8Array(entries.length);
    let [start, length, file, jump] = [0, 0, -1, 0];
    for (const [index, entry] of entries.entries()) {
      // A field that is empty or missing is that of the entry before.
      const [startText, lengthText, fileText, jumpText] = entry.split(':');
      if (startText) start = numberOf(startText);
      if (lengthText) length = numberOf(lengthText);
      if (fileText) file = numberOf(fileText);
      if (jumpText) jump = jumpText === 'i' ? 1 : jumpText === 'o' ? 2 : 0;
      files[index] = file;
      starts[index] = start;
      lengths[index] = length;
      jumps[index] = jump;
    }
    return new SourceMap(files, starts, lengths, jumps, instructionsOf(bytes, entries.length));
  }

  /** Returns the range of the instruction at the program counter; `null` where there is none, or where it stands in no file. */
  rangeAt(pc: number): SourceRange | null {
    const index = this.#instructions[pc] ?? -1;
    if (index < 0) return null;
    const file = this.#files[index] ?? -1;
    const start = this.#starts[index] ?? -1;
    const length = this.#lengths[index] ?? -1;
    return file < 0 || start < 0 || length < 0 ? null : { file, start, length };
  }

  /** Returns what the jump at the program counter does. */
  jumpAt(pc: number): JumpKind {
    const jump = this.#jumps[this.#instructions[pc] ?? -1];
    return jump === 1 ? 'into' : jump === 2 ? 'out' : 'other';
  }
}

const DIGITS = /^\d{1,10}$/;
const LARGEST = 2 ** 31 - 1;

/** Returns the number of a field; -1, which means no place, for anything that is none. */
function numberOf(text: string): number {
  const number = DIGITS.test(text) ? Number(text) : -1;
  return number > LARGEST ? -1 : number;
}

/** Returns the instruction at each program counter, as far as the map has entries. */
function instructionsOf(code: Uint8Array, count: number): Int32Array {
  const instructions = new Int32Array(code.length).fill(-1);
  let instruction = 0;
  for (let pc = 0; pc < code.length && instruction < count; pc++) {
    instructions[pc] = instruction++;
    const opcode = code[pc] ?? 0;
    if (opcode >= PUSH1 && opcode <= PUSH32) pc += opcode - PUSH1 + 1;
  }
  return instructions;
}
