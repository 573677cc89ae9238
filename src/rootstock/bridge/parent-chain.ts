// The parent chain's headers that the Bridge knows.

import { PrecompileError } from '../../evm/precompiles/precompiled-contract.ts';
import { bigIntToFixedBytes, bytesToBigInt, concatBytes, equalBytes } from '../../primitives/bytes.ts';
import { fromHex } from '../../primitives/hex.ts';
import { doubleSha256 } from '../../primitives/sha256.ts';
import { PARENT_HEADER_SIZE } from '../../protocol/merged-mining/proof-of-work.ts';
import { type BridgeStorage, keyedSlot, namedSlot } from './bridge-storage.ts';

const VERSION_SIZE = 4;
const HASH_SIZE = 32;
const BITS = 72;

/** The target of every block of a local parent chain, in compact form: it never changes there. */
const LOCAL_BITS = 0x207fffff;
const LOCAL_TARGET = 0x7fffffn << 232n;
/** The expected number of hashes until one meets the target. */
const LOCAL_WORK = (1n << 256n) / (LOCAL_TARGET + 1n);

/** A header of the parent chain, with the hashes in the usual text order: the last byte of the raw hash first. */
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

/** Returns the bytes in reverse order: raw hashes to their text order and back. */
function reversed(bytes: Uint8Array): Uint8Array {
  return bytes.slice().reverse();
}

/** Returns the header encoded by 80 bytes. */
export function parseHeader(raw: Uint8Array): ParentHeader {
  const merkleStart = VERSION_SIZE + HASH_SIZE;
  return {
    raw,
    hash: reversed(doubleSha256(raw)),
    parentHash: reversed(raw.subarray(VERSION_SIZE, merkleStart)),
    merkleRoot: reversed(raw.subarray(merkleStart, merkleStart + HASH_SIZE)),
  };
}

/** The first block of a local parent chain, which every node knows. */
export const GENESIS_HEADER: ParentHeader = parseHeader(
  fromHex(
    '0x0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f61' +
      '7fc81bc3888a51323a9fb8aa4b1e5e4adae5494dffff7f2002000000',
  ),
);

/** The work of a block, which is the same for all, because the target never changes. */
const BLOCK_WORK = LOCAL_WORK;

/** True if the header has the target of a local parent chain and its hash meets it. */
export function provesWork({ raw, hash }: ParentHeader): boolean {
  const bits = new DataView(raw.buffer, raw.byteOffset).getUint32(BITS, true);
  return bits === LOCAL_BITS && bytesToBigInt(hash) <= LOCAL_TARGET;
}

/** The maximum number of hashes of a branch. */
const LONGEST_BRANCH = 255;

/**
 * Returns the Merkle root of a transaction and the hashes beside its path (RSKIP122): all 32 bytes, in text order. Each
 * bit of `path` (32 bits), the lowest first, says whether the path comes from the right side (1) or the left. Throws a
 * `PrecompileError` for a path that has more bits than there are hashes.
 */
export function merkleRootOf(
  transactionHash: Uint8Array,
  path: number,
  branch: readonly Uint8Array[],
): Uint8Array {
  const pathBits = 32 - Math.clz32(path);
  if (branch.length > LONGEST_BRANCH || pathBits > branch.length) {
    throw new PrecompileError(
      'the path has more bits than the Merkle branch has hashes, or the branch is too long',
    );
  }
  return branch.reduce((hash, beside, level) => {
    const isRight = ((path >> level) & 1) === 1;
    const [left, right] = isRight ? [beside, hash] : [hash, beside];
    return reversed(doubleSha256(concatBytes(reversed(left), reversed(right))));
  }, transactionHash);
}

/** A block of the parent chain that the Bridge knows. */
export interface ParentBlock {
  readonly header: ParentHeader;
  readonly height: number;
  /** The work of the chain that ends with it. */
  readonly chainWork: bigint;
}

const HEAD = namedSlot('blockStoreChainHead');
const BLOCK = 'btcBlock';
const HASH_AT_HEIGHT = 'btcBlockHashByHeight';
const HEIGHT_SIZE = 8;
const WORK_SIZE = 32;
const NO_HASH = new Uint8Array(32);
const GENESIS: ParentBlock = { header: GENESIS_HEADER, height: 0, chainWork: BLOCK_WORK };

/**
 * The height from which on the Bridge has an index of blocks by height, and how far below its best block it searches
 * before that.
 */
const INDEX_HEIGHT = 10;
const SEARCH_DEPTH = 5;

function heightKey(height: number): Uint8Array {
  return bigIntToFixedBytes(BigInt(height), HEIGHT_SIZE);
}

/**
 * The headers of the parent chain that were reported to the Bridge, in its storage. It begins with the first block of a
 * local parent chain, and follows the chain with the most work.
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

  /** Returns the block with that hash, on the best chain or beside it. */
  block(hash: Uint8Array): ParentBlock | undefined {
    if (equalBytes(hash, GENESIS_HEADER.hash)) return GENESIS;
    const stored = this.#storage.bytes(keyedSlot(BLOCK, hash), WORK_SIZE + HEIGHT_SIZE + PARENT_HEADER_SIZE);
    const chainWork = bytesToBigInt(stored.subarray(0, WORK_SIZE));
    if (chainWork === 0n) return undefined;
    const height = Number(bytesToBigInt(stored.subarray(WORK_SIZE, WORK_SIZE + HEIGHT_SIZE)));
    return { header: parseHeader(stored.slice(WORK_SIZE + HEIGHT_SIZE)), height, chainWork };
  }

  /** Returns the block of the best chain at that height. */
  blockAt(height: number): ParentBlock | undefined {
    if (height < 0 || height > this.head.height) return undefined;
    return height === 0 ? GENESIS : this.block(this.#hashAt(height));
  }

  /** Same as {@link blockAt}, only as far down as the Bridge searches for heights. */
  findByHeight(height: number): ParentBlock | undefined {
    const best = this.head.height;
    const lowest = best - INDEX_HEIGHT > SEARCH_DEPTH ? INDEX_HEIGHT : best - SEARCH_DEPTH;
    return height < lowest ? undefined : this.blockAt(height);
  }

  /**
   * Adds a block, whose parent must be known. Returns true when it is added or known already, false when it proves no
   * work or has an unknown parent.
   */
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
