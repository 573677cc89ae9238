/*
 * Keccak-256 as a separate module, for hashing outside of the interpreter, and the roots of lists, most of whose work is hashing.
 */

import { beginHash, finishHash, goOnHashing, keccak256 } from './keccak';
import { HEAD_SIZE, leafBefore, REFERENCE_SIZE, writeReference, writeRoot } from './ordered-trie';

/** The input of the caller: as many bytes as sixty permutations absorb. */
const INPUT_SIZE: i32 = 60 * 136;
export const INPUT: usize = memory.data(INPUT_SIZE, 16);

/** The place of the resulting hash, 32 bytes. */
export const OUTPUT: usize = memory.data(32, 16);

/** Hashes the first `length` bytes of the input. */
export function hash(length: u32): void {
  keccak256(INPUT, length, OUTPUT);
}

/** Begins a hash of more bytes than the input holds. */
export function begin(): void {
  beginHash();
}

/** Absorbs the whole input. */
export function goOn(): void {
  goOnHashing(INPUT, INPUT_SIZE);
}

/** Absorbs the first `length` bytes of the input as the last ones, and finishes the hash. */
export function finish(length: u32): void {
  finishHash(INPUT, length, OUTPUT);
}

/** The place for a value of a list, which the caller writes: behind room for the rest of its leaf. */
export const VALUE: usize = INPUT + HEAD_SIZE;

/** The place of the resulting reference to a leaf, up to 33 bytes. */
export const REFERENCE: usize = memory.data(<i32>REFERENCE_SIZE, 16);

/** Refers to the leaf of the value at an index, one of `count`, whose `length` bytes are in their place. */
export function hashLeaf(index: u32, count: u32, length: u32): void {
  const start = leafBefore(VALUE, index, count, length, load<u8>(VALUE));
  writeReference(start, <u32>(VALUE - start) + length, REFERENCE);
}

/** Writes what stands in a leaf before a value that is longer than the input; returns where that begins. It ends at `VALUE`. */
export function headOfLeaf(index: u32, count: u32, length: u32): usize {
  return leafBefore(VALUE, index, count, length, 0);
}

/** Returns where the caller puts the references of `count` leaves, by index. The memory may be another one afterwards. */
export function roomForReferences(count: u32): usize {
  const missing = <i32>((<u64>__heap_base + <u64>REFERENCE_SIZE * count + 0xffff) >> 16) - memory.size();
  if (missing > 0) memory.grow(missing);
  return __heap_base;
}

/** Writes the root of the trie of these leaves to the output. */
export function hashReferences(count: u32): void {
  writeRoot(__heap_base, count, OUTPUT);
}
