import { UnexecutableError } from '../../evm/engine.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { Steps } from '../../primitives/steps.ts';
import type { Block } from '../../protocol/block.ts';
import type { Transaction, TransactionRequest } from '../../protocol/transaction.ts';
import { SLICE_MILLISECONDS } from '../../scheduling/slice-length.ts';
import { runTask, type Task, waitFor } from '../../scheduling/task.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import { type BlocksBelow, uncalledBelow } from '../../storage/blocks-without-calls.ts';
import type { EmptyBlockRange } from '../../storage/empty-block-range.ts';
import { lowerBound } from '../../storage/log-index.ts';
import { sideBlocksAbove } from '../../storage/side-blocks.ts';
import type { ChainCore } from '../chain-core.ts';
import type { CallToken, Successors } from '../changes.ts';
import { ReorgDepthError, ReorgTransactionError, RewindTargetError } from '../errors.ts';
import { type BlockSettings, withoutNext } from '../settings/block-settings.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import type { BlockBuilder, BuiltBlock } from './block-builder.ts';
import type { BlockProducer } from './block-producer.ts';
import {
  existingBlock,
  hashOf,
  openBlock,
  type ParentContext,
  reserveAbove,
  reservedRangeContext,
  windowed,
} from './parent-context.ts';
import type { TransactionSubmitter } from './transaction-submitter.ts';

/** A block of a branch, and the range of reserved blocks directly below it. */
export interface BranchBlock {
  readonly built: BuiltBlock;
  /** `null` if no reserved blocks are below it. */
  readonly below: EmptyBlockRange | null;
}

/** Builds a branch on a canonical block. The branch is not part of the chain yet. */
class BranchBuilder {
  readonly #blockchain: Blockchain;
  readonly #common: number;
  readonly #blocks: BranchBlock[] = [];
  readonly #ranges: EmptyBlockRange[] = [];
  /** The last number of each range, ascending. */
  readonly #lasts: number[] = [];
  readonly #built = new Map<number, Block>();

  /** `common` is the number of the canonical block below the branch. */
  constructor(blockchain: Blockchain, common: number) {
    this.#blockchain = blockchain;
    this.#common = common;
  }

  /** Lowest first. */
  get blocks(): readonly BranchBlock[] {
    return this.#blocks;
  }

  /** Adds a block that was built on {@link context}. */
  add(block: BranchBlock): void {
    this.#blocks.push(block);
    if (block.below !== null) {
      this.#ranges.push(block.below);
      this.#lasts.push(block.below.last);
    }
    this.#built.set(block.built.block.header.number, block.built.block);
  }

  /** Returns the context of the next block, optionally on top of reserved blocks. */
  context(below: EmptyBlockRange | null): ParentContext {
    const blocks: BlocksBelow = {
      lowest: this.#blockchain.lowest,
      rangeAt: (number) => (number > this.#common ? this.#rangeAt(number) : this.#blockchain.rangeAt(number)),
      hash: (number) => this.#hashOf(number),
      block: (number) => this.#block(number),
    };
    if (below !== null) return reservedRangeContext(below, blocks);
    const { block: parent, state: parentState } = this.#blocks.at(-1)?.built ?? {
      block: existingBlock(this.#blockchain, this.#common),
      state: this.#blockchain.state(this.#common),
    };
    const above = parent.header.number + 1;
    return {
      parent,
      parentState,
      blockHash: windowed(above, blocks.hash),
      ancestor: blocks.block,
      uncalled: () => uncalledBelow(above, blocks),
    };
  }

  #rangeAt(number: number): EmptyBlockRange | undefined {
    const range = this.#ranges[lowerBound(this.#lasts, number)];
    return range?.includes(number) === true ? range : undefined;
  }

  #block(number: number): Block | undefined {
    const block = this.#rangeAt(number)?.block(number) ?? this.#built.get(number);
    return block ?? this.#blockchain.ancestor(number);
  }

  #hashOf(number: number): Uint8Array {
    const hash = this.#rangeAt(number)?.hashOf(number) ?? this.#built.get(number)?.hash;
    return hash ?? hashOf(this.#blockchain, number);
  }
}

/** A transaction of a replacement block: signed, or to be signed with its sender's nonce there. */
export type ReorgTransaction =
  | { readonly transaction: Transaction }
  | {
      readonly sender: Uint8Array;
      readonly request: Omit<TransactionRequest, 'nonce'> & { readonly nonce: bigint | null };
    };

