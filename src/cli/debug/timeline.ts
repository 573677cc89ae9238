/** The statements of an execution, and the steps between them. A step is an opcode of `inspect_steps`. */

import type { Outline } from './outline.ts';

/** Properties of a statement, in bits. */
const STOP = 1;
const CONTINUES = 2;
const ENTERS = 4;

/** Consecutive steps on one line of one function call. */
export interface Statement {
  readonly index: number;
  /** The index of its first step. */
  readonly first: number;
  /** The index of the external frame. */
  readonly frame: number;
  /** The index of the file; -1 without source. */
  readonly file: number;
  /** From 1; 0 without source. */
  readonly line: number;
  /** The number of functions around it, external and internal. */
  readonly level: number;
}

/** A function call that has not ended. */
interface Activation {
  readonly id: number;
  readonly level: number;
  readonly frame: number;
  /** The place of its latest statement; -1 before the first one. */
  place: number;
  hasSource: boolean;
}

interface OpenFrame {
  readonly frame: number;
  /** The level of its outermost function. */
  readonly base: number;
  /** The level of its latest statement. */
  level: number;
}

/** More lines than a file has, to number the places of all files. */
const MAX_LINES = 2 ** 24;

/**
 * The statements of an execution in typed arrays, because an execution can have 200,000 of them.
 *
 * A debugger stops at statements of functions. It does not stop at the code that the compiler adds: statements
 * without a place, and statements at the definition of a function. A statement after an inner call
 * continues the line of the call. A step over the line skips it, and a breakpoint does not stop there again.
 */
export class Timeline {
  /** The number of steps. */
  readonly count: number;
  readonly #first: Int32Array;
  readonly #frame: Int32Array;
  readonly #file: Int32Array;
  readonly #line: Int32Array;
  readonly #level: Int32Array;
  readonly #activation: Int32Array;
  readonly #flags: Uint8Array;

  constructor({ count, statements, depths, definitions, frames }: Outline) {
    this.count = count;
    const size = statements.length;
    this.#first = new Int32Array(size);
    this.#frame = new Int32Array(size);
    this.#file = new Int32Array(size);
    this.#line = new Int32Array(size);
    this.#level = new Int32Array(size);
    this.#activation = new Int32Array(size);
    this.#flags = new Uint8Array(size);
    const isDefinition = new Uint8Array(size);
    for (const index of definitions) isDefinition[index] = 1;
    const openFrames: OpenFrame[] = [];
    const activations: Activation[] = [];
    let ids = 0;
    let lastStop = { activation: -1, place: -1 };
    for (const [index, [first, frame, file, line]] of statements.entries()) {
      const level = levelOf(frame, depths[index] ?? 0, openFrames, frames);
      while ((activations.at(-1)?.level ?? -1) > level) activations.pop();
      const top = activations.at(-1);
      if (top?.level === level && top.frame !== frame) activations.pop();
      let activation = activations.at(-1);
      if (activation === undefined || activation.level < level) {
        activation = { id: ids++, level, frame, place: -1, hasSource: false };
        activations.push(activation);
      }
      this.#first[index] = first;
      this.#frame[index] = frame;
      this.#file[index] = file;
      this.#line[index] = line;
      this.#level[index] = level;
      this.#activation[index] = activation.id;
      if (file < 0) continue;
      let flags = activation.hasSource ? 0 : ENTERS;
      activation.hasSource = true;
      if (isDefinition[index] === 0) {
        const place = file * MAX_LINES + line;
        if (activation.place === place) flags |= CONTINUES;
        activation.place = place;
        if (lastStop.activation !== activation.id || lastStop.place !== place) {
          flags |= STOP;
          lastStop = { activation: activation.id, place };
        }
      }
      this.#flags[index] = flags;
    }
  }

  get statementCount(): number {
    return this.#first.length;
  }

  statement(index: number): Statement | null {
    const first = this.#first[index];
    if (first === undefined) return null;
    return {
      index,
      first,
      frame: this.#frame[index] ?? 0,
      file: this.#file[index] ?? -1,
      line: this.#line[index] ?? 0,
      level: this.#level[index] ?? 0,
    };
  }

