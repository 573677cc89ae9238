/*
 * Keccak-256 as a separate module, for hashing outside of the interpreter.
 */

import { beginHash, finishHash, goOnHashing, keccak256 } from './keccak';

/** The input of the caller: as many bytes as sixty permutations absorb. */
const INPUT_SIZE: i32 = 60 * 136;
export const INPUT: usize = memory.data(INPUT_SIZE, 16);

/** Where the hash stands afterwards, 32 bytes. */
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
