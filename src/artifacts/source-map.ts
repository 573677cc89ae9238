/**
 * Maps the instructions of a code to source ranges (Solidity documentation, Source Mappings). Maps of Vyper
 * 0.4 and later are converted to solc's format; older Vyper versions use that format themselves.
 */

import { namesOf } from '../json/json-writer.ts';
import { ITEMS_PER_STEP, type Steps } from '../primitives/steps.ts';
import type { CodeTemplate } from './artifact.ts';
import { objectOf, textOf } from './formats/contract-json.ts';

export interface SourceRange {
  /** The index of the file among the sources of its compilation; -1 if the code belongs to no file. */
  readonly file: number;
  /** UTF-8 bytes before the range. */
  readonly start: number;
  /** In bytes. */
  readonly length: number;
}

/** The kind of a jump: into a function, out of one, or other. */
export type JumpKind = 'into' | 'out' | 'other';

const PUSH1 = 0x60;
const PUSH32 = 0x7f;
/** The number of fields to read of an entry. */
const FIELDS = 4;
/** Units of work per map entry (besides its characters) and per source line. */
const ENTRY_WORK = 32;
const LINE_WORK = 16;
/** Maximum bytes of Vyper code with a converted map. Its entries take hundreds of times the size. */
const MAX_VYPER_CODE_LENGTH = 2 ** 20;

/** The source ranges of a code's instructions, by program counter. */
export class SourceMap {
  /** By instruction. */
  readonly #files: Int32Array;
  readonly #starts: Int32Array;
  readonly #lengths: Int32Array;
  readonly #jumps: Uint8Array;
  /** The instruction at each program counter; -1 within operands and after the map's last entry. */
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

  /**
   * Reads the source map of a code; `null` if it has none. Instructions after the last entry have no range.
   * Yields between time slices.
   */
  static *read({ bytes, sourceMap: text }: CodeTemplate): Steps<SourceMap | null> {
    if (text === null || text === '') return null;
    const count = yield* entriesOf(text, bytes.length);
    const files = new Int32Array(count);
    const starts = new Int32Array(count);
    const lengths = new Int32Array(count);
    const jumps = new Uint8Array(count);
    let [start, length, file, jump] = [0, 0, -1, 0];
    let at = 0;
    for (let index = 0; index < count; index++) {
      const separator = text.indexOf(';', at);
      const end = separator < 0 ? text.length : separator;
      // An empty or missing field repeats the previous entry.
      const [startText, lengthText, fileText, jumpText] = text.slice(at, end).split(':', FIELDS);
      if (startText) start = numberOf(startText);
      if (lengthText) length = numberOf(lengthText);
      if (fileText) file = numberOf(fileText);
      if (jumpText) jump = jumpText === 'i' ? 1 : jumpText === 'o' ? 2 : 0;
      files[index] = file;
      starts[index] = start;
      lengths[index] = length;
      jumps[index] = jump;
      yield ENTRY_WORK + end - at;
      at = end + 1;
    }
    const instructions = yield* instructionsOf(bytes, count);
    return new SourceMap(files, starts, lengths, jumps, instructions);
  }

