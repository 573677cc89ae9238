/** The memory of a step, for `readMemory`. */

import { InvalidArgumentError } from './debug-error.ts';
import type { Execution } from './execution.ts';

export interface MemoryPlace {
  readonly thread: number;
  readonly step: number;
  /** In bytes. */
  readonly offset: number;
}

const REFERENCE = /^memory:(?<thread>\d{1,9}):(?<step>\d{1,9}):(?<offset>\d{1,9})$/;

export function memoryReference(thread: number, step: number, offset: number): string {
  return `memory:${thread}:${step}:${offset}`;
}

/** Throws {@link InvalidArgumentError}. */
export function memoryPlace(reference: unknown): MemoryPlace {
  const { thread, step, offset } = REFERENCE.exec(String(reference))?.groups ?? {};
  if (step === undefined)
    throw new InvalidArgumentError('memoryReference', 'a reference of the scope Memory', reference);
  return { thread: Number(thread), step: Number(step), offset: Number(offset) };
}

/** Resolves to the body of `readMemory`. Bytes outside of the memory are unreadable. */
export async function memoryAt(
  execution: Execution,
  { step, offset }: MemoryPlace,
  count: number,
): Promise<object> {
  const { memory } = await execution.details(step);
  const bytes = Buffer.from(memory.join(''), 'hex');
  const part = offset < 0 ? Buffer.alloc(0) : bytes.subarray(offset, offset + count);
  return {
    address: `0x${Math.max(0, offset).toString(16)}`,
    data: part.toString('base64'),
    unreadableBytes: count - part.length,
  };
}
