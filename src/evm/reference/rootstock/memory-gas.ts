import { EVMError } from '@ethereumjs/evm';
import type { RunState } from '../reference-step.ts';

/** Words of the largest memory: 2^30 bytes. */
const MAXIMUM_WORDS = 2n ** 25n;

/** Halts the frame, as for want of gas, when its memory would be larger than may be. */
export function checkMemorySize({ memoryWordCount }: Pick<RunState, 'memoryWordCount'>): void {
  if (memoryWordCount > MAXIMUM_WORDS) throw new EVMError(EVMError.errorMessages.OUT_OF_GAS);
}

/** What it costs that memory holds these bytes; the library is told of its new size. */
export function memoryGas(runState: RunState, offset: bigint, length: bigint): bigint {
  if (length === 0n) return 0n;
  const words = (offset + length + 31n) / 32n;
  checkMemorySize({ memoryWordCount: words });
  if (words <= runState.memoryWordCount) return 0n;
  const total = 3n * words + (words * words) / 512n;
  const added = total - runState.highestMemCost;
  runState.memoryWordCount = words;
  runState.highestMemCost = total;
  return added;
}
