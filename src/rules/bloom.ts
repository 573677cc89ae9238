import { keccak256 } from '../primitives/keccak.ts';
import type { Log } from './receipt.ts';

/** Bytes of a bloom filter. */
export const BLOOM_SIZE = 256;

function addTo(bloom: Uint8Array, item: Uint8Array): void {
  const hash = keccak256(item);
  for (let pair = 0; pair < 6; pair += 2) {
    const bit = (((hash[pair] ?? 0) << 8) | (hash[pair + 1] ?? 0)) & 2047;
    const index = BLOOM_SIZE - 1 - (bit >> 3);
    bloom[index] = (bloom[index] ?? 0) | (1 << (bit & 7));
  }
}

/** The bloom filter over the addresses and topics of the logs (yellow paper, 4.3.1). */
export function bloomOf(logs: readonly Log[]): Uint8Array {
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
    for (let index = 0; index < BLOOM_SIZE; index++)
      joined[index] = (joined[index] ?? 0) | (bloom[index] ?? 0);
  }
  return joined;
}

/** False when none of the logs behind the bloom can have the address or topic; true when one may. */
export function bloomMayContain(bloom: Uint8Array, item: Uint8Array): boolean {
  const hash = keccak256(item);
  for (let pair = 0; pair < 6; pair += 2) {
    const bit = (((hash[pair] ?? 0) << 8) | (hash[pair + 1] ?? 0)) & 2047;
    if (((bloom[BLOOM_SIZE - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}
