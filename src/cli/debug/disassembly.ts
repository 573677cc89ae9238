/**
 * The executed instructions as a disassembly. The address of an instruction is the number of its step.
 * Therefore, the instructions are in the order of execution, across contracts, each with its gas.
 */

import type { DebugProtocol } from '@vscode/debugprotocol';
import { InvalidArgumentError } from './debug-error.ts';
import type { Execution } from './execution.ts';
import type { Step } from './outline.ts';

/** Maximum instructions per request. */
const MAX_INSTRUCTIONS = 2_000;

export function instructionAddress(step: number): string {
  return `0x${step.toString(16)}`;
}

/** Returns the step of an address. Throws {@link InvalidArgumentError}. */
export function stepOfAddress(reference: unknown): number {
  const step =
    typeof reference === 'string' && /^0x[0-9a-f]{1,8}$/i.test(reference) ? Number(reference) : null;
  if (step === null)
    throw new InvalidArgumentError('memoryReference', 'the address of an instruction', reference);
  return step;
}

export interface DisassembleRange {
  /** The step of the reference. */
  readonly step: number;
  /** Instructions from the reference to the first one; may be negative. */
  readonly offset: number;
  readonly count: number;
}

/** Resolves to exactly `count` instructions. Instructions outside of the execution are invalid. */
export async function disassembled(
  execution: Execution,
  { step, offset, count }: DisassembleRange,
): Promise<DebugProtocol.DisassembledInstruction[]> {
  const wanted = Math.min(Math.max(0, count), MAX_INSTRUCTIONS);
  const first = step + offset;
  // One more step, because the value of a PUSH is on the stack of the next step.
  const steps = new Map((await execution.steps(first, wanted + 1)).map((each) => [each.index, each]));
  return Array.from({ length: wanted }, (_, at) => {
    const found = steps.get(first + at);
    if (found === undefined) return outside(first + at);
    const { frames } = execution.outline;
    const contract = frames[found.frame]?.contract ?? frames[found.frame]?.address ?? '';
    return {
      address: instructionAddress(found.index),
      instruction: `${instructionText(found, steps.get(first + at + 1))}  ; gas ${found.gas}, cost ${found.gasCost}`,
      symbol: `${contract} pc ${found.pc}`,
    };
  });
}

function instructionText({ op, frame }: Step, next: Step | undefined): string {
  const pushed = /^PUSH\d+$/.test(op) && next?.frame === frame ? next.stack.at(-1) : undefined;
  return pushed === undefined ? op : `${op} ${pushed}`;
}

function outside(step: number): DebugProtocol.DisassembledInstruction {
  const address = step < 0 ? `-0x${(-step).toString(16)}` : instructionAddress(step);
  return { address, instruction: '(outside of the execution)', presentationHint: 'invalid' };
}
