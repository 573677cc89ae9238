import { keccak256 } from '../primitives/keccak.ts';
import type { Log } from './receipt.ts';

/** Bytes of a bloom filter. */
export const BLOOM_SIZE = 256;

interface Bit {
  readonly index: number;
  readonly mask: number;
}

/** The three bits of an address or topic. */
function bitsOf(item: Uint8Array): Bit[] {
  const hash = keccak256(item);
  return [0, 2, 4].map((pair) => {
    const bit = (((hash[pair] ?? 0) << 8) | (hash[pair + 1] ?? 0)) & 2047;
    return { index: BLOOM_SIZE - 1 - (bit >> 3), mask: 1 << (bit & 7) };
  });
}

function addTo(bloom: Uint8Array, item: Uint8Array): void {
  for (const { index, mask } of bitsOf(item)) bloom[index] = (bloom[index] ?? 0) | mask;
}

/** The bloom filter of no logs. */
const EMPTY_BLOOM = new Uint8Array(BLOOM_SIZE);

/** The bloom filter over the addresses and topics of the logs (yellow paper, 4.3.1). Not to be written to. */
export function bloomOf(logs: readonly Log[]): Uint8Array {
  if (logs.length === 0) return EMPTY_BLOOM;
  const bloom = new Uint8Array(BLOOM_SIZE);
  for (const log of logs) {
    addTo(bloom, log.address);
    for (const topic of log.topics) addTo(bloom, topic);
  }
  return bloom;
}

/** The union of bloom filters. */
export function joinBlooms(blooms: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(BLOOM_SIZE);
  for (const bloom of blooms) {
    if (bloom === EMPTY_BLOOM) continue;
    for (let index = 0; index < BLOOM_SIZE; index++)
      joined[index] = (joined[index] ?? 0) | (bloom[index] ?? 0);
  }
  return joined;
}

/** A test for one address or topic: false when none of the logs behind a bloom can have it; true when one may. */
export function bloomProbe(item: Uint8Array): (bloom: Uint8Array) => boolean {
  const bits = bitsOf(item);
  return (bloom) => bits.every(({ index, mask }) => ((bloom[index] ?? 0) & mask) !== 0);
}
