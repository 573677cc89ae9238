import type { Blockchain } from '../chain/blockchain.ts';
import type { ChainEvents } from '../chain/chain-events.ts';
import type { ReservedRange } from '../chain/reserved-range.ts';
import type { BlockBuilder, BuiltBlock } from '../engine/block-builder.ts';
import type { BlockClosing } from '../engine/block-closing.ts';
import type { Engine } from '../engine/engine.ts';
import { nextTurn } from '../primitives/next-turn.ts';
import { type Awaitable, perform, type Steps, settled } from '../primitives/steps.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import type { Transaction } from '../rules/transaction.ts';
import type { TransactionPool } from '../txpool/pool.ts';
import { fillBlock, groundAbove, groundAtHead, hashOf, openBlock, tryAdd } from './block-production.ts';
import type { LiveSettings } from './block-settings.ts';
import type { ChainClock } from './chain-clock.ts';
import type { ChainOptions } from './chain-options.ts';
import { MiningStoppedError } from './errors.ts';
import type { SideBlock, SideBlocks } from './side-blocks.ts';

/** What a producer works with; all of it belongs to one chain. */
export interface ProducerParts {
  readonly options: ChainOptions;
  readonly settings: LiveSettings;
  readonly ruleSet: RuleSet;
  readonly engine: Engine;
  /** What ends each block; `null` where nothing does. */
  readonly closing: BlockClosing | null;
  readonly blockchain: Blockchain;
  readonly pool: TransactionPool;
  readonly sideBlocks: SideBlocks;
  readonly clock: ChainClock;
  readonly events: ChainEvents;
}

/** How many blocks are made before the event loop gets its turn. */
const BLOCKS_PER_TURN = 32;

/**
 * Makes blocks of the pool's transactions and puts them on the chain. Its callers see to it that one is made at a time.
 * Where nothing has to be waited for (the engine, a long proof of work), a block is on the chain when a call is back.
 */
export class BlockProducer {
  readonly #parts: ProducerParts;
  #isStopped = false;

  constructor(parts: ProducerParts) {
    this.#parts = parts;
  }

  /** Seconds since 1970 at which a block made now would say it was made. */
  nextTimestamp(): number {
    const { blockchain, clock } = this.#parts;
    return clock.blockTimestamp(blockchain.head.header.timestamp);
  }

  /**
   * A block of the pool's transactions on the head, made at `timestamp` (seconds since 1970), without proof of work, that
   * nothing keeps.
   */
  sample(timestamp: number): Awaitable<BuiltBlock> {
    return perform(this.#sample(timestamp));
  }

  *#sample(timestamp: number): Steps<BuiltBlock> {
    const builder = yield* this.#fill(timestamp);
    return yield* settled(builder.candidate());
  }

  /** Makes a block of the pool's transactions that fit; it is the head when the answer is there. */
  mine(): Awaitable<BuiltBlock> {
    return perform(this.#mine());
  }

  *#mine(): Steps<BuiltBlock> {
    const builder = yield* this.#fill(this.nextTimestamp());
    const built = yield* settled(this.seal(builder));
    yield* settled(this.append(built));
    return built;
  }

  *#fill(timestamp: number): Steps<BlockBuilder> {
    const builder = this.#open(timestamp);
    yield* fillBlock(builder, this.#parts.pool.pending());
    return builder;
  }

  /** The block with a proof of work. Throws {@link MiningStoppedError} when the chain closes meanwhile. */
  seal(builder: BlockBuilder): Awaitable<BuiltBlock> {
    return builder.seal(() => {
      if (this.#isStopped) throw new MiningStoppedError();
    });
  }

  /** Ends the search for a proof of work, for good. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Puts a range of reserved blocks on the head and makes an empty block above it, which is the head then. */
  mineAbove(range: ReservedRange): Awaitable<void> {
    return perform(this.#mineAbove(range));
  }

  *#mineAbove(range: ReservedRange): Steps<void> {
    const { blockchain, clock, settings } = this.#parts;
    const timestamp = clock.blockTimestamp(range.timestampOf(range.last));
    const ground = groundAbove(range, {
      hash: (number) => hashOf(blockchain, number),
      block: (number) => blockchain.block(number),
    });
    const builder = openBlock(this.#parts, settings.current, ground, timestamp);
    yield* settled(this.append(yield* settled(this.seal(builder)), range));
  }

  /** Mines every transaction that can be mined, each in a block of its own. */
  mineEach(): Awaitable<void> {
    return perform(this.#mineEach());
  }

  *#mineEach(): Steps<void> {
    const { pool } = this.#parts;
    let candidates = pool.pending();
    while (candidates.length > 0) {
      if (!(yield* this.#mineFirst(candidates))) return;
      candidates = pool.size === 0 ? [] : pool.pending();
    }
  }

  *#mineFirst(candidates: readonly Transaction[]): Steps<boolean> {
    for (const transaction of candidates) {
      const builder = this.#open(this.nextTimestamp());
      if (!(yield* this.#tryAddOrDrop(builder, transaction))) continue;
      yield* settled(this.append(yield* settled(this.seal(builder))));
      return true;
    }
    return false;
  }

  /** A transaction on which the engine itself fails leaves the pool, or it would fail all that come after it. */
  *#tryAddOrDrop(builder: BlockBuilder, transaction: Transaction): Steps<boolean> {
    try {
      return yield* tryAdd(builder, transaction);
    } catch (error) {
      this.#parts.pool.remove(transaction.hash);
      throw error;
    }
  }

  #open(timestamp: number): BlockBuilder {
    const { blockchain, settings } = this.#parts;
    return openBlock(this.#parts, settings.current, groundAtHead(blockchain), timestamp);
  }

  /** Puts a block that was built on the head, or on a range of reserved blocks above it, on top of that, and tells so. */
  append(built: SideBlock, below: ReservedRange | null = null): Awaitable<void> {
    return perform(this.#append(built, below));
  }

  *#append({ block, state, results }: SideBlock, below: ReservedRange | null): Steps<void> {
    const { blockchain, settings, clock, pool, events } = this.#parts;
    if (below === null) blockchain.append(block, state);
    else blockchain.appendAbove(below, block, state);
    settings.useUpNext();
    clock.commit(block.header.timestamp);
    pool.removeStale(block.transactions.map((transaction) => transaction.sender));
    events.emit('block', block, results);
    // Making many blocks must not keep others from being heard.
    if (block.header.number % BLOCKS_PER_TURN === 0) yield* settled(nextTurn());
  }
}