export interface ReorgOptions {
  /** The number of blocks to replace. */
  readonly depth: number;
  /** The transactions of the replacement blocks, by index (below `depth`). */
  readonly transactions: ReadonlyMap<number, readonly ReorgTransaction[]>;
  /** True to return the replaced blocks' executable transactions to the pool. */
  readonly keepsTransactions: boolean;
  /** True to keep the replaced blocks as side blocks. They can be read by hash. */
  readonly keepsBlocks?: boolean;
  /** Called before each block is built. It can throw to cancel; the chain then stays unchanged. */
  readonly requireClient?: () => void;
  /** As in `SendOptions`. */
  readonly life?: number;
  /** As in `SendOptions`. */
  readonly call?: CallToken | null;
}

/** Removes or replaces the newest blocks and emits the events. Snapshots of removed blocks are deleted. */
export class Reorganizer {
  readonly #core: ChainCore;
  readonly #producer: BlockProducer;
  readonly #snapshots: Snapshots;
  readonly #submitter: TransactionSubmitter;

  constructor(
    core: ChainCore,
    producer: BlockProducer,
    snapshots: Snapshots,
    submitter: TransactionSubmitter,
  ) {
    this.#core = core;
    this.#producer = producer;
    this.#snapshots = snapshots;
    this.#submitter = submitter;
  }

