// Execution count and gas of each opcode.

import { ready, type Steps } from '../../primitives/steps.ts';
import type { ExecutionStep, FrameEnd, FrameStart } from '../observer.ts';
import { opcodeName } from '../observer.ts';
import type { Tracer } from './tracer.ts';

export interface OpcodeGas {
  readonly opcode: string;
  readonly count: number;
  readonly gasUsed: number;
}

/** A step. Its cost is known at the next step of its frame. */
interface OpenStep {
  readonly opcode: number;
  readonly gas: bigint;
  readonly gasCost: bigint;
}

interface OpenFrame {
  readonly isPrecompile: boolean;
  last: OpenStep | null;
  /** Gas used by the nested frames that the last step started. */
  inside: bigint;
}

/**
 * Counts opcodes and their gas (reth's trace_transactionOpcodeGas), sorted by gas in descending order. All
 * gas is counted once. A call or creation excludes the gas used by the code inside it but includes the gas of
 * a precompile. An opcode that violates a rule includes all gas lost with its frame.
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

  result(): Steps<readonly OpcodeGas[]> {
    const counted: OpcodeGas[] = [];
    for (const [opcode, count] of this.#counts.entries()) {
      if (count === 0) continue;
      counted.push({ opcode: opcodeName(opcode), count, gasUsed: Number(this.#gas[opcode] ?? 0n) });
    }
    return ready(counted.sort((left, right) => right.gasUsed - left.gasUsed));
  }
}
