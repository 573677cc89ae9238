// The trie of a list (yellow paper, 4.3), used for the transactions and receipts of a header. A value's key
// is the RLP of its index.

import { EMPTY_BYTES, numberToBytes } from '../../primitives/bytes.ts';
import { INPUT_SIZE, KeccakStream, keccakInstance } from '../../primitives/keccak.ts';
import { encodeRlp } from '../../primitives/rlp.ts';
import { type Steps, WORK_PER_STEP } from '../../primitives/steps.ts';
import { EMPTY_TRIE_ROOT } from './trie-node.ts';
import { trieProof } from './trie-proof.ts';
import { triePutAll } from './trie-put-all.ts';

const HASH_SIZE = 32;
/** The bytes per reference in a list: the size of the longest one, the RLP of a hash. */
const REFERENCE_SIZE = 1 + HASH_SIZE;
const HASH_PREFIX = 0x80 + HASH_SIZE;

/** Work units per value, in addition to its bytes. */
const VALUE_WORK = 512;
/** Bytes of a value that are hashed without a yield. */
const PART_OF_VALUE = 2 ** 18;

/** Computes roots in the memory of its own WebAssembly module, which grows with the longest list. */
class OrderedTrieHasher {
  readonly #module = keccakInstance();
  #bytes = new Uint8Array(this.#module.memory.buffer);
  /** Maximum bytes of a value that fit into the module. */
  readonly longest = INPUT_SIZE + this.#module.INPUT.value - this.#module.VALUE.value;

  /** Writes the reference to a value's leaf into the list. The value must fit into the module. */
  writeLeaf(references: Uint8Array, index: number, count: number, value: Uint8Array): void {
    const { VALUE, REFERENCE } = this.#module;
    this.#bytes.set(value, VALUE.value);
    this.#module.hashLeaf(index, count, value.length);
    const start = REFERENCE.value;
    references.set(this.#bytes.subarray(start, start + REFERENCE_SIZE), index * REFERENCE_SIZE);
  }

  /** Returns the bytes before a long value in its leaf. */
  headOfLeaf(index: number, count: number, length: number): Uint8Array {
    const start = this.#module.headOfLeaf(index, count, length);
    return this.#bytes.slice(start, this.#module.VALUE.value);
  }

  /** Returns the root (32 bytes) of the trie with these leaves. */
  root(references: Uint8Array): Uint8Array {
    const count = references.length / REFERENCE_SIZE;
    const start = this.#module.roomForReferences(count);
    const { memory, OUTPUT } = this.#module;
    if (this.#bytes.length === 0) this.#bytes = new Uint8Array(memory.buffer);
    this.#bytes.set(references, start);
    this.#module.hashReferences(count);
    return this.#bytes.slice(OUTPUT.value, OUTPUT.value + HASH_SIZE);
  }
}

const hasher = new OrderedTrieHasher();

/** Returns the root (32 bytes) of the trie of the values; `EMPTY_TRIE_ROOT` without values. */
export function orderedTrieRoot(values: readonly Uint8Array[]): Steps<Uint8Array> {
  return orderedTrieRootOf(values.length, (index) => values[index] ?? EMPTY_BYTES);
}

/** Maximum length of values that are hashed before the next one is created; see {@link orderedTrieRootOf}. */
export const SHORT_VALUE: number = hasher.longest;

/**
 * Returns the root of `length` values. `valueAt` creates each value once and can yield. A value of up to
 * {@link SHORT_VALUE} bytes can be overwritten when the next one is created.
 */
export function* orderedTrieRootOf(
  length: number,
  valueAt: (index: number) => Uint8Array | Steps<Uint8Array>,
): Steps<Uint8Array> {
  if (length === 0) return EMPTY_TRIE_ROOT;
  // The list is outside the module, because other roots can be computed during a yield.
  const references = new Uint8Array(length * REFERENCE_SIZE);
  let work = 0;
  for (let index = 0; index < length; index++) {
    const made = valueAt(index);
    const value = made instanceof Uint8Array ? made : yield* made;
    if (value.length > hasher.longest) yield* writeLongLeaf(references, index, length, value);
    else hasher.writeLeaf(references, index, length, value);
    work += VALUE_WORK + value.length;
    if (work >= WORK_PER_STEP) {
      yield work;
      work = 0;
    }
  }
  yield work;
  return hasher.root(references);
}

/** Writes the reference to the leaf of a long value. Other hashes can be computed during a yield. */
function* writeLongLeaf(
  references: Uint8Array,
  index: number,
  count: number,
  value: Uint8Array,
): Steps<void> {
  const stream = new KeccakStream();
  stream.add(hasher.headOfLeaf(index, count, value.length));
  for (let start = 0; start < value.length; start += PART_OF_VALUE) {
    stream.add(value.subarray(start, start + PART_OF_VALUE));
    if (value.length - start > PART_OF_VALUE) yield PART_OF_VALUE;
  }
  references[index * REFERENCE_SIZE] = HASH_PREFIX;
  references.set(stream.finish(), index * REFERENCE_SIZE + 1);
}

function keyOfIndex(index: number): Uint8Array {
  return encodeRlp(numberToBytes(index));
}

/** Returns the encoded nodes from the root to the value at the index. They prove the value or its absence. */
export function orderedTrieProof(values: readonly Uint8Array[], index: number): Uint8Array[] {
  const entries = values.map((value, place) => ({ key: keyOfIndex(place), value }));
  return trieProof(triePutAll(null, entries), keyOfIndex(index), (value) => value);
}
