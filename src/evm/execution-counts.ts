/** Execution counts per opcode of each code, summed over all counted executions. */

import { hexKey } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { OPCODES, operandLength } from '../protocol/hardforks/opcodes.ts';

/** Initcode with its constructor arguments, or the code of an account. */
export type CountedSide = 'creation' | 'deployed';

/** A range of consecutive opcodes and the change of their execution count; negative for a decrease. */
export interface CountedRange {
  /** Program counters of the first opcode and after the last; equal for a JUMPI without jump. */
  readonly start: number;
  readonly end: number;
  readonly times: number;
}

/** The ranges of one code that a message executed. */
export interface CountedRun {
  readonly side: CountedSide;
  /** 32 bytes; `null` if not computed yet. */
  readonly hash: Uint8Array | null;
  /** `null` if {@link ExecutionCounts.has} returns true for the code. */
  readonly code: Uint8Array | null;
  readonly ranges: readonly CountedRange[];
}

/** Ranges are stored under the key `start * RANGE + end`. No code is longer than this. */
const RANGE = 2 ** 26;

export class OpcodeCounts {
  readonly #runs: Float64Array;
  readonly #falls: ReadonlyMap<number, number>;
  readonly #code: Uint8Array;

  constructor(code: Uint8Array, runs: Float64Array, falls: ReadonlyMap<number, number>) {
    this.#code = code;
    this.#runs = runs;
    this.#falls = falls;
  }

  /** Returns the execution count of the opcode at `pc`, including failed executions; 0 within push data. */
  at(pc: number): number {
    return this.#runs[pc] ?? 0;
  }

  /** Returns how many times the JUMPI at this program counter did not jump. */
  fallsOf(jumpi: number): number {
    const next = jumpi + 1;
    return this.#code[next] === OPCODES.JUMPDEST ? (this.#falls.get(next) ?? 0) : this.at(next);
  }
}

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

  /** Adds the ranges to the counts. */
  add(ranges: Iterable<CountedRange>): void {
    for (const { start, end, times } of ranges) {
      const key = start * RANGE + end;
      this.#ranges.set(key, (this.#ranges.get(key) ?? 0) + times);
    }
  }

  /** Yields the counted ranges. */
  *ranges(): Generator<CountedRange> {
    for (const [key, times] of this.#ranges) {
      yield { start: Math.floor(key / RANGE), end: key % RANGE, times };
    }
  }

  /** Computes the execution count of each opcode. */
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

/** The counts of all codes. Chains and lanes share one instance, so counts survive the end of a chain. */
export class ExecutionCounts {
  readonly #codes = new Map<string, CodeCounts>();
  readonly #onGrowth: () => void;
  #bytes = 0;

  /** `onGrowth` is called after the first run of each new code. */
  constructor(onGrowth: () => void = () => undefined) {
    this.#onGrowth = onGrowth;
  }

  /** Total size of all codes in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The executed codes, in the order of their first run. */
  get codes(): Iterable<CodeCounts> {
    return this.#codes.values();
  }

  /** Returns true if a code with this hash was counted. */
  has(side: CountedSide, hash: Uint8Array): boolean {
    return this.#codes.has(keyOf(side, hash));
  }

  /** Adds the run of a code. */
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

  remove({ side, hash, code }: CodeCounts): void {
    if (this.#codes.delete(keyOf(side, hash))) this.#bytes -= code.length;
  }
}

function keyOf(side: CountedSide, hash: Uint8Array): string {
  return (side === 'creation' ? 'c' : 'd') + hexKey(hash);
}