  /** Removes the newest `depth` blocks and their transactions. Rejects with {@link ReorgDepthError}. */
  rollback(depth: number, call: CallToken | null = null): Promise<void> {
    return this.#core.changes.run(async () => {
      await runTask(this.#rewind(this.#commonNumber(depth), 'none'), this.#producer.timeSlice());
    }, call);
  }

  /**
   * Removes the blocks above this number and their transactions. Rejects with {@link RewindTargetError} or
   * {@link ReorgDepthError}.
   */
  rewindTo(number: number, call: CallToken | null = null): Promise<void> {
    return this.#core.changes.run(async () => {
      const head = this.#core.blockchain.head.block.header.number;
      if (number > head) throw new RewindTargetError(number, head);
      await runTask(this.#rewind(this.#commonNumber(head - number), 'none'), this.#producer.timeSlice());
    }, call);
  }

  /**
   * Replaces the newest blocks with the same number of new ones. Each timestamp is one second later, so that
   * all hashes differ. Reserved blocks stay reserved unless they get transactions. Nothing changes on a
   * rejection: {@link ReorgDepthError}, {@link ReorgTransactionError}, `ChainResetError` or
   * `AccountNotFoundError`.
   */
  reorganize(options: ReorgOptions): Promise<void> {
    const { changes } = this.#core;
    return changes.run(
      () =>
        runTask(
          this.#producer.inTurn(() => this.#reorganize(options)),
          this.#producer.timeSlice(),
        ),
      options.call,
    );
  }

  *#reorganize(options: ReorgOptions): Task<void> {
    this.#core.identity.requireLife(options.life);
    const { common, branch } = yield* this.#producer.persist(() => this.#attempt(options));
    const { blockchain, sideBlocks } = this.#core;
    const others = options.keepsBlocks === true ? sideBlocks.all : [];
    const besideOf = options.keepsBlocks === true ? sideBlocksAbove(blockchain, common) : () => [];
    const removed = yield* this.#rewind(common, branch.blocks.length === 0 ? 'none' : 'others follow');
    yield* waitFor(this.#append(branch));
    const replaced = besideOf(removed).map((side) => ({ ...side, isReplaced: true }));
    sideBlocks.keep([...others, ...replaced]);
    if (!options.keepsTransactions) return;
    const added = branch.blocks.map(({ built }) => built.block);
    yield* this.#submitter.returnTransactions(removed.toReversed(), added);
  }

  *#attempt(options: ReorgOptions): Task<{ readonly common: number; readonly branch: BranchBuilder }> {
    const common = this.#commonNumber(options.depth);
    return { common, branch: yield* waitFor(this.#build(common, options)) };
  }

  #commonNumber(depth: number): number {
    const { first, head: top } = this.#core.blockchain;
    const { number: head } = top.block.header;
    if (depth > head - first) throw new ReorgDepthError(depth, head, first);
    return head - depth;
  }

  *#rewind(common: number, successors: Successors): Steps<readonly Block[]> {
    const { blockchain, changes, events } = this.#core;
    const removed = yield* blockchain.rewind(common);
    if (removed.length === 0) return removed;
    this.#snapshots.forgetAbove(common);
    events.emit('removed', removed, successors, changes.call);
    yield* blockchain.trim();
    return removed;
  }

  /** Restores the clock at the end, because these blocks are in the past. */
  async #append(branch: BranchBuilder): Promise<void> {
    const { clock } = this.#core;
    const { setting } = clock;
    for (const { built, below } of branch.blocks) await this.#producer.append(built, below);
    clock.restore(setting);
  }

  async #build(common: number, { depth, transactions, requireClient }: ReorgOptions): Promise<BranchBuilder> {
    const { blockchain, settings, yielder, engine } = this.#core;
    const requireCurrent = this.#producer.watch();
    const branch = new BranchBuilder(blockchain, common);
    const indexes = Array.from(transactions.keys()).sort((left, right) => left - right);
    for (let index = 0; index < depth; index++) {
      requireClient?.();
      if (yielder.blockedFor() >= SLICE_MILLISECONDS) await yielder.wait();
      const current = index === 0 ? settings.current : withoutNext(settings.current);
      // Settings for the next block only do not apply to reserved blocks.
      const last = index === 0 ? common : this.#lastReserved(common, index, indexes);
      const below = last <= common + index ? null : this.#reserve(branch, common + index + 1, last, current);
      if (below !== null) index = last - common;
      const replaced = blockchain.block(common + 1 + index);
      if (replaced === undefined) throw new RangeError(`block ${common + 1 + index} does not exist`);
      const context = branch.context(below);
      const builder = openBlock(this.#core, current, context, replaced.header.timestamp + 1, engine);
      await this.#fill(builder, index, context, transactions.get(index) ?? []);
      branch.add({
        built: await runTask(this.#producer.seal(builder, requireCurrent, []), this.#producer.timeSlice()),
        below,
      });
    }
    return branch;
  }

  /**
   * Returns the last reserved block from `index` without transactions, or a lower number if there is none.
   * `indexes` are the indexes of blocks with transactions, ascending.
   */
  #lastReserved(common: number, index: number, indexes: readonly number[]): number {
    const range = this.#core.blockchain.rangeAt(common + 1 + index);
    // Reserved blocks have no transaction, not even a closing one.
    if (range === undefined || this.#core.closing !== null) return common;
    const filled = indexes[lowerBound(indexes, index)];
    return filled === undefined ? range.last : Math.min(range.last, common + filled);
  }

  /** Reserves blocks in place of reserved ones. They must be in one range. */
  #reserve(branch: BranchBuilder, first: number, last: number, settings: BlockSettings): EmptyBlockRange {
    const replaced = this.#core.blockchain.rangeAt(first);
    if (replaced === undefined) throw new RangeError(`block ${first} is not reserved`);
    const firstTimestamp = replaced.timestampOf(first) + 1;
    const { interval } = replaced.template;
    return reserveAbove(branch.context(null), this.#core.ruleSet, settings, {
      firstTimestamp,
      interval,
      last,
    });
  }

  async #fill(
    builder: BlockBuilder,
    index: number,
    { parentState }: ParentContext,
    transactions: readonly ReorgTransaction[],
  ): Promise<void> {
    const { yielder } = this.#core;
    const nonces = new Map<string, bigint>();
    for (const given of transactions) {
      if (yielder.blockedFor() >= SLICE_MILLISECONDS) await yielder.wait();
      const sender = 'transaction' in given ? given.transaction.sender : given.sender;
      const nonce = nonces.get(hexKey(sender)) ?? parentState.account(sender)?.nonce ?? 0n;
      const transaction =
        'transaction' in given
          ? given.transaction
          : this.#submitter.signAs(sender, { ...given.request, nonce: given.request.nonce ?? nonce });
      await addTo(builder, index, transaction);
      nonces.set(hexKey(sender), transaction.nonce + 1n);
    }
  }
}

async function addTo(builder: BlockBuilder, index: number, transaction: Transaction): Promise<void> {
  if (transaction.gasLimit > builder.gasLeft) {
    throw new ReorgTransactionError(transaction.hash, index, `the block has ${builder.gasLeft} gas left`);
  }
  if (transaction.blobVersionedHashes.length > builder.blobsLeft) {
    throw new ReorgTransactionError(
      transaction.hash,
      index,
      `number of blobs that still fit into the block: ${builder.blobsLeft}`,
    );
  }
  try {
    await builder.add(transaction);
  } catch (error) {
    if (!(error instanceof UnexecutableError)) throw error;
    throw new ReorgTransactionError(transaction.hash, index, error.message);
  }
}
