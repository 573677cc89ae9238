/** The number of runs of each opcode of each code, summed over all executions that are counted. */

import { hexKey } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { OPCODES, operandLength } from '../protocol/hardforks/opcodes.ts';

/** Code that creates a contract, with its arguments, or the code of an account. */
export type CountedSide = 'creation' | 'deployed';

/** Opcodes that follow each other, and how often they ran more; less where it is negative. */
export interface CountedRange {
  /** The program counters of the first opcode, and behind the last. Both are equal for a JUMPI that went on with what follows. */
  readonly start: number;
  readonly end: number;
  readonly times: number;
}

/** The ranges of one code that one message ran. */
export interface CountedRun {
  readonly side: CountedSide;
  /** 32 bytes; `null` where it is not known yet. */
  readonly hash: Uint8Array | null;
  /** `null` for a code that {@link ExecutionCounts.has}. */
  readonly code: Uint8Array | null;
  readonly ranges: readonly CountedRange[];
}

/** Ranges are kept under `start * RANGE + end`. No code is longer than that. */
const RANGE = 2 ** 26;

/** The number of runs of each opcode of a code. */
export class OpcodeCounts {
  readonly #runs: Float64Array;
  readonly #falls: ReadonlyMap<number, number>;
  readonly #code: Uint8Array;

  constructor(code: Uint8Array, runs: Float64Array, falls: ReadonlyMap<number, number>) {
    this.#code = code;
    this.#runs = runs;
    this.#falls = falls;
  }

  /** Returns how often the opcode at the program counter ran, whatever came of it; 0 within operands. */
  at(pc: number): number {
    return this.#runs[pc] ?? 0;
  }

  /** Returns how often the JUMPI at the program counter did not jump, but went on with what follows. */
  fallsOf(jumpi: number): number {
    const next = jumpi + 1;
    return this.#code[next] === OPCODES.JUMPDEST ? (this.#falls.get(next) ?? 0) : this.at(next);
  }
}

/** A code, and how often each part of it ran. */
export class CodeCounts {
  readonly side: CountedSide;
  readonly code: Uint8Array;
  /** 32 bytes. */
  readonly hash: Uint8Array;
  readonly #ranges = new Map<number, number>();

  constructor(side: CountedSide, code: Uint8Array, hash: Uint8Array) {
    this.side = side;
    this.code = code;
    this.hash = hash;
  }

  /** Counts the ranges too. */
  add(ranges: Iterable<CountedRange>): void {
    for (const { start, end, times } of ranges) {
      const key = start * RANGE + end;
      this.#ranges.set(key, (this.#ranges.get(key) ?? 0) + times);
    }
  }

  /** Returns what was counted, in parts. */
  *ranges(): Generator<CountedRange> {
    for (const [key, times] of this.#ranges) {
      yield { start: Math.floor(key / RANGE), end: key % RANGE, times };
    }
  }

  /** Returns how often each opcode ran. */
  opcodes(): OpcodeCounts {
    const { length } = this.code;
    const changes = new Float64Array(length + 1);
    const falls = new Map<number, number>();
    for (const { start, end, times } of this.ranges()) {
      if (start === end) falls.set(start, (falls.get(start) ?? 0) + times);
      changes[start] = (changes[start] ?? 0) + times;
      const last = Math.min(end, length);
      changes[last] = (changes[last] ?? 0) - times;
    }
    const runs = new Float64Array(length);
    let times = 0;
    let operandsEnd = 0;
    for (let pc = 0; pc < length; pc++) {
      times += changes[pc] ?? 0;
      if (pc < operandsEnd) continue;
      runs[pc] = times;
      operandsEnd = pc + 1 + operandLength(this.code, pc);
    }
    return new OpcodeCounts(this.code, runs, falls);
  }
}

/** The counts of all codes. Chains and their lanes share them, so that nothing that ends a chain loses any. */
export class ExecutionCounts {
  readonly #codes = new Map<string, CodeCounts>();
  readonly #onGrowth: () => void;
  #bytes = 0;

  /** `onGrowth` is called when another code was counted for the first time. */
  constructor(onGrowth: () => void = () => undefined) {
    this.#onGrowth = onGrowth;
  }

  /** The bytes of all codes together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The codes that ran, in the order in which they ran first. */
  get codes(): Iterable<CodeCounts> {
    return this.#codes.values();
  }

  /** Returns true when a code of that hash has been counted. */
  has(side: CountedSide, hash: Uint8Array): boolean {
    return this.#codes.has(keyOf(side, hash));
  }

  /** Adds what a message ran of a code. */
  add({ side, hash: known, code, ranges }: CountedRun): void {
    const hash = known ?? keccak256(code ?? new Uint8Array());
    const key = keyOf(side, hash);
    let counts = this.#codes.get(key);
    if (counts === undefined) {
      if (code === null) return;
      counts = new CodeCounts(side, code, hash);
      this.#codes.set(key, counts);
      this.#bytes += code.length;
      this.#onGrowth();
    }
    counts.add(ranges);
  }

  /** Forgets a code. */
  remove({ side, hash, code }: CodeCounts): void {
    if (this.#codes.delete(keyOf(side, hash))) this.#bytes -= code.length;
  }
}

function keyOf(side: CountedSide, hash: Uint8Array): string {
  return (side === 'creation' ? 'c' : 'd') + hexKey(hash);
}
