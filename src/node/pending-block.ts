import type { Blockchain } from '../chain/blockchain.ts';
import type { BuiltBlock } from '../engine/block-builder.ts';
import type { TransactionPool } from '../txpool/pool.ts';

interface Sample {
  readonly head: Uint8Array;
  readonly poolVersion: number;
  readonly timestamp: number;
  readonly built: Promise<BuiltBlock>;
}

/** The block that would be mined now, made anew only when the head, the pool or the time has changed. */
export class PendingBlock {
  readonly #blockchain: Blockchain;
  readonly #pool: TransactionPool;
  readonly #build: (timestamp: number) => Promise<BuiltBlock>;
  #sample: Sample | undefined;

  /** `build` makes a block of the pool's transactions on the head, without keeping it. */
  constructor(
    blockchain: Blockchain,
    pool: TransactionPool,
    build: (timestamp: number) => Promise<BuiltBlock>,
  ) {
    this.#blockchain = blockchain;
    this.#pool = pool;
    this.#build = build;
  }

  /** The sample for a block made at `timestamp` (seconds since 1970). */
  at(timestamp: number): Promise<BuiltBlock> {
    const head = this.#blockchain.head.hash;
    const poolVersion = this.#pool.version;
    const sample = this.#sample;
    if (sample?.head === head && sample.poolVersion === poolVersion && sample.timestamp === timestamp) {
      return sample.built;
    }
    const built: Promise<BuiltBlock> = this.#build(timestamp).catch((error: unknown) => {
      if (this.#sample?.built === built) this.#sample = undefined;
      throw error;
    });
    this.#sample = { head, poolVersion, timestamp, built };
    return built;
  }
}
