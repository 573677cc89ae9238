/** The source maps of Vyper from 0.4 on, in the form of those of solc, which Vyper had before. */

import { objectOf, textOf } from './contract-json.ts';

const PUSH1 = 0x60;
const PUSH32 = 0x7f;
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
 * are the sources by their ids. Vyper tells the places of few instructions; one without a place has that of the one before,
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
