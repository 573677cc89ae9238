// Blocks of the parent chain (Bitcoin, regtest).

import { bytesToBigInt, concatBytes, joinBytes } from '../../primitives/bytes.ts';
import { fromHex, hexKey } from '../../primitives/hex.ts';
import { doubleSha256 } from '../../primitives/sha256.ts';
import type { Steps } from '../../primitives/steps.ts';
import { BitcoinFormatError, ByteReader, encodeLength, littleEndian } from '../bitcoin/byte-reader.ts';
import { merkleRootOfIds } from '../bitcoin/merkle-root.ts';
import { GENESIS_HEADER } from '../bridge/parent-chain.ts';
import {
  hashBytes,
  hashText,
  NO_TXID,
  type ParentTransaction,
  readTransaction,
} from './parent-transaction.ts';
import { transactionLength } from './transaction-size.ts';

/** The constant target of regtest, in compact form. */
export const REGTEST_BITS = 0x207fffff;
const REGTEST_TARGET = 0x7fffffn << 232n;
/** The expected number of hashes per block. */
export const BLOCK_WORK: bigint = (1n << 256n) / (REGTEST_TARGET + 1n);

/** In bytes. */
export const HEADER_SIZE = 80;
/** The number of blocks that the median time past uses (BIP-113). */
const MEDIAN_SPAN = 11;

export interface BlockHeaderContent {
  readonly version: number;
  /** 64 digits in text order. */
  readonly parentHash: string;
  /** 64 digits in text order. */
  readonly merkleRoot: string;
  /** In seconds. */
  readonly time: number;
  readonly bits: number;
  readonly nonce: number;
}

/** A block, linked to its parent. Immutable. */
export interface ParentBlock {
  /** `null` for the genesis block. */
  readonly parent: ParentBlock | null;
  readonly height: number;
  /** 64 digits in text order. */
  readonly hash: string;
  readonly header: BlockHeaderContent;
  readonly transactions: readonly ParentTransaction[];
}

export function headerBytes(header: BlockHeaderContent): Uint8Array {
  return concatBytes(
    littleEndian(header.version, 4),
    hashBytes(header.parentHash),
    hashBytes(header.merkleRoot),
    littleEndian(header.time, 4),
    littleEndian(header.bits, 4),
    littleEndian(header.nonce, 4),
  );
}

/** Parses a header of 80 bytes. Throws `BitcoinFormatError` if the bytes end too early. */
export function readHeader(bytes: Uint8Array): BlockHeaderContent {
  const reader = new ByteReader(bytes);
  return {
    version: reader.number(4),
    parentHash: hashText(reader.bytes(32)),
    merkleRoot: hashText(reader.bytes(32)),
    time: reader.number(4),
    bits: reader.number(4),
    nonce: reader.number(4),
  };
}

/** Returns the hash of a header in text order. */
export function headerHash(header: BlockHeaderContent): string {
  return hashText(doubleSha256(headerBytes(header)));
}

/** Returns true if a hash (text order) meets the target of regtest. */
export function meetsRegtestTarget(hash: string): boolean {
  return bytesToBigInt(fromHex(`0x${hash}`)) <= REGTEST_TARGET;
}

/** Returns the Merkle root of ids in text order; zeros without ids. */
export function merkleRoot(ids: readonly string[]): string {
  if (ids.length === 0) return NO_TXID;
  return hexKey(merkleRootOfIds(ids.map((id) => fromHex(`0x${id}`))));
}

/** Returns the Merkle root of the transactions in text order. */
export function merkleRootOfBlock(transactions: readonly ParentTransaction[]): string {
  return merkleRoot(transactions.map(({ txid }) => txid));
}

/** The median of the times of a block and its ten ancestors, in seconds (BIP-113). */
export function medianTimePast(block: ParentBlock): number {
  const times: number[] = [];
  let cursor: ParentBlock | null = block;
  while (cursor !== null && times.length < MEDIAN_SPAN) {
    times.push(cursor.header.time);
    cursor = cursor.parent;
  }
  times.sort((left, right) => left - right);
  return times[Math.floor(times.length / 2)] ?? 0;
}

/** Returns the serialized block with witnesses. */
export function blockBytes({
  header,
  transactions,
}: Pick<ParentBlock, 'header' | 'transactions'>): Uint8Array {
  return joinBytes([
    headerBytes(header),
    encodeLength(transactions.length),
    ...transactions.map(({ bytes }) => bytes),
  ]);
}

/** Work units to parse a transaction, without its size. */
const TRANSACTION_WORK = 2 ** 8;

/** A block without its place in the chain. */
export type DetachedBlock = Omit<ParentBlock, 'parent' | 'height'>;

/** Parses a serialized block. Throws `BitcoinFormatError` if the bytes are not exactly one block. */
export function* readBlock(bytes: Uint8Array): Steps<DetachedBlock> {
  const header = readHeader(bytes.subarray(0, HEADER_SIZE));
  const reader = new ByteReader(bytes.subarray(0, HEADER_SIZE + 9));
  reader.bytes(HEADER_SIZE);
  const count = reader.length();
  const transactions: ParentTransaction[] = [];
  let start = reader.offset;
  for (let index = 0; index < count; index++) {
    const end = start + transactionLength(bytes, start);
    transactions.push(readTransaction(bytes.slice(start, end)));
    yield TRANSACTION_WORK + (end - start);
    start = end;
  }
  if (start !== bytes.length) throw new BitcoinFormatError('bytes follow the block');
  return { header, hash: headerHash(header), transactions };
}

/** The coinbase transaction of every genesis block of Bitcoin. */
const GENESIS_TRANSACTION = readTransaction(
  fromHex(
    '0x01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468' +
      '652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e642062' +
      '61696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a8' +
      '28e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000',
  ),
);

const GENESIS_CONTENT = readHeader(GENESIS_HEADER.raw);

/** The genesis block of regtest, as in the Bridge. */
export const GENESIS_BLOCK: ParentBlock = {
  parent: null,
  height: 0,
  hash: headerHash(GENESIS_CONTENT),
  header: GENESIS_CONTENT,
  transactions: [GENESIS_TRANSACTION],
};
