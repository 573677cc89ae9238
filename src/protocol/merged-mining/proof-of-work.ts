// The proof of work of merged mining: compresses coinbase transactions, verifies proofs, and searches for a
// proof on a local parent chain block.

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

/** Returns the root (32 bytes) of a Bitcoin Merkle tree from its first leaf and its siblings. */
export function branchRoot(leaf: Uint8Array, siblings: readonly Uint8Array[]): Uint8Array {
  return siblings.reduce((left, right) => doubleSha256(concatBytes(left, right)), leaf);
}

/** Returns the siblings of the first leaf of a Bitcoin Merkle tree, lowest first. `hashes` are all leaves. */
export function firstBranch(hashes: readonly Uint8Array[]): Uint8Array[] {
  const siblings: Uint8Array[] = [];
  for (let row = hashes; row.length > 1; row = rowAbove(row)) {
    const [, sibling] = row;
    if (sibling !== undefined) siblings.push(sibling);
  }
  return siblings;
}

/** The last hash of an odd row is paired with itself. */
function rowAbove(row: readonly Uint8Array[]): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let index = 0; index < row.length; index += 2) {
    const left = row[index];
    const right = row[index + 1] ?? left;
    if (left !== undefined && right !== undefined) above.push(doubleSha256(concatBytes(left, right)));
  }
  return above;
}

/** Encodes the siblings as in Rootstock's headers (RSKIP-92): each in reversed byte order. */
export function encodeBranch(siblings: readonly Uint8Array[]): Uint8Array {
  return joinBytes(siblings.map((sibling) => sibling.toReversed()));
}

/** Decodes the siblings of {@link encodeBranch}; `null` if invalid. */
export function readBranch(bytes: Uint8Array): Uint8Array[] | null {
  if (bytes.length % HASH_SIZE !== 0) return null;
  return Array.from({ length: bytes.length / HASH_SIZE }, (_, index) =>
    bytes.slice(index * HASH_SIZE, (index + 1) * HASH_SIZE).toReversed(),
  );
}

/** The tag before the hash in the coinbase transaction: `RSKBLOCK:`. */
export const COMMITMENT_TAG = new TextEncoder().encode('RSKBLOCK:');

const SHA256_BLOCK = 64;
const LENGTH_SIZE = 8;
/** Size of an encoded midstate in bytes: the hashed length and eight words. */
const MIDSTATE_SIZE = LENGTH_SIZE + 32;

/** Returns the offset of the last tag; -1 if absent. */
export function lastTag(bytes: Uint8Array): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).lastIndexOf(COMMITMENT_TAG);
}

/**
 * Compresses a coinbase transaction as in Rootstock's headers. The whole 64-byte blocks before its last tag
 * become a SHA-256 midstate (40 bytes). The size therefore does not depend on the bytes before the tag.
 */
export function compressCoinbase(transaction: Uint8Array): Uint8Array {
  const hashed = Math.max(0, lastTag(transaction));
  const length = hashed - (hashed % SHA256_BLOCK);
  const { words } = advanceSha256(SHA256_START, transaction.subarray(0, length));
  const lengthBytes = bigIntToFixedBytes(BigInt(length), LENGTH_SIZE);
  return concatBytes(lengthBytes, wordsToBytes(words), transaction.subarray(length));
}

export interface CompressedCoinbase {
  /** The length of the whole transaction in bytes. */
  readonly length: number;
  /** The bytes after the midstate. */
  readonly tail: Uint8Array;
  /** 32 bytes in internal byte order. */
  readonly hash: Uint8Array;
}

/** Decodes a compressed coinbase transaction; `null` if invalid. */
export function readCompressedCoinbase(compressed: Uint8Array): CompressedCoinbase | null {
  if (compressed.length < MIDSTATE_SIZE) return null;
  const hashed = Number(bytesToBigInt(compressed.subarray(0, LENGTH_SIZE)));
  // A longer transaction is impossible, and its number of bits would not be exact.
  if (hashed % SHA256_BLOCK !== 0 || hashed > Number.MAX_SAFE_INTEGER / 16) return null;
  const tail = compressed.subarray(MIDSTATE_SIZE);
  const midstate = { length: hashed, words: bytesToWords(compressed.subarray(LENGTH_SIZE, MIDSTATE_SIZE)) };
  return { length: hashed + tail.length, tail, hash: finishDoubleSha256(midstate, tail) };
}

/** In bytes. */
export const PARENT_HEADER_SIZE = 80;

const ROOT_START = 36;
// At most one SHA-256 block before the commitment; otherwise a transaction would have two compressed forms.
const FARTHEST_TAG = 63;
const MAX_BYTES_AFTER = 128;
// A transaction of this length could be mistaken for two hashes of a Merkle tree.
const MERKLE_NODE_SIZE = 64;
const MAX_BRANCH_LENGTH = 960;

/** Lower difficulties have the target of this difficulty, as on Rootstock. */
const MIN_DIFFICULTY = 3n;

function targetOf(difficulty: bigint): Uint8Array {
  return bigIntToFixedBytes(2n ** 256n / difficulty, HASH_SIZE);
}

const EASIEST_TARGET = targetOf(MIN_DIFFICULTY);

