import type { BlockEnvironment, Engine } from '../../evm/engine.ts';
import { nextTurn } from '../../primitives/interrupt.ts';
import type { Turns } from '../../primitives/scheduler.ts';
import { type Awaitable, runTask, type Task, waitFor } from '../../primitives/task.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { ChainEvents } from '../../storage/chain-events.ts';
import type { ReservedRange } from '../../storage/reserved-range.ts';
import { MiningStoppedError } from '../errors.ts';
import type { TransactionPool } from '../pool/pool.ts';
import type { SerialQueue } from '../serial-queue.ts';
import type { LiveSettings } from '../settings/block-settings.ts';
import type { ChainClock } from '../settings/chain-clock.ts';
import type { ChainIdentity } from '../settings/chain-identity.ts';
import type { ChainOptions } from '../settings/chain-options.ts';
import type { BlockBuilder, BlockClosing, BuiltBlock } from './block-builder.ts';
import { fillBlock, hashOf, headContext, openBlock, reservedRangeContext } from './block-production.ts';
import { CandidateGuard, MiningMutex, StaleCandidateError } from './mining-mutex.ts';
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
  readonly changes: SerialQueue;
  readonly identity: ChainIdentity;
  readonly turns: Turns;
}

/** How many blocks are made before the event loop gets its turn. */
const BLOCKS_PER_TURN = 32;

/**
 * Makes blocks of the pool's transactions and puts them on the chain, inside of changes: its callers see to it that one
 * is made at a time ({@link BlockProducer.inTurn}). Where nothing has to be waited for (the engine, a long proof of work), a
 * block is on the chain when a call is back. While a proof of work is searched for, other changes happen; when the block
 * would be another one for them, another one is begun.
 */
export class BlockProducer {
  readonly #parts: ProducerParts;
  readonly #turns: MiningMutex;
  #isStopped = false;

  constructor(parts: ProducerParts) {
    this.#parts = parts;
    this.#turns = new MiningMutex(parts);
  }

  /** Does work that makes blocks when all such work before it is done, see {@link MiningMutex.inTurn}. */
  inTurn<Result>(work: () => Task<Result>): Task<Result> {
    return this.#turns.inTurn(work);
  }

  /** Seconds since 1970 at which a block made now would say it was made. */
  nextTimestamp(): number {
    const { blockchain, clock } = this.#parts;
    return clock.blockTimestamp(blockchain.head.header.timestamp);
  }

  /** Returns the environment of code in the block that would be made now. */
  nextEnvironment(): BlockEnvironment {
    return this.open(this.nextTimestamp()).environment;
  }

