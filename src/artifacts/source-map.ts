/**
 * The place of the source that each instruction of a code comes from (Solidity documentation, Source Mappings). The maps of Vyper from 0.4
 * on are brought into the form of those of solc, which Vyper had before.
 */

import type { CodeTemplate } from './artifact.ts';
import { objectOf, textOf } from './formats/contract-json.ts';

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

  /** The indexes of the files that instructions come from. */
  get files(): ReadonlySet<number> {
    return new Set(this.#files.filter((file) => file >= 0));
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

const JUMP = 0x56;
const JUMPDEST = 0x5b;
/** STOP, RETURN, REVERT, INVALID and SELFDESTRUCT: what follows is not run after them. */
const ENDS: ReadonlySet<number> = new Set([0x00, 0xf3, 0xfd, 0xfe, 0xff]);

/** The longest line, in units of UTF-16, whose characters are counted one by one. */
const LONGEST_LINE = 10_000;

const NO_PLACE = '-1:-1:-1:-';

/**
 * Returns the compressed source map of a code of Vyper in the form of solc: one entry `start:length:file:jump` for each
 * instruction, in bytes of UTF-8. `map` is the object `sourceMap` of the output, `object` the code in hexadecimal, `texts`
 * are the sources by their ids. Vyper gives the places of few instructions; one without a place has that of the one before,
 * as far as that always runs before it. Returns `null` for what is no such map.
 */
export function vyperSourceMap(
  map: unknown,
  object: string,
  texts: ReadonlyMap<number, string>,
): string | null {
  const { pc_pos_map: positions, pc_ast_map: nodes, pc_jump_map: jumps } = objectOf(map);
  if (typeof positions !== 'object' || positions === null) return textOf(objectOf(map).pc_pos_map_compressed);
  const places = new Map(Object.entries(objectOf(positions)));
  const files = new Map(Object.entries(objectOf(nodes)));
  const kinds = new Map(Object.entries(objectOf(jumps)));
  const lines = new Map(Array.from(texts, ([id, text]) => [id, new LineTable(text)] as const));
  const code = Buffer.from(object.startsWith('0x') ? object.slice(2) : object, 'hex');
  const entries: string[] = [];
  let before = NO_PLACE;
  for (let pc = 0; pc < code.length; pc++) {
    const opcode = code[pc] ?? 0;
    if (opcode === JUMPDEST) before = NO_PLACE;
    const key = String(pc);
    const file = fileOf(files.get(key));
    const place = typeof file === 'number' ? lines.get(file)?.rangeOf(places.get(key)) : undefined;
    const kind = kinds.get(key);
    if (place !== undefined && place !== null) {
      before = `${place.start}:${place.length}:${String(file)}:-`;
    }
    entries.push(kind === 'i' || kind === 'o' ? before.slice(0, -1) + kind : before);
    if (opcode === JUMP || ENDS.has(opcode)) before = NO_PLACE;
    if (opcode >= PUSH1 && opcode <= PUSH32) pc += opcode - PUSH1 + 1;
  }
  return entries.join(';');
}

/** Returns the ids of the files that `sourceMap` of the output of Vyper has places in. */
export function filesOfVyperMap(map: unknown): ReadonlySet<unknown> {
  return new Set([0, ...Object.values(objectOf(objectOf(map).pc_ast_map)).map(fileOf)]);
}

/** Returns the id of the file of a node, which is written as `[file, node]`. */
function fileOf(node: unknown): unknown {
  return Array.isArray(node) ? node[0] : 0;
}

/** The beginnings of the lines of a text, in bytes. */
export class LineTable {
  readonly #lines: readonly string[];
  readonly #starts: readonly number[];

  constructor(text: string) {
    this.#lines = text.split('\n');
    let start = 0;
    this.#starts = this.#lines.map((line) => {
      const at = start;
      start += Buffer.byteLength(line) + 1;
      return at;
    });
  }

  /** Returns the range of `[line, column, end line, end column]` (lines from 1, columns from 0, in characters); `null` for none. */
  rangeOf(position: unknown): { readonly start: number; readonly length: number } | null {
    if (!Array.isArray(position)) return null;
    const start = this.#offset(position[0], position[1]);
    const end = this.#offset(position[2], position[3]);
    return start === null || end === null || end < start ? null : { start, length: end - start };
  }

  #offset(line: unknown, column: unknown): number | null {
    if (typeof line !== 'number' || typeof column !== 'number') return null;
    const start = this.#starts[line - 1];
    const text = this.#lines[line - 1];
    if (start === undefined || text === undefined || column < 0) return null;
    if (Buffer.byteLength(text) === text.length) return start + Math.min(column, text.length);
    if (text.length > LONGEST_LINE) return null;
    // Python counts characters, which are one or two units of JavaScript's strings.
    return start + Buffer.byteLength(Array.from(text).slice(0, column).join(''));
  }
}
