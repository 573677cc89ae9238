/*
 * Keccak-256 as a module of its own, for all that is hashed outside of the interpreter.
 */

import { beginHash, finishHash, goOnHashing, keccak256 } from './keccak';

/** Where the caller puts what is to be hashed: as many bytes as sixty permutations take in. */
const INPUT_SIZE: i32 = 60 * 136;
export const INPUT: usize = memory.data(INPUT_SIZE, 16);

/** Where the hash stands afterwards, 32 bytes. */
export const OUTPUT: usize = memory.data(32, 16);

/** Hashes the first `length` bytes of the input. */
export function hash(length: u32): void {
  keccak256(INPUT, length, OUTPUT);
}

/** Begins to hash more than the input holds. */
export function begin(): void {
  beginHash();
}

/** Takes in the whole input. */
export function goOn(): void {
  goOnHashing(INPUT, INPUT_SIZE);
}

/** Takes in the first `length` bytes of the input, the last that are hashed. */
export function finish(length: u32): void {
  finishHash(INPUT, length, OUTPUT);
}
