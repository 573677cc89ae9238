// The proof of work of merged mining: the parent chain's coinbase transaction in compressed form, the check of a proof, and the
// search for one on a parent-chain block of the node's own.

import {
  bigIntToFixedBytes,
  bytesToBigInt,
  concatBytes,
  equalBytes,
  joinBytes,
} from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import {
  advanceSha256,
  bytesToWords,
  doubleSha256,
  finishDoubleSha256,
  SHA256_START,
  type Sha256Midstate,
  wordsToBytes,
} from '../../primitives/sha256.ts';
import type { BlockHeader, MergedMining } from '../block.ts';
import { COINBASE_TRANSACTION, PARENT_HEADER } from '../generated/parent-block-template.ts';
import { hashForMergedMining } from '../header-encoding.ts';

const HASH_SIZE = 32;

/** Returns the root (32 bytes) of a Bitcoin Merkle tree over the first leaf and its siblings on the way up, lowest first. */
export function branchRoot(leaf: Uint8Array, siblings: readonly Uint8Array[]): Uint8Array {
  return siblings.reduce((left, right) => doubleSha256(concatBytes(left, right)), leaf);
}

/** Returns the siblings of the first leaf on the way up a Bitcoin Merkle tree, lowest first; `hashes` are all its leaves. */
export function firstBranch(hashes: readonly Uint8Array[]): Uint8Array[] {
  const siblings: Uint8Array[] = [];
  for (let row = hashes; row.length > 1; row = rowAbove(row)) {
    const [, sibling] = row;
    if (sibling !== undefined) siblings.push(sibling);
  }
  return siblings;
}

/** A row with an odd number of hashes is hashed as if its last stood there twice. */
function rowAbove(row: readonly Uint8Array[]): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let index = 0; index < row.length; index += 2) {
    const left = row[index];
    const right = row[index + 1] ?? left;
    if (left !== undefined && right !== undefined) above.push(doubleSha256(concatBytes(left, right)));
  }
  return above;
}

/**
 * Returns the siblings as headers of the network carry them (RSKIP-92): one after the other, each in the reverse order of its
 * bytes, in which people read Bitcoin's hashes.
 */
export function encodeBranch(siblings: readonly Uint8Array[]): Uint8Array {
  return joinBytes(siblings.map((sibling) => sibling.toReversed()));
}

/** Returns the siblings that {@link encodeBranch} wrote; `null` for bytes that are no such list. */
export function readBranch(bytes: Uint8Array): Uint8Array[] | null {
  if (bytes.length % HASH_SIZE !== 0) return null;
  return Array.from({ length: bytes.length / HASH_SIZE }, (_, index) =>
    bytes.slice(index * HASH_SIZE, (index + 1) * HASH_SIZE).toReversed(),
  );
}

/** The tag in front of the hash that a parent-chain coinbase transaction commits to: `RSKBLOCK:`. */
export const COMMITMENT_TAG = new TextEncoder().encode('RSKBLOCK:');

const SHA256_BLOCK = 64;
const LENGTH_SIZE = 8;
/** Bytes of a midstate as the network writes it: the length taken in, and the eight words. */
const MIDSTATE_SIZE = LENGTH_SIZE + 32;

/** Returns the offset of the last tag; -1 for none. */
export function lastTag(bytes: Uint8Array): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).lastIndexOf(COMMITMENT_TAG);
}

/**
 * Returns a coinbase transaction as headers of the network carry it: the SHA-256 midstate (40 bytes) of the whole 64-byte blocks
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

/** Bytes of a parent-chain header. */
export const PARENT_HEADER_SIZE = 80;

const ROOT_START = 36;
// At most one SHA-256 block before the commitment, or one transaction could be compressed in two ways.
const FARTHEST_TAG = 63;
const MOST_BYTES_AFTER = 128;
// A transaction that long could pass for two hashes of a Merkle tree.
const MERKLE_NODE_SIZE = 64;
const LONGEST_BRANCH = 960;

/** Blocks of less difficulty have the target of this one, as on the network. */
const LEAST_DIFFICULTY = 3n;

function targetOf(difficulty: bigint): Uint8Array {
  return bigIntToFixedBytes(2n ** 256n / difficulty, HASH_SIZE);
}

const EASIEST_TARGET = targetOf(LEAST_DIFFICULTY);

/** Returns the largest hash that solves work of the difficulty: 2^256 / max(difficulty, 3), big-endian in 32 bytes. */
export function workTarget(difficulty: bigint): Uint8Array {
  return difficulty > LEAST_DIFFICULTY ? targetOf(difficulty) : EASIEST_TARGET;
}

