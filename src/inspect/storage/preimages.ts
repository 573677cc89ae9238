/** Stores hash inputs (preimages), to identify the slots of mappings and arrays. */

import { bytesToBigInt } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';

/** Maximum bytes of a stored input. Mapping keys are rarely longer. */
export const MAX_PREIMAGE = 1024;
const MAX_PREIMAGES = 50_000;
/** Maximum bytes of all inputs together. */
const MAX_BYTES = 4 * 1024 * 1024;
/** A slot belongs to a hash if it follows within 2^64 slots. */
const REACH_BITS = 64n;
const REACH_DIGITS = 16;

export interface Preimage {
  /** The hash, as a slot number. */
  readonly base: bigint;
  readonly bytes: Uint8Array;
}

export interface KnownPreimages {
  /** All inputs, oldest first. */
  readonly all: Iterable<Preimage>;
  /** Returns the input of the hash; `null` if unknown. */
  of(hash: Uint8Array): Uint8Array | null;
  /** Returns the input with the highest hash not above the slot; `null` if none is within 2^64 slots. */
  below(slot: bigint): Preimage | null;
}

/** The union of two sets of inputs. */
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

/** A bounded set of inputs. Beyond its bounds the oldest inputs are removed. */
export class Preimages implements KnownPreimages {
  readonly #byHash = new Map<string, Preimage>();
  /** By hash without its low 64 bits. In practice these bits are unique. */
  readonly #byHighBits = new Map<string, Preimage>();
  #bytes = 0;

  get all(): Iterable<Preimage> {
    return this.#byHash.values();
  }

  get size(): number {
    return this.#byHash.size;
  }

  /** Adds an input without copying it. Inputs longer than {@link MAX_PREIMAGE} are ignored. */
  add(bytes: Uint8Array): void {
    if (bytes.length > MAX_PREIMAGE) return;
    const hash = keccak256(bytes);
    const key = hexKey(hash);
    if (this.#byHash.has(key)) return;
    const added = { base: bytesToBigInt(hash), bytes };
    this.#byHash.set(key, added);
    this.#byHighBits.set(key.slice(0, -REACH_DIGITS), added);
    this.#bytes += bytes.length;
    for (const [oldest, preimage] of this.#byHash) {
      if (this.#byHash.size <= MAX_PREIMAGES && this.#bytes <= MAX_BYTES) break;
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
