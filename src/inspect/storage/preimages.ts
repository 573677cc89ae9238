/** Inputs of hashes, by which the slots of mappings and arrays are recognized. */

import { bytesToBigInt } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';

/** The longest input, in bytes, that is kept: the key of a mapping is rarely longer. */
export const LONGEST_PREIMAGE = 1024;
const MOST_PREIMAGES = 50_000;
/** Bytes of all of them together. */
const MOST_BYTES = 4 * 1024 * 1024;
/** The distance behind a hash up to which slots belong to it, as a number of bits. */
const REACH_BITS = 64n;
const REACH_DIGITS = 16;

/** The input of a hash. */
export interface Preimage {
  /** The hash as a slot. */
  readonly base: bigint;
  readonly bytes: Uint8Array;
}

/** A bounded set of inputs: beyond its bounds the oldest are forgotten. */
export class Preimages {
  readonly #byHash = new Map<string, Preimage>();
  /** The hashes by all but their lowest 64 bits. */
  readonly #byHighBits = new Map<string, Set<string>>();
  #bytes = 0;

  /** All of them, the oldest first. */
  get all(): Iterable<Preimage> {
    return this.#byHash.values();
  }

  get size(): number {
    return this.#byHash.size;
  }

  /** Adds an input, and keeps its array. Longer ones than are kept are left out. */
  add(bytes: Uint8Array): void {
    if (bytes.length > LONGEST_PREIMAGE) return;
    const hash = keccak256(bytes);
    const key = hexKey(hash);
    if (this.#byHash.has(key)) return;
    this.#byHash.set(key, { base: bytesToBigInt(hash), bytes });
    const high = key.slice(0, -REACH_DIGITS);
    const sharing = this.#byHighBits.get(high) ?? new Set();
    this.#byHighBits.set(high, sharing.add(key));
    this.#bytes += bytes.length;
    for (const [oldest, preimage] of this.#byHash) {
      if (this.#byHash.size <= MOST_PREIMAGES && this.#bytes <= MOST_BYTES) break;
      this.#remove(oldest, preimage);
    }
  }

  #remove(key: string, { bytes }: Preimage): void {
    this.#byHash.delete(key);
    this.#bytes -= bytes.length;
    const high = key.slice(0, -REACH_DIGITS);
    const sharing = this.#byHighBits.get(high);
    sharing?.delete(key);
    if (sharing?.size === 0) this.#byHighBits.delete(high);
  }

  /** Returns the input of that hash; `null` when it is not known. */
  of(hash: Uint8Array): Uint8Array | null {
    return this.#byHash.get(hexKey(hash))?.bytes ?? null;
  }

  /** Returns the input whose hash is nearest below the slot, or the slot itself; `null` when none is within 2^64 slots. */
  below(slot: bigint): Preimage | null {
    const high = slot >> REACH_BITS;
    return this.#nearest(high, slot) ?? (high > 0n ? this.#nearest(high - 1n, slot) : null);
  }

  #nearest(high: bigint, slot: bigint): Preimage | null {
    let nearest: Preimage | null = null;
    for (const key of this.#byHighBits.get(high.toString(16).padStart(64 - REACH_DIGITS, '0')) ?? []) {
      const found = this.#byHash.get(key);
      if (found === undefined || found.base > slot || slot - found.base >= 1n << REACH_BITS) continue;
      if (nearest === null || found.base > nearest.base) nearest = found;
    }
    return nearest;
  }
}