/** Returns true when a parent-chain header's hash (32 bytes, as hashed: little-endian) is not above the target (big-endian). */
export function meetsTarget(hash: Uint8Array, target: Uint8Array): boolean {
  for (let index = 0; index < HASH_SIZE; index++) {
    const difference = (hash[HASH_SIZE - 1 - index] ?? 0) - (target[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return true;
}

/**
 * Returns the fault of the proof of work in a header of the network, in words; `null` when it is valid. The parent chain's
 * header must meet the target and lead through the Merkle proof to a coinbase transaction that commits to this header
 * (RSKIP-92; the limit of the Merkle proof is RSKIP-180's).
 */
export function proofOfWorkFault(header: BlockHeader): string | null {
  const { mergedMining, difficulty } = header;
  if (mergedMining.header.length !== PARENT_HEADER_SIZE) {
    return `the parent chain's header has ${mergedMining.header.length} bytes, expected ${PARENT_HEADER_SIZE}`;
  }
  const target = workTarget(difficulty);
  const hash = doubleSha256(mergedMining.header);
  if (!meetsTarget(hash, target)) {
    const [found, most] = [hash.toReversed(), target].map((bytes) => toHex(bytes).slice(2));
    return `the hash ${found} of the parent chain's header is above the target ${most}`;
  }
  const coinbase = readCompressedCoinbase(mergedMining.coinbaseTransaction);
  if (coinbase === null) return 'there is no compressed coinbase transaction';
  const siblings = readBranch(mergedMining.merkleProof);
  if (siblings === null) return 'the Merkle proof is not a list of 32-byte hashes';
  if (mergedMining.merkleProof.length > LONGEST_BRANCH) {
    return `the Merkle proof has ${mergedMining.merkleProof.length} bytes; at most ${LONGEST_BRANCH} are allowed`;
  }
  const commitmentFault = findCommitmentFault(coinbase.tail, hashForMergedMining(header));
  if (commitmentFault !== null) return commitmentFault;
  if (coinbase.length <= MERKLE_NODE_SIZE) {
    return `the coinbase transaction has ${coinbase.length} bytes; it must be longer than ${MERKLE_NODE_SIZE}`;
  }
  const root = mergedMining.header.subarray(ROOT_START, ROOT_START + HASH_SIZE);
  return equalBytes(branchRoot(coinbase.hash, siblings), root)
    ? null
    : "the Merkle proof does not lead from the coinbase transaction to the Merkle root in the parent chain's header";
}

function findCommitmentFault(tail: Uint8Array, hash: Uint8Array): string | null {
  const tag = lastTag(tail);
  if (tag === -1) return 'the coinbase transaction has no RSKBLOCK: tag';
  const end = tag + COMMITMENT_TAG.length + HASH_SIZE;
  if (!equalBytes(tail.subarray(tag + COMMITMENT_TAG.length, end), hash)) {
    return 'the last RSKBLOCK: tag of the coinbase transaction does not commit to the block';
  }
  if (tag > FARTHEST_TAG) {
    return `the RSKBLOCK: tag begins ${tag} bytes after the midstate; at most ${FARTHEST_TAG} are allowed`;
  }
  const bytesAfter = tail.length - end;
  if (bytesAfter > MOST_BYTES_AFTER) {
    return `${bytesAfter} bytes follow the commitment; at most ${MOST_BYTES_AFTER} are allowed`;
  }
  return null;
}

const LOCK_TIME_SIZE = 4;

function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'));
}

/** The transaction in the compressed form, its commitment all zeros. */
const COMPRESSED = compressCoinbase(bytesOf(COINBASE_TRANSACTION));
const COMMITMENT_START = COMPRESSED.length - LOCK_TIME_SIZE - HASH_SIZE;

const HEADER = bytesOf(PARENT_HEADER);
const TIME_START = 68;
const NONCE_START = 76;

/** The commitment, the root of the transactions, the time and the nonce: in these, proofs of {@link LocalWork} differ. */
export const LOCAL_PROOF_MARKS_SIZE: number = 2 * HASH_SIZE + 2 * 4;
const BITS_START = TIME_START + 4;

/** True when the bytes from `start` to `end` are those of the other array. */
function isSameFrom(bytes: Uint8Array, other: Uint8Array, start: number, end: number): boolean {
  for (let index = start; index < end; index++) if (bytes[index] !== other[index]) return false;
  return true;
}

/** True for a proof that is like those of {@link LocalWork} in all but the marks. */
export function isLocalProof({ header, coinbaseTransaction, merkleProof }: MergedMining): boolean {
  if (merkleProof.length > 0 || header.length !== PARENT_HEADER_SIZE) return false;
  const { length } = COMPRESSED;
  return (
    coinbaseTransaction.length === length &&
    isSameFrom(header, HEADER, 0, ROOT_START) &&
    isSameFrom(header, HEADER, BITS_START, NONCE_START) &&
    isSameFrom(coinbaseTransaction, COMPRESSED, 0, COMMITMENT_START) &&
    isSameFrom(coinbaseTransaction, COMPRESSED, COMMITMENT_START + HASH_SIZE, length)
  );
}

/** Returns what makes a proof different from others that {@link isLocalProof} holds for. */
export function localProofMarks({ header, coinbaseTransaction }: MergedMining): Uint8Array {
  return concatBytes(
    coinbaseTransaction.subarray(COMMITMENT_START, COMMITMENT_START + HASH_SIZE),
    header.subarray(ROOT_START, BITS_START),
    header.subarray(NONCE_START),
  );
}

/** Returns the proof with the marks of {@link localProofMarks}. */
export function localProof(marks: Uint8Array): MergedMining {
  const header = HEADER.slice(0, PARENT_HEADER_SIZE);
  const coinbaseTransaction = COMPRESSED.slice();
  coinbaseTransaction.set(marks.subarray(0, HASH_SIZE), COMMITMENT_START);
  header.set(marks.subarray(HASH_SIZE, LOCAL_PROOF_MARKS_SIZE - 4), ROOT_START);
  header.set(marks.subarray(LOCAL_PROOF_MARKS_SIZE - 4, LOCAL_PROOF_MARKS_SIZE), NONCE_START);
  return { header, coinbaseTransaction, merkleProof: new Uint8Array(0) };
}

/**
 * The work on one block in a parent-chain block that the node makes up for it: nothing in that but the coinbase
 * transaction, so that the Merkle proof is empty and the transaction's hash is the root. The same for equal input: what
 * is searched for is the lowest nonce. The bytes of both are those that bitcoinjs-lib makes (`src/build/parent-block-template.mjs`);
 * what differs from block to block is written into them, as the library would take longer than all else of a block.
 */
export class LocalWork {
  /** The hash of the coinbase transaction, in the order in which it stands in the header. */
  readonly merkleRoot: Uint8Array;
  readonly #coinbaseTransaction: Uint8Array;
  readonly #target: Uint8Array;
  /** The first SHA-256 block of the header, which no nonce changes. */
  readonly #head: Sha256Midstate;
  readonly #header = HEADER.slice();
  readonly #view = new DataView(this.#header.buffer);
  readonly #tail = this.#header.subarray(SHA256_BLOCK);
  #nextNonce = 0;

  /** `commitment` is the block's hash for merged mining (32 bytes). */
  constructor(commitment: Uint8Array, difficulty: bigint) {
    this.#coinbaseTransaction = COMPRESSED.slice();
    this.#coinbaseTransaction.set(commitment, COMMITMENT_START);
    const coinbase = readCompressedCoinbase(this.#coinbaseTransaction);
    if (coinbase === null) throw new RangeError('the coinbase transaction is not compressed');
    this.merkleRoot = coinbase.hash;
    this.#header.set(this.merkleRoot, ROOT_START);
    this.#head = advanceSha256(SHA256_START, this.#header.subarray(0, SHA256_BLOCK));
    this.#target = workTarget(difficulty);
  }

  /**
   * Tries the next nonces, at most so many, each once. Gives the proof of the first that solves the work, `null` when
   * none of them does.
   */
  search(attempts: number): MergedMining | null {
    const end = this.#nextNonce + attempts;
    while (this.#nextNonce < end) {
      const proof = this.solution(Math.floor(this.#nextNonce / 2 ** 32), this.#nextNonce % 2 ** 32);
      this.#nextNonce++;
      if (proof !== null) return proof;
    }
    return null;
  }

  /** Returns the proof that the header has with that time and nonce (32 bits each); `null` when it does not solve the work. */
  solution(time: number, nonce: number): MergedMining | null {
    this.#view.setUint32(TIME_START, time, true);
    this.#view.setUint32(NONCE_START, nonce, true);
    if (!meetsTarget(finishDoubleSha256(this.#head, this.#tail), this.#target)) return null;
    return {
      header: this.#header.slice(0, PARENT_HEADER_SIZE),
      coinbaseTransaction: this.#coinbaseTransaction,
      merkleProof: new Uint8Array(0),
    };
  }
}
