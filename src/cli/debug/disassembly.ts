/**
 * The executed instructions as a disassembly. The low 32 bits of an address are the number of the step, and the
 * high bits are the number of threads before. Therefore, the instructions are in the order of execution, across
 * contracts, each with its gas.
 */

import type { DebugProtocol } from '@vscode/debugprotocol';
import { InvalidArgumentError } from './debug-error.ts';
import type { Execution } from './execution.ts';
import type { Step } from './outline.ts';

/** Maximum instructions per request. */
const MAX_INSTRUCTIONS = 2_000;

/** Addresses per thread. */
const THREAD_SIZE = 2 ** 32;

export function instructionAddress(thread: number, step: number): string {
  return `0x${((thread - 1) * THREAD_SIZE + step).toString(16)}`;
}

/** Returns the thread and the step of an address. Throws {@link InvalidArgumentError}. */
export function placeOfAddress(reference: unknown): { readonly thread: number; readonly step: number } {
  const address =
    typeof reference === 'string' && /^0x[0-9a-f]{1,13}$/i.test(reference) ? Number(reference) : null;
  if (address === null)
    throw new InvalidArgumentError('memoryReference', 'the address of an instruction', reference);
  return { thread: Math.floor(address / THREAD_SIZE) + 1, step: address % THREAD_SIZE };
}

export interface DisassembleRange {
  readonly thread: number;
  /** The step of the reference. */
  readonly step: number;
  /** Instructions from the reference to the first one; may be negative. */
  readonly offset: number;
  readonly count: number;
}

/** Resolves to exactly `count` instructions. Instructions outside of the execution are invalid. */
export async function disassembled(
  execution: Execution,
  { thread, step, offset, count }: DisassembleRange,
): Promise<DebugProtocol.DisassembledInstruction[]> {
  const wanted = Math.min(Math.max(0, count), MAX_INSTRUCTIONS);
  const first = step + offset;
  // One more step, because the value of a PUSH is on the stack of the next step.
  const steps = new Map((await execution.steps(first, wanted + 1)).map((each) => [each.index, each]));
  return Array.from({ length: wanted }, (_, at) => {
    const found = steps.get(first + at);
    if (found === undefined) return outside(thread, first + at);
    const { frames } = execution.outline;
    const contract = frames[found.frame]?.contract ?? frames[found.frame]?.address ?? '';
    return {
      address: instructionAddress(thread, found.index),
      instruction: `${instructionText(found, steps.get(first + at + 1))}  ; gas ${found.gas}, cost ${found.gasCost}`,
      symbol: `${contract} pc ${found.pc}`,
    };
  });
}

function instructionText({ op, frame }: Step, next: Step | undefined): string {
  const pushed = /^PUSH\d+$/.test(op) && next?.frame === frame ? next.stack.at(-1) : undefined;
  return pushed === undefined ? op : `${op} ${pushed}`;
}

function outside(thread: number, step: number): DebugProtocol.DisassembledInstruction {
  const address = step < 0 ? `-0x${(-step).toString(16)}` : instructionAddress(thread, step);
  return { address, instruction: '(outside of the execution)', presentationHint: 'invalid' };
}
