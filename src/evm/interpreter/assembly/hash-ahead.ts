/**
 * Long hashes in pieces: the instruction that asks for one is executed again for each piece, so that others are heard in
 * between. One hash is under way at a time.
 */

import { beginHash, finishHash, goOnHashing, keccak256 } from './keccak';
import { HASH_STATE } from './scratch';

const STATE_SIZE: usize = 25 * 8;
/** The state of the hash so far, since other hashes may be computed between two pieces. */
const KEPT_STATE: usize = memory.data(25 * 8, 16);
const HASH: usize = memory.data(32, 16);

/** From so many bytes on a hash is long. */
export const LONG_HASH: u32 = 65_536;

/** Bytes of a piece, a whole number of permutations: less than a millisecond. */
export const HASH_PIECE: u32 = 136 * 1_928;

/** How many bytes of the hash that is under way have been taken in; 0 when none is. */
export let hashed: u32 = 0;
let isFinished: bool = false;

/** Returns up what is under way. */
export function forgetHash(): void {
  hashed = 0;
  isFinished = false;
}

/** Goes on with the hash of those bytes; true when it is finished, for `takeHash`. */
export function hashAhead(pointer: usize, length: u32): bool {
  if (isFinished) return true;
  if (hashed) memory.copy(HASH_STATE, KEPT_STATE, STATE_SIZE);
  else beginHash();
  const left = length - hashed;
  if (left > HASH_PIECE) {
    goOnHashing(pointer + hashed, HASH_PIECE);
    memory.copy(KEPT_STATE, HASH_STATE, STATE_SIZE);
    hashed += HASH_PIECE;
    return false;
  }
  finishHash(pointer + hashed, left, HASH);
  hashed = 0;
  isFinished = true;
  return true;
}

/** Writes the hash of those bytes to `out`: the one that is finished, if there is one, which must be theirs. */
export function takeHash(pointer: usize, length: u32, out: usize): void {
  if (!isFinished) {
    keccak256(pointer, length, out);
    return;
  }
  memory.copy(out, HASH, 32);
  isFinished = false;
}
