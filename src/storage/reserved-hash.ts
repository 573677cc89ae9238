import { concatBytes } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';

const NUMBER_SIZE = 8;
const HASH_SIZE = 32;
const HEAD_SIZE = HASH_SIZE - NUMBER_SIZE;

const encoder = new TextEncoder();
const HASH_DOMAIN = encoder.encode('node-cli reserved block hash');
const MASK_DOMAIN = encoder.encode('node-cli reserved block mask');

function numberBytes(number: number): Uint8Array {
  const bytes = new Uint8Array(NUMBER_SIZE);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number));
  return bytes;
}

function masked(number: Uint8Array, head: Uint8Array): Uint8Array {
  const mask = keccak256(concatBytes(MASK_DOMAIN, head));
  return number.map((byte, index) => byte ^ (mask[index] ?? 0));
}

/**
 * The hash (32 bytes) of the block with that number in the reserved range with that seed (32 bytes). The first 24 bytes
 * are a hash of both; the others hide the number under a mask that follows from those 24, so that the number can be told
 * from the hash and yet each byte looks as random as any hash's.
 */
export function reservedHash(seed: Uint8Array, number: number): Uint8Array {
  const bytes = numberBytes(number);
  const head = keccak256(concatBytes(HASH_DOMAIN, seed, bytes)).subarray(0, HEAD_SIZE);
  return concatBytes(head, masked(bytes, head));
}

/**
 * The number of the block with that hash if it is that of a reserved block; any number at all if it is another hash.
 * Only the hash of the block with the number can tell.
 */
export function reservedNumber(hash: Uint8Array): bigint {
  const number = masked(hash.subarray(HEAD_SIZE), hash.subarray(0, HEAD_SIZE));
  return new DataView(number.buffer).getBigUint64(0);
}