  /** The indexes of the files in the map. */
  get files(): ReadonlySet<number> {
    return new Set(this.#files.filter((file) => file >= 0));
  }

  /** Returns the range of the instruction at a program counter; `null` without an instruction or a file. */
  rangeAt(pc: number): SourceRange | null {
    const index = this.#instructions[pc] ?? -1;
    if (index < 0) return null;
    const file = this.#files[index] ?? -1;
    const start = this.#starts[index] ?? -1;
    const length = this.#lengths[index] ?? -1;
    return file < 0 || start < 0 || length < 0 ? null : { file, start, length };
  }

  /** Returns the kind of the jump at a program counter. */
  jumpAt(pc: number): JumpKind {
    const jump = this.#jumps[this.#instructions[pc] ?? -1];
    return jump === 1 ? 'into' : jump === 2 ? 'out' : 'other';
  }
}

const DIGITS = /^\d{1,10}$/;
const LARGEST = 2 ** 31 - 1;

/** Returns the number in a field; -1 (no place) if it is invalid. */
function numberOf(text: string): number {
  const number = DIGITS.test(text) ? Number(text) : -1;
  return number > LARGEST ? -1 : number;
}

/** Returns the number of map entries, at most one per byte of the code. */
function* entriesOf(text: string, most: number): Steps<number> {
  let count = 1;
  for (let at = text.indexOf(';'); at >= 0 && count < most; at = text.indexOf(';', at + 1)) {
    if (++count % ITEMS_PER_STEP === 0) yield ITEMS_PER_STEP;
  }
  return Math.min(count, most);
}

/** Returns the instruction at each program counter, up to the last map entry. */
function* instructionsOf(code: Uint8Array, count: number): Steps<Int32Array> {
  const instructions = new Int32Array(code.length).fill(-1);
  let instruction = 0;
  for (let pc = 0; pc < code.length && instruction < count; pc++) {
    instructions[pc] = instruction++;
    const opcode = code[pc] ?? 0;
    if (opcode >= PUSH1 && opcode <= PUSH32) pc += opcode - PUSH1 + 1;
    if (instruction % ITEMS_PER_STEP === 0) yield ITEMS_PER_STEP;
  }
  return instructions;
}

const JUMP = 0x56;
const JUMPDEST = 0x5b;
/** STOP, RETURN, REVERT, INVALID and SELFDESTRUCT: the next instruction does not run after them. */
const ENDS: ReadonlySet<number> = new Set([0x00, 0xf3, 0xfd, 0xfe, 0xff]);

/** Maximum length of a line with multi-byte characters, in UTF-16 units. */
const MAX_LINE_LENGTH = 10_000;

const NO_PLACE = '-1:-1:-1:-';

/**
 * Converts a Vyper source map to solc's compressed format: one entry `start:length:file:jump` per
 * instruction, in UTF-8 bytes. `map` is the output's `sourceMap` object, `object` the code in hex, `texts`
 * the sources by id. Vyper places few instructions. The others inherit the previous place until control flow
 * may come from elsewhere. Returns `null` for another value, and for code that is too long.
 */
export function* vyperSourceMap(
  map: unknown,
  object: string,
  texts: ReadonlyMap<number, string>,
): Steps<string | null> {
  const { pc_pos_map: positions, pc_ast_map: nodes, pc_jump_map: jumps } = objectOf(map);
  if (typeof positions !== 'object' || positions === null) return textOf(objectOf(map).pc_pos_map_compressed);
  const [places, files, kinds] = [objectOf(positions), objectOf(nodes), objectOf(jumps)];
  const lines = new Map<number, LineTable>();
  for (const [id, text] of texts) lines.set(id, yield* LineTable.read(text));
  const code = Buffer.from(object.startsWith('0x') ? object.slice(2) : object, 'hex');
  if (code.length > MAX_VYPER_CODE_LENGTH) return null;
  const entries: string[] = [];
  let before = NO_PLACE;
  for (let pc = 0; pc < code.length; pc++) {
    const opcode = code[pc] ?? 0;
    if (opcode === JUMPDEST) before = NO_PLACE;
    const key = String(pc);
    const file = fileOf(files[key]);
    const place = typeof file === 'number' ? lines.get(file)?.rangeOf(places[key]) : undefined;
    const kind = kinds[key];
    if (place !== undefined && place !== null) {
      before = `${place.start}:${place.length}:${String(file)}:-`;
    }
    entries.push(kind === 'i' || kind === 'o' ? before.slice(0, -1) + kind : before);
    if (opcode === JUMP || ENDS.has(opcode)) before = NO_PLACE;
    yield ENTRY_WORK;
    if (opcode >= PUSH1 && opcode <= PUSH32) pc += opcode - PUSH1 + 1;
  }
  return entries.join(';');
}

/** Returns the ids of the files in Vyper's `sourceMap`. */
export function filesOfVyperMap(map: unknown): ReadonlySet<unknown> {
  const nodes = objectOf(objectOf(map).pc_ast_map);
  return new Set([0, ...namesOf(nodes).map((pc) => fileOf(nodes[pc]))]);
}

/** Returns the file id of a node `[file, node]`. */
function fileOf(node: unknown): unknown {
  return Array.isArray(node) ? node[0] : 0;
}

/** The start of each line of a text, in bytes. */
export class LineTable {
  readonly #text: string;
  /** The first character and the first byte of each line. The last entry is the end of the text. */
  readonly #characters: readonly number[];
  readonly #bytes: readonly number[];

  private constructor(text: string, characters: readonly number[], bytes: readonly number[]) {
    this.#text = text;
    this.#characters = characters;
    this.#bytes = bytes;
  }

  /** Reads the lines of a text. Yields between time slices. */
  static *read(text: string): Steps<LineTable> {
    const [characters, bytes] = [[0], [0]];
    let [character, byte] = [0, 0];
    while (character <= text.length) {
      const lineBreak = text.indexOf('\n', character);
      const end = lineBreak < 0 ? text.length : lineBreak;
      byte += Buffer.byteLength(text.slice(character, end)) + 1;
      yield LINE_WORK + end - character;
      character = end + 1;
      characters.push(character);
      bytes.push(byte);
    }
    return new LineTable(text, characters, bytes);
  }

  get count(): number {
    return this.#characters.length - 1;
  }

  /**
   * Returns the range of `[line, column, end line, end column]` (lines from 1, columns from 0, in
   * characters); `null` if invalid.
   */
  rangeOf(position: unknown): { readonly start: number; readonly length: number } | null {
    if (!Array.isArray(position)) return null;
    const start = this.#offset(position[0], position[1]);
    const end = this.#offset(position[2], position[3]);
    return start === null || end === null || end < start ? null : { start, length: end - start };
  }

  #offset(line: unknown, column: unknown): number | null {
    if (typeof line !== 'number' || typeof column !== 'number') return null;
    const [start, first, next] = [this.#bytes[line - 1], this.#characters[line - 1], this.#characters[line]];
    if (start === undefined || first === undefined || next === undefined || column < 0) return null;
    const text = this.#text.slice(first, next - 1);
    if (Buffer.byteLength(text) === text.length) return start + Math.min(column, text.length);
    if (text.length > MAX_LINE_LENGTH) return null;
    // Python counts code points; one code point is one or two units of a JavaScript string.
    return start + Buffer.byteLength(Array.from(text).slice(0, column).join(''));
  }
}
