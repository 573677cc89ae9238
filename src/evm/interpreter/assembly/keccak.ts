/**
 * Keccak-256 as Ethereum uses it: Keccak before FIPS 202, which pads with 0x01.
 *
 * Long hashes are computed in several steps. The instruction is executed again for each step, so that other
 * work can run in between. Only one hash is in progress at a time.
 */

import { HASH_STATE } from './scratch';

/** The rate: bytes that one permutation absorbs. */
const RATE: u32 = 136;

const ROUND_CONSTANTS: usize = memory.data<u64>([
  0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
  0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
  0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
  0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
  0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
]);

/** Writes the hash of `length` bytes at `pointer` to `out`: 32 bytes, big-endian. */
export function keccak256(pointer: usize, length: u32, out: usize): void {
  beginHash();
  finishHash(pointer, length, out);
}

/** Resets the state. */
@inline
export function beginHash(): void {
  // A loop instead of memory.fill or memory.copy, because their calls cost more than the work for a few
  // bytes.
  for (let lane: usize = 0; lane < 25 * 8; lane += 8) store<u64>(HASH_STATE + lane, 0);
}

/** Absorbs the bytes at `pointer` that fill whole permutations; returns the number of remaining bytes. */
@inline
export function continueHashing(pointer: usize, length: u32): u32 {
  while (length >= RATE) {
    absorb(pointer, RATE);
    permute();
    pointer += RATE;
    length -= RATE;
  }
  return length;
}

/** Absorbs the last `length` bytes at `pointer` and writes the hash to `out`. */
@inline
export function finishHash(pointer: usize, length: u32, out: usize): void {
  const whole = length;
  length = continueHashing(pointer, length);
  pointer += whole - length;
  const wholeLanes = length & ~7;
  absorb(pointer, wholeLanes);
  const rest = length - wholeLanes;
  let last: u64 = 1;
  for (let i = rest; i > 0; i--) last = (last << 8) | load<u8>(pointer + wholeLanes + i - 1);
  mix(wholeLanes, last);
  mix(RATE - 8, 1 << 63);
  permute();
  for (let lane: usize = 0; lane < 32; lane += 8) store<u64>(out + lane, load<u64>(HASH_STATE + lane));
}

/** XORs whole lanes into the state. */
@inline
function absorb(pointer: usize, length: u32): void {
  for (let lane: usize = 0; lane < length; lane += 8) mix(lane, load<u64>(pointer + lane));
}

@inline
function mix(lane: usize, bits: u64): void {
  store<u64>(HASH_STATE + lane, load<u64>(HASH_STATE + lane) ^ bits);
}

