import { HALT_REASONS } from '../../../src/evm/halt-reasons.ts';
import type { ExecutionObserver, ExecutionStep, FrameEnd, FrameStart } from '../../../src/evm/observer.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import type { Log } from '../../../src/protocol/receipt.ts';

const MAX_LINES = 3_000;
const STACK_SHOWN = 4;

/** Records the events of an execution, and all values that an observer can read during each event. */
export class TranscribingObserver implements ExecutionObserver {
  /** Limited to a few thousand, because long loops add no information. */
  readonly lines: string[] = [];

  note(line: string): void {
    if (this.lines.length < MAX_LINES) this.lines.push(line);
  }

  frameStart({ kind, depth, from, to, input, gas, value, isPrecompile }: FrameStart): void {
    this.note(
      `start ${kind} ${depth} ${toHex(from)} ${toHex(to)} ${toHex(input)} gas ${gas} value ${value} ${isPrecompile}`,
    );
  }

  frameEnd({ outcome, haltReason, output, gasUsed }: FrameEnd): void {
    // The rules define no order if a precompile lacks both gas and valid input.
    const reason = haltReason === HALT_REASONS.precompileFailed ? HALT_REASONS.outOfGas : haltReason;
    this.note(`end ${outcome} ${reason} ${toHex(output)} gas ${gasUsed}`);
  }

  step(step: ExecutionStep): void {
    if (this.lines.length >= MAX_LINES) return;
    const stack = step.stack();
    const slot = new Uint8Array(32);
    this.note(
      [
        `step ${step.pc} 0x${step.opcode.toString(16)} gas ${step.gas} cost ${step.gasCost} depth ${step.depth}`,
        `refund ${step.refund} of ${toHex(step.address)} stack ${stack.length}:${stack.slice(-STACK_SHOWN).join()}`,
        `top ${step.stackItem(0)} memory ${toHex(step.memory())} slot0 ${toHex(step.storageAt(slot))}`,
        `returned ${toHex(step.returnData())}`,
      ].join(' '),
    );
  }

  fault(reason: string): void {
    this.note(`fault ${reason}`);
  }

  log({ address, topics, data }: Log): void {
    this.note(`log ${toHex(address)} ${topics.map(toHex).join()} ${toHex(data)}`);
  }
}
