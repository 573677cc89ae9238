import type { BlockEnvironment } from '../../evm/engine.ts';
import { UnanswerableCallError } from '../../evm/errors.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { nextTurn, uninterrupted } from '../../scheduling/interrupt.ts';
import { type Awaitable, runTask, type Task, waitFor } from '../../scheduling/task.ts';
import { WorkPieces } from '../../scheduling/work-pieces.ts';
import type { ReservedRange } from '../../storage/reserved-range.ts';
import type { SideBlock } from '../../storage/side-blocks.ts';
import type { ChainCore } from '../chain-core.ts';
import { MiningStoppedError } from '../errors.ts';
import type { BlockBuilder, BuiltBlock, FailureHandler } from './block-builder.ts';
import { blocksOf, headContext, openBlock, reservedRangeContext } from './parent-context.ts';

/** The number of blocks that are made before the event loop gets its turn. */
const BLOCKS_PER_TURN = 32;

/** Thrown when a block, whose proof of work is searched for, would be another one by now. */
class StaleCandidateError extends Error {
  override readonly name = 'StaleCandidateError';
}

/** Throws a `StaleCandidateError` when the block that is built would be another one by now; see {@link BlockProducer.watch}. */
export type RequireCurrent = (fromPool: readonly Transaction[]) => void;

/**
 * Makes blocks of the pool's transactions and puts them on the chain, inside of changes: its callers see to it that one
 * is made at a time ({@link BlockProducer.inTurn}). Where nothing has to be waited for (the engine, a long proof of work), a
 * block is on the chain when a call is back. While a proof of work is searched for, other changes happen; when the block
 * would be another one for them, another one is begun.
 */
export class BlockProducer {
  readonly #core: ChainCore;
  /** True while some work makes blocks; see {@link inTurn}. */
  #isTaken = false;
  /** Begin the works that wait for their turn, in the order in which they came. */
  readonly #waiting: (() => void)[] = [];
  #isStopped = false;

  constructor(core: ChainCore) {
    this.#core = core;
  }

  /**
   * Does work that makes blocks when all such work before it is done. A search for a proof of work lets other changes
   * happen meanwhile, and those among them that make blocks too wait here for the end of it, in the order in which they
   * came. To be called inside of a change, which gives way until then. Throws `ChainResetError` when the chain starts anew
   * while it waits.
   */
  *inTurn<Result>(work: () => Task<Result>): Task<Result> {
    const { identity } = this.#core;
    const { life } = identity;
    yield* this.#takeTurn();
    try {
      identity.requireLife(life);
      return yield* work();
    } finally {
      this.#passTurn();
    }
  }

  /** Waits, inside of a change, for the end of all work that makes blocks. */
  untilIdle(): Awaitable<void> {
    return runTask(this.#takeAndPassTurn());
  }

  *#takeAndPassTurn(): Task<void> {
    yield* this.#takeTurn();
    this.#passTurn();
  }

  *#takeTurn(): Task<void> {
    if (this.#isTaken) yield* this.#waitForTurn();
    this.#isTaken = true;
  }

