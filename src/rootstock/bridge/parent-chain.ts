// The headers of the parent chain (Bitcoin) stored by the Bridge.

import { PrecompileError } from '../../evm/precompiles/precompiled-contract.ts';
import { bigIntToFixedBytes, bytesToBigInt, concatBytes, equalBytes } from '../../primitives/bytes.ts';
import { fromHex } from '../../primitives/hex.ts';
import { doubleSha256 } from '../../primitives/sha256.ts';
import { PARENT_HEADER_SIZE } from '../../protocol/merged-mining/proof-of-work.ts';
import { checkedPair } from '../bitcoin/partial-merkle-tree.ts';
import { type BridgeStorage, keyedSlot, namedSlot } from './bridge-storage.ts';

const VERSION_SIZE = 4;
const HASH_SIZE = 32;
const BITS = 72;

/** The constant target of regtest, in compact form. */
const LOCAL_BITS = 0x207fffff;
const LOCAL_TARGET = 0x7fffffn << 232n;
/** The expected number of hashes per block. */
const LOCAL_WORK = (1n << 256n) / (LOCAL_TARGET + 1n);

/** A header of the parent chain. Its hashes are in text order (reversed raw bytes). */
export interface ParentHeader {
  /** 80 bytes. */
  readonly raw: Uint8Array;
  /** 32 bytes. */
  readonly hash: Uint8Array;
  /** 32 bytes. */
  readonly parentHash: Uint8Array;
  /** 32 bytes. */
  readonly merkleRoot: Uint8Array;
}

/** Converts a hash between raw and text order. */
function reversed(bytes: Uint8Array): Uint8Array {
  return bytes.slice().reverse();
}

/** Decodes a header of 80 bytes. */
export function parseHeader(raw: Uint8Array): ParentHeader {
  const merkleStart = VERSION_SIZE + HASH_SIZE;
  return {
    raw,
    hash: reversed(doubleSha256(raw)),
    parentHash: reversed(raw.subarray(VERSION_SIZE, merkleStart)),
    merkleRoot: reversed(raw.subarray(merkleStart, merkleStart + HASH_SIZE)),
  };
}

/** The genesis block of regtest. */
export const GENESIS_HEADER: ParentHeader = parseHeader(
  fromHex(
    '0x0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f61' +
      '7fc81bc3888a51323a9fb8aa4b1e5e4adae5494dffff7f2002000000',
  ),
);

/** The work of every block, because the target is constant. */
const BLOCK_WORK = LOCAL_WORK;

/** Returns true if the header has the target of regtest and its hash meets it. */
export function provesWork({ raw, hash }: ParentHeader): boolean {
  const bits = new DataView(raw.buffer, raw.byteOffset).getUint32(BITS, true);
  return bits === LOCAL_BITS && bytesToBigInt(hash) <= LOCAL_TARGET;
}

/** Maximum number of hashes of a Merkle branch. */
const MAX_BRANCH_LENGTH = 32;

/**
 * A path from a transaction to a Merkle root (RSKIP-122). The hashes are 32 bytes in text order. Each bit of
 * `path` (32 bits, lowest first) is 1 if the path comes from the right side.
 */
export interface MerkleBranch {
  readonly path: number;
  readonly hashes: readonly Uint8Array[];
}

/** Throws `PrecompileError` if the path has more bits than the branch has hashes, or the branch is too long. */
export function requireBranch({ path, hashes }: MerkleBranch): void {
  const pathBits = 32 - Math.clz32(path);
  if (hashes.length > MAX_BRANCH_LENGTH || pathBits > hashes.length) {
    throw new PrecompileError(
      'the path has more bits than the Merkle branch has hashes, or the branch is too long',
    );
  }
}

/** Returns the Merkle root of a transaction. Throws `BitcoinFormatError` if a node is also a transaction. */
export function merkleRootOf(transactionHash: Uint8Array, { path, hashes }: MerkleBranch): Uint8Array {
  return hashes.reduce((hash, beside, level) => {
    const isRight = ((path >> level) & 1) === 1;
    return isRight ? checkedPair(beside, hash) : checkedPair(hash, beside);
  }, transactionHash);
}

