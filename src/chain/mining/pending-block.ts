import { UnanswerableCallError } from '../../evm/errors.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { runTask, type Task } from '../../scheduling/task.ts';
import type { ChainHead } from '../../storage/canonical-blocks.ts';
import type { ChainCore } from '../chain-core.ts';
import { TransactionConditionError } from '../pool/errors.ts';
import type { BlockSettings } from '../settings/block-settings.ts';
import type { BlockBuilder, BuiltBlock, Candidate } from './block-builder.ts';
import type { BlockProducer } from './block-producer.ts';

/** The inputs of the pending block, except its transactions. */
interface SampleBasis {
  readonly head: ChainHead;
  readonly settings: BlockSettings;
  readonly sideBlocksVersion: number;
  readonly timestamp: number;
}

interface Sample {
  readonly basis: SampleBasis;
  readonly poolVersion: number;
  /** The pool transactions that were tried, in order. */
  readonly candidates: readonly Candidate[];
  readonly builder: BlockBuilder;
  /** Senders of transactions that did not fit. */
  readonly passedOver: Set<string>;
  readonly built: Promise<BuiltBlock>;
}

/**
 * The block that would be mined now. It is rebuilt only if its inputs or the time changed. If transactions
 * were appended to the pool, only these are executed.
 */
export class PendingBlock {
  readonly #core: ChainCore;
  readonly #producer: BlockProducer;
  #sample: Sample | undefined;

  constructor(core: ChainCore, producer: BlockProducer) {
    this.#core = core;
    this.#producer = producer;
  }

  /** Returns the pending block, without a proof of work. */
  sample(): Promise<BuiltBlock> {
    const timestamp = this.#producer.nextTimestamp();
    const basis = this.#basisAt(timestamp);
    const { pool } = this.#core;
    const last = this.#sample;
    const earlier = last !== undefined && isSameBasis(last.basis, basis) ? last : undefined;
    if (earlier?.poolVersion === pool.version) return earlier.built;
    const candidates = pool.executable();
    const poolVersion = pool.version;
    const begun = earlier !== undefined && beginsWith(candidates, earlier.candidates) ? earlier : undefined;
    if (begun !== undefined && begun.candidates.length === candidates.length) {
      this.#sample = { ...begun, poolVersion };
      return begun.built;
    }
    const builder = begun?.builder ?? this.#producer.open(timestamp, this.#core.engine);
    const passedOver = begun?.passedOver ?? new Set<string>();
    const added = candidates.slice(begun?.candidates.length ?? 0);
    const built: Promise<BuiltBlock> = this.#extended(begun?.built, builder, added, passedOver).catch(
      (error: unknown) => {
        if (this.#sample?.built === built) this.#sample = undefined;
        throw error;
      },
    );
    this.#sample = { basis, poolVersion, candidates, builder, passedOver, built };
    return built;
  }

  #basisAt(timestamp: number): SampleBasis {
    const { blockchain, sideBlocks, settings } = this.#core;
    return {
      head: blockchain.head,
      settings: settings.current,
      sideBlocksVersion: sideBlocks.version,
      timestamp,
    };
  }

  /** Waits for the earlier build and fails with it, because the builder cannot continue then. */
  async #extended(
    before: Promise<BuiltBlock> | undefined,
    builder: BlockBuilder,
    added: readonly Candidate[],
    passedOver: Set<string>,
  ): Promise<BuiltBlock> {
    if (before !== undefined) await before;
    return runTask(this.#fill(builder, added, passedOver), this.#producer.timeSlice());
  }

  *#fill(builder: BlockBuilder, added: readonly Candidate[], passedOver: Set<string>): Task<BuiltBlock> {
    yield* builder.fill(added, this.#core.yielder, { onFailure: isLeftOut, passedOver });
    return yield* builder.candidate();
  }
}

/** A mined block skips this transaction too. */
function isLeftOut(_failed: Transaction, error: unknown): boolean {
  return error instanceof UnanswerableCallError || error instanceof TransactionConditionError;
}

function isSameBasis(left: SampleBasis, right: SampleBasis): boolean {
  return (
    left.head === right.head &&
    left.settings === right.settings &&
    left.sideBlocksVersion === right.sideBlocksVersion &&
    left.timestamp === right.timestamp
  );
}

/** Returns true if `all` starts with the same transaction objects as `start`. */
function beginsWith(all: readonly Candidate[], start: readonly Candidate[]): boolean {
  return start.length <= all.length && start.every((transaction, index) => transaction === all[index]);
}
