import type { RandomSource } from '../../src/primitives/random.ts';

/** Bytes that count up: random enough to tell ids apart, and the same each time. */
export function countingRandom(): RandomSource {
  let calls = 0;
  return (length) => new Uint8Array(length).fill(++calls);
}
