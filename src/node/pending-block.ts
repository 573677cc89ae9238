import type { Blockchain } from '../chain/blockchain.ts';
import type { BuiltBlock } from '../engine/block-builder.ts';
import type { WorldState } from '../state/world-state.ts';
import type { TransactionPool } from '../txpool/pool.ts';
import type { BlockSettings, LiveSettings } from './block-settings.ts';

interface Sample {
  readonly head: Uint8Array;
  readonly headState: WorldState;
  readonly settings: BlockSettings;
  readonly poolVersion: number;
  readonly timestamp: number;
  readonly built: Promise<BuiltBlock>;
}

/** The block that would be mined now, made anew only when the head, its state, the pool, the settings or the time has changed. */
export class PendingBlock {
  readonly #blockchain: Blockchain;
  readonly #pool: TransactionPool;
  readonly #settings: LiveSettings;
  readonly #build: (timestamp: number) => Promise<BuiltBlock>;
  #sample: Sample | undefined;

  /** `build` makes a block of the pool's transactions on the head, without keeping it. */
  constructor(
    blockchain: Blockchain,
    pool: TransactionPool,
    settings: LiveSettings,
    build: (timestamp: number) => Promise<BuiltBlock>,
  ) {
    this.#blockchain = blockchain;
    this.#pool = pool;
    this.#settings = settings;
    this.#build = build;
  }

  /** The sample for a block made at `timestamp` (seconds since 1970). */
  at(timestamp: number): Promise<BuiltBlock> {
    const head = this.#blockchain.head.hash;
    const { headState } = this.#blockchain;
    const poolVersion = this.#pool.version;
    const settings = this.#settings.current;
    const sample = this.#sample;
    if (
      sample?.head === head &&
      sample.headState === headState &&
      sample.settings === settings &&
      sample.poolVersion === poolVersion &&
      sample.timestamp === timestamp
    ) {
      return sample.built;
    }
    const built: Promise<BuiltBlock> = this.#build(timestamp).catch((error: unknown) => {
      if (this.#sample?.built === built) this.#sample = undefined;
      throw error;
    });
    this.#sample = { head, headState, settings, poolVersion, timestamp, built };
    return built;
  }
}