  /** Makes a block of the pool's transactions that fit; it is the head when the answer is there. */
  mine(): Awaitable<BuiltBlock> {
    return runTask(this.#mine());
  }

  *#mine(): Task<BuiltBlock> {
    return yield* this.persist(() => this.#mineOnce());
  }

  *#mineOnce(): Task<BuiltBlock> {
    const builder = this.open(this.nextTimestamp());
    yield* fillBlock(builder, this.#parts.pool.pending(), this.#parts.turns);
    const built = yield* waitFor(this.seal(builder));
    yield* waitFor(this.append(built));
    return built;
  }

  /** Makes an attempt, and another one whenever changes outdate what it searches a proof of work for. */
  *persist<Result>(attempt: () => Task<Result>): Task<Result> {
    for (;;) {
      try {
        return yield* attempt();
      } catch (error) {
        if (!(error instanceof StaleCandidateError)) throw error;
      }
    }
  }

  /** Notes what a block follows from that is built now, for {@link seal}. */
  watch(): CandidateGuard {
    return new CandidateGuard(this.#parts);
  }

  /**
   * The block with a proof of work. Other changes happen while that is searched for: throws {@link StaleCandidateError} (see
   * {@link persist}) when they outdate what `watch` noted or take one of the transactions from the pool that are `fromPool`,
   * `ChainResetError` when the chain starts anew, and {@link MiningStoppedError} when it closes.
   */
  seal(
    builder: BlockBuilder,
    watch: CandidateGuard = this.watch(),
    fromPool: readonly Transaction[] = builder.transactions,
  ): Awaitable<BuiltBlock> {
    return builder.seal(() => this.#pause(watch, fromPool));
  }

  async #pause(watch: CandidateGuard, fromPool: readonly Transaction[]): Promise<void> {
    const { changes, identity } = this.#parts;
    const { life } = identity;
    await changes.giveWay(nextTurn());
    if (this.#isStopped) throw new MiningStoppedError();
    identity.requireLife(life);
    watch.requireCurrent(fromPool);
  }

  /** Ends the search for a proof of work, for good. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Waits, inside of a change, for the end of all work that makes blocks. */
  untilIdle(): Awaitable<void> {
    return runTask(this.#turns.untilIdle());
  }

  /**
   * Puts a range of reserved blocks on the head and makes an empty block above it, which is the head then. `reserve` makes
   * the range, on the head as it is when it is called: again when changes have outdated the one before.
   */
  mineAbove(reserve: () => ReservedRange): Awaitable<void> {
    return runTask(this.persist(() => this.#mineAbove(reserve())));
  }

  *#mineAbove(range: ReservedRange): Task<void> {
    const { blockchain, clock, settings } = this.#parts;
    const timestamp = clock.blockTimestamp(range.timestampOf(range.last));
    const ground = reservedRangeContext(range, {
      hash: (number) => hashOf(blockchain, number),
      block: (number) => blockchain.block(number),
    });
    const builder = openBlock(this.#parts, settings.current, ground, timestamp);
    yield* waitFor(this.append(yield* waitFor(this.seal(builder)), range));
  }

  /** Mines all transactions that can be mined and are in the pool by now: in one block, in more only where they do not fit. */
  mineWaiting(): Awaitable<void> {
    const { arrivals } = this.#parts.pool;
    return runTask(this.inTurn(() => this.#mineWaiting(arrivals)));
  }

  /** Those that arrive while it searches are mined by whoever sends them, when it is their turn. */
  *#mineWaiting(arrivals: number): Task<void> {
    const { pool } = this.#parts;
    const candidates = (): readonly Transaction[] => (pool.size === 0 ? [] : pool.pending(arrivals));
    while (yield* this.persist(() => this.#mineSome(candidates())));
  }

  *#mineSome(candidates: readonly Transaction[]): Task<boolean> {
    if (candidates.length === 0) return false;
    const builder = this.open(this.nextTimestamp());
    // A transaction on which the engine itself fails leaves the pool, or it would fail all that come after it.
    yield* fillBlock(builder, candidates, this.#parts.turns, (failed) =>
      this.#parts.pool.remove(failed.hash),
    );
    if (builder.transactions.length === 0) return false;
    yield* waitFor(this.append(yield* waitFor(this.seal(builder))));
    return true;
  }

  /** Returns a builder for a block on the head, at `timestamp` (seconds since 1970). */
  open(timestamp: number): BlockBuilder {
    const { blockchain, settings } = this.#parts;
    return openBlock(this.#parts, settings.current, headContext(blockchain), timestamp);
  }

  /** Puts a block that was built on the head, or on a range of reserved blocks above it, on top of that, and tells so. */
  append(built: SideBlock, below: ReservedRange | null = null): Awaitable<void> {
    return runTask(this.#append(built, below));
  }

  *#append({ block, state, results }: SideBlock, below: ReservedRange | null): Task<void> {
    const { blockchain, settings, clock, pool, events } = this.#parts;
    if (below === null) blockchain.append(block, state);
    else blockchain.appendAbove(below, block, state);
    settings.useUpNext();
    clock.commit(block.header.timestamp);
    pool.removeStale(block.transactions.map((transaction) => transaction.sender));
    events.emit('block', block, results);
    // Making many blocks must not keep others from being heard.
    if (block.header.number % BLOCKS_PER_TURN === 0) yield* waitFor(nextTurn());
  }
}
