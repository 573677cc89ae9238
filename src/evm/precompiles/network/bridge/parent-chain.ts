import { bigIntToFixedBytes, bytesToBigInt, concatBytes, equalBytes } from '../../../../primitives/bytes.ts';
import { PARENT_HEADER_SIZE } from '../../../../protocol/merged-mining/proof-of-work.ts';
import { BLOCK_WORK, GENESIS_HEADER, type ParentHeader, parseHeader, provesWork } from './block-header.ts';
import { type BridgeStorage, keyedSlot, namedSlot } from './bridge-storage.ts';

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

/** Where the Bridge begins to find blocks by their height, and how far below its best block it looks before that. */
const INDEX_HEIGHT = 10;
const SEARCH_DEPTH = 5;

function heightKey(height: number): Uint8Array {
  return bigIntToFixedBytes(BigInt(height), HEIGHT_SIZE);
}

/**
 * The headers of the parent chain that the Bridge was told of, in its storage. It begins with the first block of a local
 * parent chain, and follows the chain with the most work.
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

  /** The block with that hash, on the best chain or beside it. */
  block(hash: Uint8Array): ParentBlock | undefined {
    if (equalBytes(hash, GENESIS_HEADER.hash)) return GENESIS;
    const stored = this.#storage.bytes(keyedSlot(BLOCK, hash), WORK_SIZE + HEIGHT_SIZE + PARENT_HEADER_SIZE);
    const chainWork = bytesToBigInt(stored.subarray(0, WORK_SIZE));
    if (chainWork === 0n) return undefined;
    const height = Number(bytesToBigInt(stored.subarray(WORK_SIZE, WORK_SIZE + HEIGHT_SIZE)));
    return { header: parseHeader(stored.slice(WORK_SIZE + HEIGHT_SIZE)), height, chainWork };
  }

  /** The block of the best chain at that height. */
  blockAt(height: number): ParentBlock | undefined {
    if (height < 0 || height > this.head.height) return undefined;
    return height === 0 ? GENESIS : this.block(this.#hashAt(height));
  }

  /** As {@link blockAt}, as far down as the Bridge looks when it is asked for heights. */
  findByHeight(height: number): ParentBlock | undefined {
    const best = this.head.height;
    const lowest = best - INDEX_HEIGHT > SEARCH_DEPTH ? INDEX_HEIGHT : best - SEARCH_DEPTH;
    return height < lowest ? undefined : this.blockAt(height);
  }

  /**
   * Takes a block in, whose parent must be known. True when it is one of the chain's from now on, or was already; false
   * for one that proves no work or has an unknown parent.
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
