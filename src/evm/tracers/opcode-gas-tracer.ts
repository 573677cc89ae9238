// How often each opcode ran, and for how much gas.

import type { ExecutionStep, FrameEnd, FrameStart } from '../observer.ts';
import { opcodeName } from '../observer.ts';
import type { Tracer } from './tracer.ts';

/** An opcode with its share of an execution. */
export interface OpcodeGas {
  readonly opcode: string;
  readonly count: number;
  readonly gasUsed: number;
}

/** A step whose cost is known when the next one of its frame begins. */
interface OpenStep {
  readonly opcode: number;
  readonly gas: bigint;
  readonly gasCost: bigint;
}

interface OpenFrame {
  readonly isPrecompile: boolean;
  last: OpenStep | null;
  /** Gas that the frames which the last step began used for themselves. */
  inside: bigint;
}

/**
 * Counts opcodes and their gas (reth's trace_transactionOpcodeGas), those with the most gas first. Each gas of the frames is
 * counted once: a call or creation has what it cost itself, without what the code inside it used, but with what a
 * precompile did. An opcode that violates a rule has the gas that is lost with its frame.
 */
export class OpcodeGasTracer implements Tracer<readonly OpcodeGas[]> {
  readonly #frames: OpenFrame[] = [];
  readonly #counts = new Array<number>(256).fill(0);
  readonly #gas = new Array<bigint>(256).fill(0n);

  frameStart({ isPrecompile }: FrameStart): void {
    this.#frames.push({ isPrecompile, last: null, inside: 0n });
  }

  step({ opcode, gas, gasCost }: ExecutionStep): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return;
    if (frame.last !== null) this.#spend(frame.last.opcode, frame.last.gas - gas - frame.inside);
    this.#counts[opcode] = (this.#counts[opcode] ?? 0) + 1;
    frame.last = { opcode, gas, gasCost };
    frame.inside = 0n;
  }

  fault(): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined || frame.last === null) return;
    this.#spend(frame.last.opcode, frame.last.gas);
    frame.last = null;
  }

  frameEnd({ gasUsed }: FrameEnd): void {
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    if (frame.last !== null) this.#spend(frame.last.opcode, frame.last.gasCost);
    const around = this.#frames.at(-1);
    if (around !== undefined && !frame.isPrecompile) around.inside += gasUsed;
  }

  #spend(opcode: number, gas: bigint): void {
    this.#gas[opcode] = (this.#gas[opcode] ?? 0n) + gas;
  }

  result(): readonly OpcodeGas[] {
    const counted: OpcodeGas[] = [];
    for (const [opcode, count] of this.#counts.entries()) {
      if (count === 0) continue;
      counted.push({ opcode: opcodeName(opcode), count, gasUsed: Number(this.#gas[opcode] ?? 0n) });
    }
    return counted.sort((left, right) => right.gasUsed - left.gasUsed);
  }
}
