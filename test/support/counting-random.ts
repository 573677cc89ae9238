import type { RandomSource } from '../../src/primitives/random.ts';

/** Deterministic bytes that count up, for distinct ids. */
export function countingRandom(): RandomSource {
  let calls = 0;
  return (length) => new Uint8Array(length).fill(++calls);
}
