// Partial Merkle trees (BIP-37): proofs that transactions are in a block. All hashes are in text order.

import { bytesToBigInt, concatBytes, equalBytes, joinBytes } from '../../primitives/bytes.ts';
import { doubleSha256 } from '../../primitives/sha256.ts';
import { BitcoinFormatError, ByteReader, encodeLength, littleEndian, reversed } from './byte-reader.ts';

const HASH_SIZE = 32;
/** A block of one megabyte has no more transactions. */
const MOST_TRANSACTIONS = 16_666;

export interface PartialMerkleTree {
  /** The number of transactions in the block. */
  readonly transactionCount: number;
  readonly hashes: readonly Uint8Array[];
  /** The flags of the nodes in depth-first order, lowest bit first. */
  readonly bits: Uint8Array;
}

/** Parses a tree. Throws `BitcoinFormatError` unless the bytes are exactly one tree. */
export function parsePartialMerkleTree(bytes: Uint8Array): PartialMerkleTree {
  const reader = new ByteReader(bytes);
  const transactionCount = reader.number(4);
  const hashes: Uint8Array[] = [];
  for (let left = reader.length(); left > 0; left--) hashes.push(reversed(reader.bytes(HASH_SIZE)));
  const bits = reader.lengthAndBytes();
  if (!reader.isAtEnd) throw new BitcoinFormatError('bytes follow the partial Merkle tree');
  return { transactionCount, hashes, bits };
}

export function serializePartialMerkleTree({
  transactionCount,
  hashes,
  bits,
}: PartialMerkleTree): Uint8Array {
  return joinBytes([
    littleEndian(transactionCount, 4),
    encodeLength(hashes.length),
    ...hashes.map(reversed),
    encodeLength(bits.length),
    bits,
  ]);
}

function widthOf(transactionCount: number, height: number): number {
  return Math.ceil(transactionCount / 2 ** height);
}

function heightOf(transactionCount: number): number {
  let height = 0;
  while (widthOf(transactionCount, height) > 1) height++;
  return height;
}

function combined(left: Uint8Array, right: Uint8Array): Uint8Array {
  return reversed(doubleSha256(concatBytes(reversed(left), reversed(right))));
}

/** Returns the tree that proves the included ids. `ids` are all ids of a block. */
export function buildPartialMerkleTree(
  ids: readonly Uint8Array[],
  isIncluded: (id: Uint8Array) => boolean,
): PartialMerkleTree {
  const included = ids.map(isIncluded);
  const hashes: Uint8Array[] = [];
  const flags: boolean[] = [];
  const hashAt = (height: number, index: number): Uint8Array => {
    if (height === 0) return ids[index] ?? new Uint8Array(HASH_SIZE);
    const left = hashAt(height - 1, 2 * index);
    const hasRight = 2 * index + 1 < widthOf(ids.length, height - 1);
    return combined(left, hasRight ? hashAt(height - 1, 2 * index + 1) : left);
  };
  const visit = (height: number, index: number): void => {
    const isParent = included.slice(index * 2 ** height, (index + 1) * 2 ** height).includes(true);
    flags.push(isParent);
    if (height === 0 || !isParent) {
      hashes.push(hashAt(height, index));
      return;
    }
    visit(height - 1, 2 * index);
    if (2 * index + 1 < widthOf(ids.length, height - 1)) visit(height - 1, 2 * index + 1);
  };
  visit(heightOf(ids.length), 0);
  const bits = new Uint8Array(Math.ceil(flags.length / 8));
  for (const [index, flag] of flags.entries()) {
    if (flag) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
  }
  return { transactionCount: ids.length, hashes, bits };
}

/** The proven ids and the root that the block must have. */
export interface ProvenIds {
  readonly root: Uint8Array;
  readonly ids: readonly Uint8Array[];
}

/** Computes the root and the proven ids. Throws `BitcoinFormatError` for a tree that proves nothing. */
export function provenIds({ transactionCount, hashes, bits }: PartialMerkleTree): ProvenIds {
  if (transactionCount === 0) throw new BitcoinFormatError('the partial Merkle tree has no transactions');
  if (transactionCount > MOST_TRANSACTIONS) {
    throw new BitcoinFormatError(`a block cannot have ${transactionCount} transactions`);
  }
  if (hashes.length > transactionCount) {
    throw new BitcoinFormatError('the partial Merkle tree has more hashes than transactions');
  }
  if (bits.length * 8 < hashes.length) {
    throw new BitcoinFormatError('the partial Merkle tree has fewer flags than hashes');
  }
  const ids: Uint8Array[] = [];
  let usedBits = 0;
  let usedHashes = 0;
  const visit = (height: number, index: number): Uint8Array => {
    if (usedBits >= bits.length * 8)
      throw new BitcoinFormatError('the partial Merkle tree has too few flags');
    const isParent = (((bits[usedBits >> 3] ?? 0) >> (usedBits & 7)) & 1) === 1;
    usedBits++;
    if (height === 0 || !isParent) {
      const hash = hashes[usedHashes++];
      if (hash === undefined) throw new BitcoinFormatError('the partial Merkle tree has too few hashes');
      if (isParent) ids.push(hash);
      return hash;
    }
    const left = visit(height - 1, 2 * index);
    if (2 * index + 1 >= widthOf(transactionCount, height - 1)) return checkedPair(left, left);
    const right = visit(height - 1, 2 * index + 1);
    if (equalBytes(left, right)) throw new BitcoinFormatError('the partial Merkle tree has equal branches');
    return checkedPair(left, right);
  };
  const root = visit(heightOf(transactionCount), 0);
  if (Math.ceil(usedBits / 8) !== bits.length || usedHashes !== hashes.length) {
    throw new BitcoinFormatError('the partial Merkle tree has unused flags or hashes');
  }
  return { root, ids };
}

/** Combines two hashes. Throws `BitcoinFormatError` if both together are also a transaction. */
export function checkedPair(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (looksLikeTransaction(concatBytes(left, right)))
    throw new BitcoinFormatError('a node of the Merkle tree is also a transaction');
  return combined(left, right);
}

const COINBASE_INDEX = 0xffff_ffff;
const HIGHEST_INDEX = 1_000_000;
const MOST_SATOSHI = 2_100_000_000_000_000n;
const SCRIPT_SIZE = 4;

/** Returns true if 64 bytes are also a transaction, because a proof could then contain a forged transaction. */
function looksLikeTransaction(node: Uint8Array): boolean {
  const littleEndianAt = (offset: number, length: number) =>
    bytesToBigInt(reversed(node.subarray(offset, offset + length)));
  const index = Number(littleEndianAt(37, 4));
  const inputScript = node[41] ?? 0;
  if (node[4] !== 1 || (index > HIGHEST_INDEX && index !== COINBASE_INDEX) || inputScript > SCRIPT_SIZE)
    return false;
  const outputs = 46 + inputScript;
  const value = littleEndianAt(outputs + 1, 8);
  return (
    node[outputs] === 1 &&
    value >= 1n &&
    value <= MOST_SATOSHI &&
    inputScript + (node[outputs + 9] ?? 0) === SCRIPT_SIZE
  );
}
