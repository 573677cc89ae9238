import { bigIntToFixedBytes, bytesToBigInt, concatBytes } from '../../primitives/bytes.ts';
import {
  advanceSha256,
  bytesToWords,
  finishDoubleSha256,
  SHA256_START,
  wordsToBytes,
} from '../../primitives/sha256.ts';

/** The tag in front of the hash that a parent-chain coinbase transaction commits to: `RSKBLOCK:`. */
export const COMMITMENT_TAG = new TextEncoder().encode('RSKBLOCK:');

const SHA256_BLOCK = 64;
const LENGTH_SIZE = 8;
/** Bytes of a midstate as the network writes it: the length taken in, and the eight words. */
const MIDSTATE_SIZE = LENGTH_SIZE + 32;

/** Where the last tag begins; -1 for none. */
export function lastTag(bytes: Uint8Array): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).lastIndexOf(COMMITMENT_TAG);
}

/**
 * A coinbase transaction as headers of the network carry it: the SHA-256 midstate (40 bytes) of the whole 64-byte blocks
 * before its last tag, and the rest, so that its size does not grow with what stands before the tag.
 */
export function compressCoinbase(transaction: Uint8Array): Uint8Array {
  const hashed = Math.max(0, lastTag(transaction));
  const length = hashed - (hashed % SHA256_BLOCK);
  const { words } = advanceSha256(SHA256_START, transaction.subarray(0, length));
  const lengthBytes = bigIntToFixedBytes(BigInt(length), LENGTH_SIZE);
  return concatBytes(lengthBytes, wordsToBytes(words), transaction.subarray(length));
}

/** A compressed coinbase transaction in its parts. */
export interface CompressedCoinbase {
  /** Bytes of the whole transaction. */
  readonly length: number;
  /** The bytes after those in the midstate. */
  readonly tail: Uint8Array;
  /** 32 bytes, in the order in which Merkle trees are hashed. */
  readonly hash: Uint8Array;
}

/** Reads a compressed coinbase transaction; `null` for bytes that are none. */
export function readCompressedCoinbase(compressed: Uint8Array): CompressedCoinbase | null {
  if (compressed.length < MIDSTATE_SIZE) return null;
  const hashed = Number(bytesToBigInt(compressed.subarray(0, LENGTH_SIZE)));
  // A longer one cannot have been hashed, and would not be an exact number of bits.
  if (hashed % SHA256_BLOCK !== 0 || hashed > Number.MAX_SAFE_INTEGER / 16) return null;
  const tail = compressed.subarray(MIDSTATE_SIZE);
  const midstate = { length: hashed, words: bytesToWords(compressed.subarray(LENGTH_SIZE, MIDSTATE_SIZE)) };
  return { length: hashed + tail.length, tail, hash: finishDoubleSha256(midstate, tail) };
}
