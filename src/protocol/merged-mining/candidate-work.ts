import { equalBytes } from '../../primitives/bytes.ts';
import { doubleSha256 } from '../../primitives/sha256.ts';
import type { MergedMining } from '../block.ts';
import { type BlockWork, compressCoinbase, meetsTarget, workTarget } from './proof-of-work.ts';

const ROOT = { start: 36, end: 68 };
const TIME = { start: 68, size: 4 };
const NONCE_START = 76;
const NONCES = 2 ** 32;

/** A block of the parent chain that contains only its coinbase transaction. */
export interface ParentCandidate {
  /** 80 bytes. The nonce is ignored. */
  readonly header: Uint8Array;
  /** The transaction without its witness. It commits to the Rootstock block (RSKIP-92). */
  readonly coinbase: Uint8Array;
}

/** The proof of work of one block on the next block of a parent chain. The result is deterministic. */
export class CandidateWork implements BlockWork {
  readonly merkleRoot: Uint8Array;
  readonly #coinbaseTransaction: Uint8Array;
  readonly #header: Uint8Array;
  readonly #view: DataView;
  readonly #firstTime: number;
  readonly #target: Uint8Array;
  #nextNonce = 0;

  /** Throws a `RangeError` if the header does not contain the coinbase transaction. */
  constructor({ header, coinbase }: ParentCandidate, difficulty: bigint) {
    this.merkleRoot = doubleSha256(coinbase);
    if (!equalBytes(header.subarray(ROOT.start, ROOT.end), this.merkleRoot))
      throw new RangeError('the header has another coinbase transaction');
    this.#coinbaseTransaction = compressCoinbase(coinbase);
    this.#header = header.slice();
    this.#view = new DataView(this.#header.buffer);
    this.#firstTime = this.#view.getUint32(TIME.start, true);
    this.#target = workTarget(difficulty);
  }

  search(attempts: number): MergedMining | null {
    const end = this.#nextNonce + attempts;
    while (this.#nextNonce < end) {
      const time = this.#firstTime + Math.floor(this.#nextNonce / NONCES);
      const proof = this.solution(time, this.#nextNonce % NONCES);
      this.#nextNonce++;
      if (proof !== null) return proof;
    }
    return null;
  }

  solution(time: number, nonce: number): MergedMining | null {
    this.#view.setUint32(TIME.start, time, true);
    this.#view.setUint32(NONCE_START, nonce, true);
    if (!meetsTarget(doubleSha256(this.#header), this.#target)) return null;
    return {
      header: this.#header.slice(),
      coinbaseTransaction: this.#coinbaseTransaction,
      merkleProof: new Uint8Array(0),
    };
  }
}
