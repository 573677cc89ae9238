import type { TouchedSlots } from './touched-storage.ts';

const FIXED_SIZE = 100;
const MEMORY_WORD_SIZE = 67;
const SLOT_SIZE = 134;

/** The parts of a step that can grow. */
interface GrowingParts {
  readonly stack?: readonly string[];
  readonly memory?: readonly string[];
  readonly storage?: TouchedSlots;
}

/** About how many characters of JSON a step takes. */
export function stepSize({ stack, memory, storage }: GrowingParts): number {
  let size = FIXED_SIZE;
  if (stack !== undefined) for (const item of stack) size += item.length + 3;
  if (memory !== undefined) size += memory.length * MEMORY_WORD_SIZE;
  if (storage !== undefined) size += Object.keys(storage).length * SLOT_SIZE;
  return size;
}
