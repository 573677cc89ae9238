import { keccak256, writeKeccak256 } from '../primitives/keccak.ts';
import type { Log } from './receipt.ts';

/** Bytes of a bloom filter. */
export const BLOOM_SIZE = 256;

interface Bit {
  readonly index: number;
  readonly mask: number;
}

/** Three pairs of bytes of a hash name the bits of what was hashed. */
const HASHED_PAIRS = [0, 2, 4] as const;

/** Returns the number, from 0 to 2047, of the bit that two bytes of a hash name. */
function bitAt(hash: Uint8Array, pair: number): number {
  return (((hash[pair] ?? 0) << 8) | (hash[pair + 1] ?? 0)) & 2047;
}

/** Returns the three bits of an address or topic. */
function bitsOf(item: Uint8Array): Bit[] {
  const hash = keccak256(item);
  return HASHED_PAIRS.map((pair) => {
    const bit = bitAt(hash, pair);
    return { index: BLOOM_SIZE - 1 - (bit >> 3), mask: 1 << (bit & 7) };
  });
}

/** The bloom filter of no logs. */
const EMPTY_BLOOM = new Uint8Array(BLOOM_SIZE);

/** Makes the blooms of a block's receipts and, at the same time, that of the block (yellow paper, 4.3.1). */
export class BloomMaker {
  /** The bloom of all logs so far. */
  readonly joined = new Uint8Array(BLOOM_SIZE);
  readonly #hash = new Uint8Array(32);

  /** Returns the bloom filter over the addresses and topics of the logs, which must not be written to. */
  add(logs: readonly Log[]): Uint8Array {
    if (logs.length === 0) return EMPTY_BLOOM;
    const bloom = new Uint8Array(BLOOM_SIZE);
    for (const { address, topics } of logs) {
      this.#set(bloom, address);
      for (const topic of topics) this.#set(bloom, topic);
    }
    return bloom;
  }

  #set(bloom: Uint8Array, item: Uint8Array): void {
    writeKeccak256(this.#hash, 0, item);
    for (const pair of HASHED_PAIRS) {
      const bit = bitAt(this.#hash, pair);
      const index = BLOOM_SIZE - 1 - (bit >> 3);
      const set = (bloom[index] ?? 0) | (1 << (bit & 7));
      bloom[index] = set;
      this.joined[index] = (this.joined[index] ?? 0) | set;
    }
  }
}

/** Returns the bloom filter over the addresses and topics of the logs, which must not be written to. */
export function bloomOf(logs: readonly Log[]): Uint8Array {
  return new BloomMaker().add(logs);
}

/** Returns the union of bloom filters. */
export function joinBlooms(blooms: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(BLOOM_SIZE);
  for (const bloom of blooms) {
    if (bloom === EMPTY_BLOOM) continue;
    for (let index = 0; index < BLOOM_SIZE; index++)
      joined[index] = (joined[index] ?? 0) | (bloom[index] ?? 0);
  }
  return joined;
}

/** Returns a test for one address or topic: false when none of the logs behind a bloom can have it, true when one may. */
export function bloomProbe(item: Uint8Array): (bloom: Uint8Array) => boolean {
  const bits = bitsOf(item);
  return (bloom) => bits.every(({ index, mask }) => ((bloom[index] ?? 0) & mask) !== 0);
}
