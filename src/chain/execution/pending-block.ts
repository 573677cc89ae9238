import type { Turns } from '../../primitives/scheduler.ts';
import { runTask, type Task, waitFor } from '../../primitives/task.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { BlockBuilder, BuiltBlock } from '../mining/block-builder.ts';
import { fillBlock } from '../mining/block-production.ts';
import type { SideBlocks } from '../mining/side-blocks.ts';
import type { TransactionPool } from '../pool/pool.ts';
import type { BlockSettings, LiveSettings } from '../settings/block-settings.ts';

/** What a sample follows from besides the transactions. */
interface SampleGround {
  readonly head: Uint8Array;
  readonly headState: WorldState;
  readonly settings: BlockSettings;
  readonly sideBlocksVersion: number;
  readonly timestamp: number;
}

interface Sample {
  readonly ground: SampleGround;
  readonly poolVersion: number;
  /** The transactions of the pool that were tried, in their order. */
  readonly candidates: readonly Transaction[];
  readonly builder: BlockBuilder;
  /** The senders of transactions that did not fit. */
  readonly passedOver: Set<string>;
  readonly built: Promise<BuiltBlock>;
}

/** What the block that would be mined now follows from; all of it belongs to one chain. */
export interface PendingBlockParts {
  readonly blockchain: Blockchain;
  readonly pool: TransactionPool;
  readonly settings: LiveSettings;
  readonly sideBlocks: SideBlocks;
  readonly turns: Turns;
}

/**
 * The block that would be mined now. It is made anew only when what it follows from, or the time, has changed; when
 * transactions have joined the pool behind all others, these alone are run.
 */
export class PendingBlock {
  readonly #parts: PendingBlockParts;
  readonly #open: (timestamp: number) => BlockBuilder;
  #sample: Sample | undefined;

  /** `open` gives a builder for a block on the head, which nothing keeps. */
  constructor(parts: PendingBlockParts, open: (timestamp: number) => BlockBuilder) {
    this.#parts = parts;
    this.#open = open;
  }

  /** The sample for a block made at `timestamp` (seconds since 1970). */
  at(timestamp: number): Promise<BuiltBlock> {
    const ground = this.#groundAt(timestamp);
    const { pool } = this.#parts;
    const last = this.#sample;
    const earlier = last !== undefined && isSameGround(last.ground, ground) ? last : undefined;
    if (earlier?.poolVersion === pool.version) return earlier.built;
    const candidates = pool.pending();
    const poolVersion = pool.version;
    const begun = earlier !== undefined && beginsWith(candidates, earlier.candidates) ? earlier : undefined;
    if (begun !== undefined && begun.candidates.length === candidates.length) {
      this.#sample = { ...begun, poolVersion };
      return begun.built;
    }
    const builder = begun?.builder ?? this.#open(timestamp);
    const passedOver = begun?.passedOver ?? new Set<string>();
    const added = candidates.slice(begun?.candidates.length ?? 0);
    const built: Promise<BuiltBlock> = this.#extended(begun?.built, builder, added, passedOver).catch(
      (error: unknown) => {
        if (this.#sample?.built === built) this.#sample = undefined;
        throw error;
      },
    );
    this.#sample = { ground, poolVersion, candidates, builder, passedOver, built };
    return built;
  }

  #groundAt(timestamp: number): SampleGround {
    const { blockchain, sideBlocks, settings } = this.#parts;
    return {
      head: blockchain.head.hash,
      headState: blockchain.headState,
      settings: settings.current,
      sideBlocksVersion: sideBlocks.version,
      timestamp,
    };
  }

  /** Those who ask while the sample before is made wait for it, and fail with it: the builder is of no use then. */
  async #extended(
    before: Promise<BuiltBlock> | undefined,
    builder: BlockBuilder,
    added: readonly Transaction[],
    passedOver: Set<string>,
  ): Promise<BuiltBlock> {
    if (before !== undefined) await before;
    return runTask(this.#fill(builder, added, passedOver));
  }

  *#fill(builder: BlockBuilder, added: readonly Transaction[], passedOver: Set<string>): Task<BuiltBlock> {
    yield* fillBlock(builder, added, this.#parts.turns, undefined, passedOver);
    return yield* waitFor(builder.candidate());
  }
}

function isSameGround(left: SampleGround, right: SampleGround): boolean {
  return (
    left.head === right.head &&
    left.headState === right.headState &&
    left.settings === right.settings &&
    left.sideBlocksVersion === right.sideBlocksVersion &&
    left.timestamp === right.timestamp
  );
}

/** True when `all` begins with the very transactions of `start`. */
function beginsWith(all: readonly Transaction[], start: readonly Transaction[]): boolean {
  return start.length <= all.length && start.every((transaction, index) => transaction === all[index]);
}