  /** Returns the statement of a step; `null` before the first one. */
  statementAt(step: number): Statement | null {
    return this.statement(this.#indexAt(step));
  }

  /** The first stop; `null` without sources. */
  get firstStop(): number | null {
    return this.nextStop(-1);
  }

  /** Step into: the first step of the next stop; `null` after the last one. */
  nextStop(step: number): number | null {
    return this.#next(this.#indexAt(step) + 1, (index) => this.#has(index, STOP));
  }

  /** Step back: the first step of the stop before a step; `null` at the first one. */
  previousStop(step: number): number | null {
    for (let index = this.#indexAt(step - 1); index >= 0; index--)
      if (this.#has(index, STOP)) return this.#first[index] ?? null;
    return null;
  }

  /** Step over: the next stop of the same function or, after its end, of a function around it. */
  stepOver(step: number): number | null {
    const from = this.#indexAt(step);
    const level = this.#level[from] ?? 0;
    const activation = this.#activation[from];
    return this.#next(from + 1, (index) => {
      const at = this.#level[index] ?? 0;
      if (at > level || !this.#has(index, STOP)) return false;
      return at < level || this.#activation[index] !== activation || !this.#has(index, CONTINUES);
    });
  }

  /** Step out: the next stop of a function around the current one. */
  stepOut(step: number): number | null {
    const from = this.#indexAt(step);
    const level = this.#level[from] ?? 0;
    return this.#next(from + 1, (index) => (this.#level[index] ?? 0) < level && this.#has(index, STOP));
  }

  /** Step over by instruction: the next step that is not in an inner function; `null` at the end. */
  instructionOver(step: number): number | null {
    const next = step + 1;
    if (next >= this.count) return null;
    const level = this.#level[this.#indexAt(step)] ?? 0;
    const at = this.#indexAt(next);
    if ((this.#level[at] ?? 0) <= level) return next;
    return this.#next(at + 1, (index) => (this.#level[index] ?? 0) <= level);
  }

  /** Step out by instruction: the next step of a function around the current one. */
  instructionOut(step: number): number | null {
    const from = this.#indexAt(step);
    const level = this.#level[from] ?? 0;
    return this.#next(from + 1, (index) => (this.#level[index] ?? 0) < level);
  }

  /** True if a line starts at the statement: if it does not continue the line, or leave its function. */
  startsLine(index: number): boolean {
    if ((this.#file[index] ?? -1) < 0 || this.#has(index, CONTINUES)) return false;
    return this.#has(index, STOP) || this.#has(index, ENTERS);
  }

  /** True at the first statement of a function call. */
  entersFunction(index: number): boolean {
    return this.#has(index, ENTERS);
  }

  /** A number for the file and the line of a statement; negative without source. */
  placeAt(index: number): number {
    return this.placeOf(this.#file[index] ?? -1, this.#line[index] ?? 0);
  }

  placeOf(file: number, line: number): number {
    return file * MAX_LINES + line;
  }

  /** The index of the first statement after a step. */
  indexAfter(step: number): number {
    return this.#indexAt(step) + 1;
  }

  #has(index: number, flag: number): boolean {
    return ((this.#flags[index] ?? 0) & flag) !== 0;
  }

  #next(from: number, fits: (index: number) => boolean): number | null {
    for (let index = from; index < this.#first.length; index++)
      if (fits(index)) return this.#first[index] ?? null;
    return null;
  }

  /** Returns the index of the last statement that starts at or before a step; -1 for none. */
  #indexAt(step: number): number {
    let low = 0;
    let high = this.#first.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#first[middle] ?? 0) <= step) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** Returns the level of a statement, and updates the open frames. */
function levelOf(frame: number, depth: number, open: OpenFrame[], frames: Outline['frames']): number {
  const frameDepth = frames[frame]?.depth ?? 0;
  for (let top = open.at(-1); top !== undefined && top.frame !== frame; top = open.at(-1)) {
    if ((frames[top.frame]?.depth ?? 0) < frameDepth) break;
    open.pop();
  }
  let current = open.at(-1);
  if (current?.frame !== frame) {
    current = { frame, base: current === undefined ? 0 : current.level + 1, level: 0 };
    open.push(current);
  }
  current.level = current.base + depth;
  return current.level;
}