/** Returns the maximum hash for a difficulty: 2^256 / max(difficulty, 3), 32 bytes big-endian. */
export function workTarget(difficulty: bigint): Uint8Array {
  return difficulty > MIN_DIFFICULTY ? targetOf(difficulty) : EASIEST_TARGET;
}

/** Returns true if a hash (32 bytes, little-endian) is not above the target (big-endian). */
export function meetsTarget(hash: Uint8Array, target: Uint8Array): boolean {
  for (let index = 0; index < HASH_SIZE; index++) {
    const difference = (hash[HASH_SIZE - 1 - index] ?? 0) - (target[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return true;
}

/**
 * Returns the reason why the proof of work of a Rootstock header is invalid; `null` if it is valid. The
 * parent chain header must meet the target. Its Merkle proof (limited by RSKIP-180) must lead to a coinbase
 * transaction that commits to this header (RSKIP-92).
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
  if (mergedMining.merkleProof.length > MAX_BRANCH_LENGTH) {
    return `the Merkle proof has ${mergedMining.merkleProof.length} bytes; at most ${MAX_BRANCH_LENGTH} are allowed`;
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
  if (bytesAfter > MAX_BYTES_AFTER) {
    return `${bytesAfter} bytes follow the commitment; at most ${MAX_BYTES_AFTER} are allowed`;
  }
  return null;
}

const LOCK_TIME_SIZE = 4;

function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'));
}

/** The compressed transaction with an empty commitment. */
const COMPRESSED = compressCoinbase(bytesOf(COINBASE_TRANSACTION));
const COMMITMENT_START = COMPRESSED.length - LOCK_TIME_SIZE - HASH_SIZE;

const HEADER = bytesOf(PARENT_HEADER);
const TIME_START = 68;
const NONCE_START = 76;

/** The bytes that differ between local proofs: commitment, transactions root, time and nonce. */
const LOCAL_PROOF_MARKS_SIZE: number = 2 * HASH_SIZE + 2 * 4;
const BITS_START = TIME_START + 4;

/** Returns true if the bytes from `start` to `end` are equal. */
function isSameFrom(bytes: Uint8Array, other: Uint8Array, start: number, end: number): boolean {
  for (let index = start; index < end; index++) if (bytes[index] !== other[index]) return false;
  return true;
}

/** Returns true if a proof differs from the proofs of {@link LocalWork} only in its marks. */
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

/** Returns the bytes that identify a proof among the local proofs. */
export function localProofMarks({ header, coinbaseTransaction }: MergedMining): Uint8Array {
  return concatBytes(
    coinbaseTransaction.subarray(COMMITMENT_START, COMMITMENT_START + HASH_SIZE),
    header.subarray(ROOT_START, BITS_START),
    header.subarray(NONCE_START),
  );
}

/** Restores a proof from its {@link localProofMarks}. */
export function localProof(marks: Uint8Array): MergedMining {
  const header = HEADER.slice(0, PARENT_HEADER_SIZE);
  const coinbaseTransaction = COMPRESSED.slice();
  coinbaseTransaction.set(marks.subarray(0, HASH_SIZE), COMMITMENT_START);
  header.set(marks.subarray(HASH_SIZE, LOCAL_PROOF_MARKS_SIZE - 4), ROOT_START);
  header.set(marks.subarray(LOCAL_PROOF_MARKS_SIZE - 4, LOCAL_PROOF_MARKS_SIZE), NONCE_START);
  return { header, coinbaseTransaction, merkleProof: new Uint8Array(0) };
}

/** The search for the proof of work of one block. */
export interface BlockWork {
  /** The hash of the coinbase transaction, in the byte order of the header. */
  readonly merkleRoot: Uint8Array;
  /** Tries up to `attempts` further nonces. Returns the first valid proof, or `null`. */
  search(attempts: number): MergedMining | null;
  /** Returns the proof with this time and nonce (32 bits each); `null` if it does not meet the target. */
  solution(time: number, nonce: number): MergedMining | null;
}

/** Creates the work of a block. `commitment` is the block's hash for merged mining (32 bytes). */
export type CreateWork = (commitment: Uint8Array, difficulty: bigint) => BlockWork;

export const createLocalWork: CreateWork = (commitment, difficulty) => new LocalWork(commitment, difficulty);

/**
 * The proof of work of one block, on a local parent chain block. The parent block contains only the coinbase
 * transaction, so the Merkle proof is empty and the transaction hash is the root. The result is
 * deterministic: the lowest valid nonce. The bytes come from bitcoinjs-lib at build time
 * (`src/build/parent-block-template.mjs`). Only the parts that differ per block are written at run time,
 * because the library is slow.
 */
export class LocalWork implements BlockWork {
  readonly merkleRoot: Uint8Array;
  readonly #coinbaseTransaction: Uint8Array;
  readonly #target: Uint8Array;
  /** The midstate of the header's first SHA-256 block. It does not depend on the nonce. */
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

  search(attempts: number): MergedMining | null {
    const end = this.#nextNonce + attempts;
    while (this.#nextNonce < end) {
      const proof = this.solution(Math.floor(this.#nextNonce / 2 ** 32), this.#nextNonce % 2 ** 32);
      this.#nextNonce++;
      if (proof !== null) return proof;
    }
    return null;
  }

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
