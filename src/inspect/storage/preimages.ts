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

/** Known inputs of hashes. */
export interface KnownPreimages {
  /** All of them, the oldest first. */
  readonly all: Iterable<Preimage>;
  /** Returns the input of that hash; `null` when it is not known. */
  of(hash: Uint8Array): Uint8Array | null;
  /** Returns the input whose hash is nearest below the slot, or the slot itself; `null` when none is within 2^64 slots. */
  below(slot: bigint): Preimage | null;
}

/** Two sets of inputs as one. */
export class JoinedPreimages implements KnownPreimages {
  readonly #first: KnownPreimages;
  readonly #second: KnownPreimages;

  constructor(first: KnownPreimages, second: KnownPreimages) {
    this.#first = first;
    this.#second = second;
  }

  get all(): Iterable<Preimage> {
    return this.#allOf();
  }

  *#allOf(): Generator<Preimage, void, undefined> {
    yield* this.#first.all;
    yield* this.#second.all;
  }

  of(hash: Uint8Array): Uint8Array | null {
    return this.#first.of(hash) ?? this.#second.of(hash);
  }

  below(slot: bigint): Preimage | null {
    const [one, other] = [this.#first.below(slot), this.#second.below(slot)];
    if (one === null || other === null) return one ?? other;
    return one.base >= other.base ? one : other;
  }
}

/** A bounded set of inputs: beyond its bounds the oldest are forgotten. */
export class Preimages implements KnownPreimages {
  readonly #byHash = new Map<string, Preimage>();
  /** Each by all but the lowest 64 bits of its hash, which no two hashes share. */
  readonly #byHighBits = new Map<string, Preimage>();
  #bytes = 0;

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
    const added = { base: bytesToBigInt(hash), bytes };
    this.#byHash.set(key, added);
    this.#byHighBits.set(key.slice(0, -REACH_DIGITS), added);
    this.#bytes += bytes.length;
    for (const [oldest, preimage] of this.#byHash) {
      if (this.#byHash.size <= MOST_PREIMAGES && this.#bytes <= MOST_BYTES) break;
      this.#remove(oldest, preimage);
    }
  }

  #remove(key: string, { bytes }: Preimage): void {
    this.#byHash.delete(key);
    this.#byHighBits.delete(key.slice(0, -REACH_DIGITS));
    this.#bytes -= bytes.length;
  }

  of(hash: Uint8Array): Uint8Array | null {
    return this.#byHash.get(hexKey(hash))?.bytes ?? null;
  }

  below(slot: bigint): Preimage | null {
    const high = slot >> REACH_BITS;
    return this.#reaching(high, slot) ?? this.#reaching(high - 1n, slot);
  }

  #reaching(high: bigint, slot: bigint): Preimage | null {
    const found = this.#byHighBits.get(high.toString(16).padStart(64 - REACH_DIGITS, '0'));
    if (found === undefined || found.base > slot || slot - found.base >= 1n << REACH_BITS) return null;
    return found;
  }
}