  *#waitForTurn(): Task<void> {
    let isMine = false;
    let begin = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      begin = () => {
        isMine = true;
        resolve();
      };
    });
    this.#waiting.push(begin);
    try {
      yield* waitFor(this.#core.changes.yieldTo(turn));
    } catch (error) {
      if (isMine) this.#passTurn();
      else this.#waiting.splice(this.#waiting.indexOf(begin), 1);
      throw error;
    }
  }

  /** The turn stays taken while works wait for it, so that no other gets in between. */
  #passTurn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }

  /** Returns the seconds since 1970 of a block that would be made now. */
  nextTimestamp(): number {
    const { blockchain, clock } = this.#core;
    return clock.blockTimestamp(blockchain.head.header.timestamp);
  }

  /** Returns the environment of code in the block that would be made now. */
  nextEnvironment(): BlockEnvironment {
    return this.open(this.nextTimestamp()).environment;
  }

  /** Returns a builder for a block on the head, at `timestamp` (seconds since 1970), which the engine runs. */
  open(timestamp: number, engine = this.#core.countedEngine): BlockBuilder {
    const { blockchain, settings } = this.#core;
    return openBlock(this.#core, settings.current, headContext(blockchain), timestamp, engine);
  }

  /** Makes a block of the pool's transactions that fit; it is the head when the answer is there. */
  mine(): Awaitable<BuiltBlock> {
    return runTask(this.persist(() => this.#mineOnce()));
  }

  *#mineOnce(): Task<BuiltBlock> {
    const builder = this.open(this.nextTimestamp());
    const { pool, turns } = this.#core;
    yield* builder.fill(pool.pending(), turns, (failed, error) => this.#leaveOut(failed, error));
    const built = yield* this.seal(builder, this.watch(), builder.transactions);
    yield* this.#append(built, null);
    return built;
  }

  /**
   * Removes a transaction that calls a contract whose answer cannot be known, with a notice: no later block can execute it
   * either. Returns false for other errors.
   */
  #leaveOut({ hash }: Transaction, error: unknown): boolean {
    if (!(error instanceof UnanswerableCallError)) return false;
    const { pool, events } = this.#core;
    pool.remove(hash);
    events.emit('notice', `Removed transaction ${toHex(hash)} from the pool: ${error.message}`);
    return true;
  }

  /**
   * Mines all transactions that can be mined and are in the pool by now: in one block, in more only where they do not fit.
   * Those that arrive while it searches are mined by the works that sent them, when it is their turn.
   * Throws `UnanswerableCallError`, with the others mined, if `sent` calls a contract whose answer cannot be known.
   */
  mineWaiting(sent: Transaction | null = null): Awaitable<void> {
    const { arrivals } = this.#core.pool;
    return runTask(this.inTurn(() => this.#mineWaiting(arrivals, sent)));
  }

  *#mineWaiting(arrivals: number, sent: Transaction | null): Task<void> {
    const refusals: UnanswerableCallError[] = [];
    const leaveOut: FailureHandler = (failed, error) => {
      const isSent = sent !== null && equalBytes(failed.hash, sent.hash);
      if (!isSent || !(error instanceof UnanswerableCallError)) return this.#leaveOut(failed, error);
      // The sender gets the error itself.
      this.#core.pool.remove(failed.hash);
      refusals.push(error);
      return true;
    };
    while ((yield* this.mineRest(arrivals, leaveOut)) !== null);
    for (const refusal of refusals) throw refusal;
  }

  /**
   * Mines a block of the transactions that had arrived in the pool by then (`Pool.arrivals`), inside of {@link inTurn}.
   * Returns null, without a block, if none of them can be mined. `leaveOut` handles those on which the engine fails.
   */
  mineRest(
    arrivals: number,
    leaveOut: FailureHandler = (failed, error) => this.#leaveOut(failed, error),
  ): Task<BuiltBlock | null> {
    const { pool } = this.#core;
    const candidates = (): readonly Transaction[] => (pool.size === 0 ? [] : pool.pending(arrivals));
    return this.persist(() => this.#mineSome(candidates(), leaveOut));
  }

  *#mineSome(candidates: readonly Transaction[], leaveOut: FailureHandler): Task<BuiltBlock | null> {
    if (candidates.length === 0) return null;
    const { pool, turns } = this.#core;
    const builder = this.open(this.nextTimestamp());
    // A transaction on which the engine itself fails leaves the pool, or it would fail all that come after it.
    yield* builder.fill(candidates, turns, (failed, error) => {
      if (leaveOut(failed, error)) return true;
      pool.remove(failed.hash);
      return false;
    });
    if (builder.transactions.length === 0) return null;
    const built = yield* this.seal(builder, this.watch(), builder.transactions);
    yield* this.#append(built, null);
    return built;
  }

  /**
   * Puts a range of reserved blocks on the head and makes an empty block above it, which is the head then. `reserve` makes
   * the range, on the head as it is when it is called: again when changes have outdated the one before.
   */
  mineAbove(reserve: () => ReservedRange): Awaitable<void> {
    return runTask(this.persist(() => this.#mineAbove(reserve())));
  }

  *#mineAbove(range: ReservedRange): Task<void> {
    const { blockchain, clock, settings, engine } = this.#core;
    const timestamp = clock.blockTimestamp(range.timestampOf(range.last));
    const context = reservedRangeContext(range, blocksOf(blockchain));
    const builder = openBlock(this.#core, settings.current, context, timestamp, engine);
    yield* this.#append(yield* this.seal(builder, this.watch(), []), range);
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

  /**
   * Notes what a block follows from that is built now, for {@link seal}: head, state, settings, clock and competing blocks.
   * The block is outdated when one of them is another by now, or when one of its transactions from the pool has left it.
   * One that came since then is left for the next block: the search would begin anew with each.
   */
  watch(): RequireCurrent {
    const { blockchain, settings, clock, sideBlocks, pool } = this.#core;
    const { head, headState } = blockchain;
    const [current, setting] = [settings.current, clock.setting];
    const [sideBlocksVersion, poolVersion] = [sideBlocks.version, pool.version];
    return (fromPool) => {
      const isSame =
        blockchain.head.hash === head.hash &&
        blockchain.headState === headState &&
        settings.current === current &&
        clock.setting === setting &&
        sideBlocks.version === sideBlocksVersion &&
        (pool.version === poolVersion || fromPool.every(({ hash }) => pool.byHash(hash) !== undefined));
      if (!isSame) throw new StaleCandidateError();
    };
  }

  /**
   * Returns the block with a proof of work. Other changes happen while that is searched for: throws so that {@link persist}
   * tries again when they outdate what {@link watch} noted or take one of the transactions from the pool that are `fromPool`,
   * `ChainResetError` when the chain starts anew, and {@link MiningStoppedError} when it closes.
   */
  seal(
    builder: BlockBuilder,
    requireCurrent: RequireCurrent,
    fromPool: readonly Transaction[],
  ): Task<BuiltBlock> {
    return builder.seal(this.pieces(), () => this.#pause(requireCurrent, fromPool));
  }

  /** Returns the pieces of work for a block, which take turns with the chain's other work. */
  pieces(): WorkPieces {
    return new WorkPieces(uninterrupted, undefined, this.#core.turns);
  }

  async #pause(requireCurrent: RequireCurrent, fromPool: readonly Transaction[]): Promise<void> {
    const { changes, identity } = this.#core;
    const { life } = identity;
    await changes.yieldTo(nextTurn());
    if (this.#isStopped) throw new MiningStoppedError();
    identity.requireLife(life);
    requireCurrent(fromPool);
  }

  /** Ends the search for a proof of work, for good. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Puts a block that was built on the head, or on a range of reserved blocks above it, and emits that event. */
  append(built: SideBlock, below: ReservedRange | null = null): Awaitable<void> {
    return runTask(this.#append(built, below));
  }

  *#append({ block, state, results }: SideBlock, below: ReservedRange | null): Task<void> {
    const { blockchain, changes, settings, clock, pool, events } = this.#core;
    yield* blockchain.appendInPieces({ range: below, block, state }, this.pieces());
    settings.useUpNext();
    clock.commit(block.header.timestamp);
    pool.removeStale(block.transactions.map((transaction) => transaction.sender));
    events.emit('block', block, results, changes.call);
    // Making many blocks must not hold the event loop.
    if (block.header.number % BLOCKS_PER_TURN === 0) yield* waitFor(nextTurn());
  }
}
