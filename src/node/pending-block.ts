import type { Blockchain } from '../chain/blockchain.ts';
import type { BuiltBlock } from '../engine/block-builder.ts';
import type { WorldState } from '../state/world-state.ts';
import type { TransactionPool } from '../txpool/pool.ts';
import type { BlockSettings, LiveSettings } from './block-settings.ts';
import type { SideBlocks } from './side-blocks.ts';

interface Sample {
  readonly head: Uint8Array;
  readonly headState: WorldState;
  readonly settings: BlockSettings;
  readonly poolVersion: number;
  readonly sideBlocksVersion: number;
  readonly timestamp: number;
  readonly built: Promise<BuiltBlock>;
}

/** What the block that would be mined now follows from; all of it belongs to one chain. */
export interface PendingBlockParts {
  readonly blockchain: Blockchain;
  readonly pool: TransactionPool;
  readonly settings: LiveSettings;
  readonly sideBlocks: SideBlocks;
}

/** The block that would be mined now, made anew only when what it follows from, or the time, has changed. */
export class PendingBlock {
  readonly #parts: PendingBlockParts;
  readonly #build: (timestamp: number) => Promise<BuiltBlock>;
  #sample: Sample | undefined;

  /** `build` makes a block of the pool's transactions on the head, without keeping it. */
  constructor(parts: PendingBlockParts, build: (timestamp: number) => Promise<BuiltBlock>) {
    this.#parts = parts;
    this.#build = build;
  }

  /** The sample for a block made at `timestamp` (seconds since 1970). */
  at(timestamp: number): Promise<BuiltBlock> {
    const { blockchain, pool, sideBlocks } = this.#parts;
    const head = blockchain.head.hash;
    const { headState } = blockchain;
    const poolVersion = pool.version;
    const sideBlocksVersion = sideBlocks.version;
    const settings = this.#parts.settings.current;
    const sample = this.#sample;
    if (
      sample?.head === head &&
      sample.headState === headState &&
      sample.settings === settings &&
      sample.poolVersion === poolVersion &&
      sample.sideBlocksVersion === sideBlocksVersion &&
      sample.timestamp === timestamp
    ) {
      return sample.built;
    }
    const built: Promise<BuiltBlock> = this.#build(timestamp).catch((error: unknown) => {
      if (this.#sample?.built === built) this.#sample = undefined;
      throw error;
    });
    this.#sample = { head, headState, settings, poolVersion, sideBlocksVersion, timestamp, built };
    return built;
  }
}