/** A block of the parent chain in the Bridge's storage. */
export interface ParentBlock {
  readonly header: ParentHeader;
  readonly height: number;
  /** The total work of the chain up to this block. */
  readonly chainWork: bigint;
}

const HEAD = namedSlot('blockStoreChainHead');
const BLOCK = 'btcBlock';
const HASH_AT_HEIGHT = 'btcBlockHashByHeight';
const HEIGHT_SIZE = 8;
const WORK_SIZE = 32;
const NO_HASH = new Uint8Array(32);
const GENESIS: ParentBlock = { header: GENESIS_HEADER, height: 0, chainWork: BLOCK_WORK };

/** The lowest indexed height, and the search depth below the best block without an index. */
const INDEX_HEIGHT = 10;
const SEARCH_DEPTH = 5;

function heightKey(height: number): Uint8Array {
  return bigIntToFixedBytes(BigInt(height), HEIGHT_SIZE);
}

/**
 * The parent chain's headers in the storage of the Bridge. It starts with the genesis block of regtest and
 * follows the chain with the most work.
 */
export class ParentChain {
  readonly #storage: BridgeStorage;

  constructor(storage: BridgeStorage) {
    this.#storage = storage;
  }

  /** The best block. */
  get head(): ParentBlock {
    const hash = this.#storage.word(HEAD);
    return (equalBytes(hash, NO_HASH) ? undefined : this.block(hash)) ?? GENESIS;
  }

  /** Returns the block with this hash, even if it is not on the best chain. */
  block(hash: Uint8Array): ParentBlock | undefined {
    if (equalBytes(hash, GENESIS_HEADER.hash)) return GENESIS;
    const stored = this.#storage.bytes(keyedSlot(BLOCK, hash), WORK_SIZE + HEIGHT_SIZE + PARENT_HEADER_SIZE);
    const chainWork = bytesToBigInt(stored.subarray(0, WORK_SIZE));
    if (chainWork === 0n) return undefined;
    const height = Number(bytesToBigInt(stored.subarray(WORK_SIZE, WORK_SIZE + HEIGHT_SIZE)));
    return { header: parseHeader(stored.slice(WORK_SIZE + HEIGHT_SIZE)), height, chainWork };
  }

  /** Returns the block of the best chain at this height. */
  blockAt(height: number): ParentBlock | undefined {
    if (height < 0 || height > this.head.height) return undefined;
    return height === 0 ? GENESIS : this.block(this.#hashAt(height));
  }

  /** Like {@link blockAt}, within the depth that the Bridge searches by height. */
  findByHeight(height: number): ParentBlock | undefined {
    const best = this.head.height;
    const lowest = best - INDEX_HEIGHT > SEARCH_DEPTH ? INDEX_HEIGHT : best - SEARCH_DEPTH;
    return height < lowest ? undefined : this.blockAt(height);
  }

  /** Adds a block. Returns false if its parent is unknown or its proof of work is invalid. */
  add(header: ParentHeader): boolean {
    if (this.block(header.hash) !== undefined) return true;
    const parent = this.block(header.parentHash);
    if (parent === undefined || !provesWork(header)) return false;
    const block = { header, height: parent.height + 1, chainWork: parent.chainWork + BLOCK_WORK };
    this.#storage.setBytes(
      keyedSlot(BLOCK, header.hash),
      concatBytes(bigIntToFixedBytes(block.chainWork, WORK_SIZE), heightKey(block.height), header.raw),
    );
    if (block.chainWork > this.head.chainWork) this.#makeBest(block);
    return true;
  }

  #hashAt(height: number): Uint8Array {
    return this.#storage.word(keyedSlot(HASH_AT_HEIGHT, heightKey(height)));
  }

  #makeBest(block: ParentBlock): void {
    this.#storage.setWord(HEAD, block.header.hash);
    let cursor: ParentBlock | undefined = block;
    while (
      cursor !== undefined &&
      cursor.height > 0 &&
      !equalBytes(this.#hashAt(cursor.height), cursor.header.hash)
    ) {
      this.#storage.setWord(keyedSlot(HASH_AT_HEIGHT, heightKey(cursor.height)), cursor.header.hash);
      cursor = this.block(cursor.header.parentHash);
    }
  }
}