/** The permutation keccak-f[1600] of the state. */
function permute(): void {
  let a0 = load<u64>(HASH_STATE, 0);
  let a1 = load<u64>(HASH_STATE, 8);
  let a2 = load<u64>(HASH_STATE, 16);
  let a3 = load<u64>(HASH_STATE, 24);
  let a4 = load<u64>(HASH_STATE, 32);
  let a5 = load<u64>(HASH_STATE, 40);
  let a6 = load<u64>(HASH_STATE, 48);
  let a7 = load<u64>(HASH_STATE, 56);
  let a8 = load<u64>(HASH_STATE, 64);
  let a9 = load<u64>(HASH_STATE, 72);
  let a10 = load<u64>(HASH_STATE, 80);
  let a11 = load<u64>(HASH_STATE, 88);
  let a12 = load<u64>(HASH_STATE, 96);
  let a13 = load<u64>(HASH_STATE, 104);
  let a14 = load<u64>(HASH_STATE, 112);
  let a15 = load<u64>(HASH_STATE, 120);
  let a16 = load<u64>(HASH_STATE, 128);
  let a17 = load<u64>(HASH_STATE, 136);
  let a18 = load<u64>(HASH_STATE, 144);
  let a19 = load<u64>(HASH_STATE, 152);
  let a20 = load<u64>(HASH_STATE, 160);
  let a21 = load<u64>(HASH_STATE, 168);
  let a22 = load<u64>(HASH_STATE, 176);
  let a23 = load<u64>(HASH_STATE, 184);
  let a24 = load<u64>(HASH_STATE, 192);
  for (let round: usize = 0; round < 24 * 8; round += 8) {
    const c0 = a0 ^ a5 ^ a10 ^ a15 ^ a20;
    const c1 = a1 ^ a6 ^ a11 ^ a16 ^ a21;
    const c2 = a2 ^ a7 ^ a12 ^ a17 ^ a22;
    const c3 = a3 ^ a8 ^ a13 ^ a18 ^ a23;
    const c4 = a4 ^ a9 ^ a14 ^ a19 ^ a24;
    const d0 = c4 ^ rotl<u64>(c1, 1);
    const d1 = c0 ^ rotl<u64>(c2, 1);
    const d2 = c1 ^ rotl<u64>(c3, 1);
    const d3 = c2 ^ rotl<u64>(c4, 1);
    const d4 = c3 ^ rotl<u64>(c0, 1);
    const b0 = a0 ^ d0;
    const b16 = rotl<u64>(a5 ^ d0, 36);
    const b7 = rotl<u64>(a10 ^ d0, 3);
    const b23 = rotl<u64>(a15 ^ d0, 41);
    const b14 = rotl<u64>(a20 ^ d0, 18);
    const b10 = rotl<u64>(a1 ^ d1, 1);
    const b1 = rotl<u64>(a6 ^ d1, 44);
    const b17 = rotl<u64>(a11 ^ d1, 10);
    const b8 = rotl<u64>(a16 ^ d1, 45);
    const b24 = rotl<u64>(a21 ^ d1, 2);
    const b20 = rotl<u64>(a2 ^ d2, 62);
    const b11 = rotl<u64>(a7 ^ d2, 6);
    const b2 = rotl<u64>(a12 ^ d2, 43);
    const b18 = rotl<u64>(a17 ^ d2, 15);
    const b9 = rotl<u64>(a22 ^ d2, 61);
    const b5 = rotl<u64>(a3 ^ d3, 28);
    const b21 = rotl<u64>(a8 ^ d3, 55);
    const b12 = rotl<u64>(a13 ^ d3, 25);
    const b3 = rotl<u64>(a18 ^ d3, 21);
    const b19 = rotl<u64>(a23 ^ d3, 56);
    const b15 = rotl<u64>(a4 ^ d4, 27);
    const b6 = rotl<u64>(a9 ^ d4, 20);
    const b22 = rotl<u64>(a14 ^ d4, 39);
    const b13 = rotl<u64>(a19 ^ d4, 8);
    const b4 = rotl<u64>(a24 ^ d4, 14);
    a0 = b0 ^ (~b1 & b2) ^ load<u64>(ROUND_CONSTANTS + round);
    a1 = b1 ^ (~b2 & b3);
    a2 = b2 ^ (~b3 & b4);
    a3 = b3 ^ (~b4 & b0);
    a4 = b4 ^ (~b0 & b1);
    a5 = b5 ^ (~b6 & b7);
    a6 = b6 ^ (~b7 & b8);
    a7 = b7 ^ (~b8 & b9);
    a8 = b8 ^ (~b9 & b5);
    a9 = b9 ^ (~b5 & b6);
    a10 = b10 ^ (~b11 & b12);
    a11 = b11 ^ (~b12 & b13);
    a12 = b12 ^ (~b13 & b14);
    a13 = b13 ^ (~b14 & b10);
    a14 = b14 ^ (~b10 & b11);
    a15 = b15 ^ (~b16 & b17);
    a16 = b16 ^ (~b17 & b18);
    a17 = b17 ^ (~b18 & b19);
    a18 = b18 ^ (~b19 & b15);
    a19 = b19 ^ (~b15 & b16);
    a20 = b20 ^ (~b21 & b22);
    a21 = b21 ^ (~b22 & b23);
    a22 = b22 ^ (~b23 & b24);
    a23 = b23 ^ (~b24 & b20);
    a24 = b24 ^ (~b20 & b21);
  }
  store<u64>(HASH_STATE, a0, 0);
  store<u64>(HASH_STATE, a1, 8);
  store<u64>(HASH_STATE, a2, 16);
  store<u64>(HASH_STATE, a3, 24);
  store<u64>(HASH_STATE, a4, 32);
  store<u64>(HASH_STATE, a5, 40);
  store<u64>(HASH_STATE, a6, 48);
  store<u64>(HASH_STATE, a7, 56);
  store<u64>(HASH_STATE, a8, 64);
  store<u64>(HASH_STATE, a9, 72);
  store<u64>(HASH_STATE, a10, 80);
  store<u64>(HASH_STATE, a11, 88);
  store<u64>(HASH_STATE, a12, 96);
  store<u64>(HASH_STATE, a13, 104);
  store<u64>(HASH_STATE, a14, 112);
  store<u64>(HASH_STATE, a15, 120);
  store<u64>(HASH_STATE, a16, 128);
  store<u64>(HASH_STATE, a17, 136);
  store<u64>(HASH_STATE, a18, 144);
  store<u64>(HASH_STATE, a19, 152);
  store<u64>(HASH_STATE, a20, 160);
  store<u64>(HASH_STATE, a21, 168);
  store<u64>(HASH_STATE, a22, 176);
  store<u64>(HASH_STATE, a23, 184);
  store<u64>(HASH_STATE, a24, 192);
}

const STATE_SIZE: usize = 25 * 8;
/** The saved state of a hash in progress, because other hashes may run between two steps. */
const KEPT_STATE: usize = memory.data(25 * 8, 16);
const HASH: usize = memory.data(32, 16);

/** Longer input (bytes) is hashed in several steps. */
export const LONG_HASH: u32 = 65_536;

/** Bytes per step, a whole number of permutations (less than a millisecond). */
export const HASH_PIECE: u32 = 136 * 1_928;

/** The number of bytes absorbed by the hash in progress; 0 if none is in progress. */
export let hashed: u32 = 0;
let isFinished: bool = false;

/** Discards the hash in progress. */
export function forgetHash(): void {
  hashed = 0;
  isFinished = false;
}

/** Continues the hash of these bytes. Returns true when it is finished, for `takeHash`. */
export function hashAhead(pointer: usize, length: u32): bool {
  if (isFinished) return true;
  if (hashed) memory.copy(HASH_STATE, KEPT_STATE, STATE_SIZE);
  else beginHash();
  const left = length - hashed;
  if (left > HASH_PIECE) {
    continueHashing(pointer + hashed, HASH_PIECE);
    memory.copy(KEPT_STATE, HASH_STATE, STATE_SIZE);
    hashed += HASH_PIECE;
    return false;
  }
  finishHash(pointer + hashed, left, HASH);
  hashed = 0;
  isFinished = true;
  return true;
}

/** Writes the hash of these bytes to `out`. Uses the finished hash of `hashAhead` if any. */
export function takeHash(pointer: usize, length: u32, out: usize): void {
  if (!isFinished) {
    keccak256(pointer, length, out);
    return;
  }
  memory.copy(out, HASH, 32);
  isFinished = false;
}
