import {
  advanceSha256,
  finishDoubleSha256,
  SHA256_START,
  type Sha256Midstate,
} from '../primitives/sha256.ts';
import type { MergedMining } from './block.ts';
import { COINBASE_TRANSACTION, PARENT_HEADER } from './generated/parent-block-template.ts';
import {
  compressCoinbase,
  meetsTarget,
  PARENT_HEADER_SIZE,
  readCompressedCoinbase,
  workTarget,
} from './merged-mining/proof-of-work.ts';

const HASH_SIZE = 32;
const LOCK_TIME_SIZE = 4;
const SHA256_BLOCK = 64;

function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'));
}

/** The transaction in the compressed form, its commitment all zeros. */
const COMPRESSED = compressCoinbase(bytesOf(COINBASE_TRANSACTION));
const COMMITMENT_START = COMPRESSED.length - LOCK_TIME_SIZE - HASH_SIZE;

const HEADER = bytesOf(PARENT_HEADER);
const ROOT_START = 36;
const TIME_START = 68;
const NONCE_START = 76;

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

  /** The proof that the header has with that time and nonce (32 bits each); `null` when it does not solve the work. */
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
