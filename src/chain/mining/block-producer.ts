import type { BlockEnvironment } from '../../evm/engine.ts';
import { UnanswerableCallError } from '../../evm/errors.ts';
import type { Awaitable } from '../../primitives/awaitable.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import type { Block } from '../../protocol/block.ts';
import { BlockRequestError } from '../../protocol/errors.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { type CancelCheck, neverCancelled, nextIteration } from '../../scheduling/cancel-check.ts';
import { runTask, type Task, waitFor } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import type { EmptyBlockRange } from '../../storage/empty-block-range.ts';
import type { SideBlock } from '../../storage/side-blocks.ts';
import type { ChainCore } from '../chain-core.ts';
import { MiningStoppedError } from '../errors.ts';
import type { Bundle } from '../pool/bundles.ts';
import { TransactionConditionError, TransactionDroppedError } from '../pool/errors.ts';
import type { BlockBuilder, BuiltBlock, Candidate, FailureHandler } from './block-builder.ts';
import type { TriedBundle } from './bundle-inclusion.ts';
import { MiningTurns } from './mining-turns.ts';
import { blocksOf, headContext, openBlock, reservedRangeContext } from './parent-context.ts';

/** Number of blocks between two yields to the event loop. */
const BLOCKS_PER_TURN = 32;

/** Thrown if a change makes the block stale during the search for its proof of work. */
class StaleCandidateError extends Error {
  override readonly name = 'StaleCandidateError';
}

/** Maximum gas of failed bundles in a block, in block gas limits. Later bundles wait for the next block. */
const FAILED_BUNDLES_LIMIT = 8n;

/** The bundles that a block tried: `null` if included, or the reason of the failure as text. */
type BundleOutcomes = ReadonlyMap<Bundle, string | null>;

/** The error of a transaction that leaves the pool. The sender gets it if it still waits for the block. */
type Refusal = UnanswerableCallError | TransactionConditionError | TransactionDroppedError;

const NO_OUTCOMES: BundleOutcomes = new Map([]);

function isRefusal(error: unknown): error is Refusal {
  return (
    error instanceof UnanswerableCallError ||
    error instanceof TransactionConditionError ||
    error instanceof TransactionDroppedError
  );
}

/** Returns the transaction whose deposit makes a block invalid. */
function malformedDeposit(transactions: readonly Transaction[], error: unknown): Transaction | undefined {
  const index = error instanceof BlockRequestError ? error.transactionIndex : null;
  return index === null ? undefined : transactions[index];
}

/** Returns true for transactions that a client drops. */
type TransactionFilter = (transaction: Transaction) => boolean;

/** Throws a `StaleCandidateError` if the block is stale. See {@link BlockProducer.watch}. */
export type RequireCurrent = (fromPool: readonly Transaction[]) => void;

/**
 * Mines blocks from the pool and appends them to the chain, inside changes. Callers must mine one block at a
 * time ({@link BlockProducer.inTurn}). Methods are synchronous unless the engine or a long proof of work
 * requires a wait. Other changes run during a search for a proof of work. If they make the block stale, the
 * search restarts with a new block.
 */
export class BlockProducer {
  readonly #core: ChainCore;
  readonly #turns: MiningTurns;
  /** The waiting transactions whose reason was logged. */
  readonly #noted = new WeakSet<Transaction>();
  #isStopped = false;
  #isClosed = false;
  /** The block that is being filled from the pool or with bundles. */
  #filled: BlockBuilder | null = null;
  /** The changes that drop transactions. See {@link interrupt}. */
  readonly #interruptions = new Set<{ readonly isDropped: TransactionFilter; hasEnded: boolean }>();
  /** Ends a long transaction of a closed chain, or an interrupted one. Executions share the time of the chain. */
  readonly #requireOpen: CancelCheck;

  constructor(core: ChainCore) {
    this.#core = core;
    this.#turns = new MiningTurns(core);
    const requireOpen = (): void => {
      if (this.#isClosed) throw new MiningStoppedError();
      const running = this.#filled?.running ?? null;
      if (running !== null && this.#isInterrupted(running)) throw new TransactionDroppedError();
    };
    this.#requireOpen = Object.assign(requireOpen, { yielder: core.yielder });
  }

  /** Runs a mining task after all earlier ones. See {@link MiningTurns.run}. */
  inTurn<Result>(work: () => Task<Result>): Task<Result> {
    return this.#turns.run(work);
  }

  /** Waits, inside a change, until no mining task runs. */
  untilIdle(): Awaitable<void> {
    return runTask(this.#turns.untilIdle(), this.timeSlice());
  }

  /** Returns the timestamp (seconds since 1970) of a block mined now. */
  nextTimestamp(): number {
    const { blockchain, clock } = this.#core;
    return clock.blockTimestamp(blockchain.head.block.header.timestamp);
  }

  /** Returns the environment of code in a block mined now. */
  nextEnvironment(): BlockEnvironment {
    return this.open(this.nextTimestamp()).environment;
  }

  /** Returns a builder for a block on the head at `timestamp` (seconds since 1970). */
  open(timestamp: number, engine = this.#core.countedEngine): BlockBuilder {
    const { blockchain, settings } = this.#core;
    return openBlock(
      this.#core,
      settings.current,
      headContext(blockchain),
      timestamp,
      engine,
      this.#requireOpen,
    );
  }

  /** Mines a block with the pool transactions that fit, and appends it. */
  mine(): Awaitable<BuiltBlock> {
    return runTask(
      this.persist(() => this.#mineOnce()),
      this.timeSlice(),
    );
  }

  *#mineOnce(): Task<BuiltBlock> {
    const builder = this.open(this.nextTimestamp());
    const { pool } = this.#core;
    const bundles = pool.bundles.size === 0 ? null : yield* this.#addBundles(builder);
    const fromBundles = builder.transactions.length;
    yield* this.#fill(builder, pool.executable(), (failed, error) => this.#leaveOut(failed, error));
    return yield* this.#sealAndAppend(builder, bundles, fromBundles);
  }

  *#fill(builder: BlockBuilder, candidates: readonly Candidate[], leaveOut: FailureHandler): Task<void> {
    const onFailure: FailureHandler = (failed, error) => {
      const isLeftOut = leaveOut(failed, error);
      // The next attempt builds the block without the dropped transaction.
      if (error instanceof TransactionDroppedError) throw new StaleCandidateError();
      return isLeftOut;
    };
    this.#filled = builder;
    try {
      yield* builder.fill(candidates, this.#core.yielder, {
        onFailure,
        onWaiting: (transaction, reason) => this.#noteWaiting(transaction, reason),
      });
    } finally {
      this.#filled = null;
    }
  }

  #isInterrupted(running: Transaction): boolean {
    for (const interruption of this.#interruptions) {
      if (!interruption.isDropped(running)) continue;
      interruption.hasEnded = true;
      return true;
    }
    return false;
  }

  /**
   * Ends the execution of long transactions until `change` has run, even if they start later. The transaction
   * leaves the pool, or its bundle is dropped. Resolves to true if an execution was ended.
   */
  async interrupt(isDropped: TransactionFilter, change: () => Promise<unknown>): Promise<boolean> {
    const interruption = { isDropped, hasEnded: false };
    this.#interruptions.add(interruption);
    try {
      await change();
    } finally {
      this.#interruptions.delete(interruption);
    }
    return interruption.hasEnded;
  }

  /** Adds the waiting bundles that this block can include. */
  *#addBundles(builder: BlockBuilder): Task<BundleOutcomes> {
    const { pool } = this.#core;
    const { number, timestamp } = builder.environment;
    const due = pool.bundles.due(number, timestamp);
    if (due.length === 0) return NO_OUTCOMES;
    const outcomes = new Map<Bundle, string | null>();
    let gasLeft = builder.environment.gasLimit * FAILED_BUNDLES_LIMIT;
    for (const bundle of due) {
      if (gasLeft < 0n) {
        // The next block tries the others first.
        pool.bundles.moveBehind(outcomes);
        break;
      }
      const { fault, lostGas } = yield* this.#tryBundle(builder, bundle);
      outcomes.set(bundle, fault);
      gasLeft -= lostGas;
    }
    return outcomes;
  }

  /** Adds a waiting bundle to the block. If a client drops one of its transactions, the bundle is dropped. */
  *#tryBundle(builder: BlockBuilder, bundle: Bundle): Task<TriedBundle> {
    try {
      return yield* this.#includeBundle(builder, bundle);
    } catch (error) {
      if (!(error instanceof TransactionDroppedError)) throw error;
      const { pool, events } = this.#core;
      pool.bundles.removeWhere((waiting) => waiting === bundle);
      events.emit('notice', `Dropped bundle ${toHex(bundle.hash)}: ${error.message}`);
      // The next attempt builds the block without the bundle.
      throw new StaleCandidateError();
    }
  }

  *#includeBundle(builder: BlockBuilder, bundle: Bundle): Task<TriedBundle> {
    // Loads the code with the first bundle.
    const { includeBundle } = yield* waitFor(import('./bundle-inclusion.ts'));
    this.#filled = builder;
    try {
      return yield* includeBundle(builder, bundle, this.#core.yielder);
    } finally {
      this.#filled = null;
    }
  }

  /** The first `fromBundles` transactions of the block are not in the pool. */
  *#sealAndAppend(
    builder: BlockBuilder,
    bundles: BundleOutcomes | null,
    fromBundles: number,
  ): Task<BuiltBlock> {
    const built = yield* this.seal(builder, this.watch(), builder.transactions.slice(fromBundles));
    if (bundles !== null) this.#settleBundles(bundles, built.block);
    yield* this.#append(built, null);
    return built;
  }

  /** Removes included and expired bundles. The log explains why the others were not included. */
  #settleBundles(outcomes: BundleOutcomes, { header: { number, timestamp }, transactions }: Block): void {
    const { pool, events } = this.#core;
    pool.bundles.removeMined(transactions);
    pool.bundles.removeWhere((bundle) => outcomes.get(bundle) === null);
    for (const bundle of pool.bundles.removeExpired(number, timestamp)) {
      const fault = outcomes.get(bundle) ?? 'no block of its range of blocks and timestamps included it';
      events.emit('notice', `Dropped bundle ${toHex(bundle.hash)}: ${fault}`);
    }
  }

  /**
   * Mines a block that contains only this bundle. Resolves to `null`, or to the reason of the failure as text; no
   * block is mined then. Rejects with {@link TransactionDroppedError}. Call it inside {@link inTurn}.
   */
  mineBundle(bundle: Bundle): Task<string | null> {
    return this.persist(() => this.#mineBundle(bundle));
  }

  *#mineBundle(bundle: Bundle): Task<string | null> {
    const builder = this.open(this.nextTimestamp());
    const { fault } = yield* this.#includeBundle(builder, bundle);
    if (fault === null) yield* this.#sealAndAppend(builder, null, builder.transactions.length);
    return fault;
  }

  /**
   * Removes a transaction that calls a contract with an unknown result, or whose condition is broken, and logs a
   * notice. Returns false for other errors.
   */
  #leaveOut({ hash }: Transaction, error: unknown): boolean {
    if (!isRefusal(error)) return false;
    const { pool, events } = this.#core;
    pool.remove(hash);
    events.emit('notice', `Removed transaction ${toHex(hash)} from the pool: ${error.message}`);
    return true;
  }

  /** Logs the reason at the first block that skips the transaction. */
  #noteWaiting(transaction: Transaction, reason: string): void {
    if (this.#noted.has(transaction)) return;
    this.#noted.add(transaction);
    const { events } = this.#core;
    events.emit('notice', `Transaction ${toHex(transaction.hash)} waits in the pool: ${reason}`);
  }

  /**
   * Mines all executable transactions of the pool at the time of the call: in one block if they fit, else in
   * several. Other changes run between later blocks, and the series ends if they disable automine. Transactions
   * that arrive during a search are mined by their own tasks later. Throws
   * `UnanswerableCallError` if `sent` calls a contract with an unknown result, and `TransactionConditionError`
   * if its condition is broken; the other transactions are mined.
   */
  mineWaiting(sent: Transaction | null = null): Awaitable<void> {
    return runTask(this.#mineWaiting(this.#core.pool.arrivals, sent), this.timeSlice());
  }

  *#mineWaiting(arrivals: number, sent: Transaction | null): Task<void> {
    const refusals: Refusal[] = [];
    const leaveOut: FailureHandler = (failed, error) => {
      const isSent = sent !== null && equalBytes(failed.hash, sent.hash);
      if (!isSent || !isRefusal(error)) return this.#leaveOut(failed, error);
      // The sender gets the error itself.
      this.#core.pool.remove(failed.hash);
      refusals.push(error);
      return true;
    };
    while (yield* this.inTurn(() => this.#leavesTransactions(arrivals, leaveOut))) {
      yield* waitFor(this.#pause(() => undefined, []));
      if (!this.#core.miner.automine) break;
    }
    for (const refusal of refusals) throw refusal;
  }

  /** Mines a block as {@link mineRest} does. Returns true if executable transactions are left for another block. */
  *#leavesTransactions(arrivals: number, leaveOut: FailureHandler): Task<boolean> {
    const built = yield* this.mineRest(arrivals, leaveOut);
    return built !== null && this.#core.pool.executable(arrivals).length > 0;
  }

  /**
   * Mines a block from the transactions that arrived before `arrivals` (`TransactionPool.arrivals`). Call it
   * inside {@link inTurn}. Returns `null` if no transaction can be mined. `leaveOut` handles transactions
   * that make the engine fail.
   */
  mineRest(
    arrivals: number,
    leaveOut: FailureHandler = (failed, error) => this.#leaveOut(failed, error),
  ): Task<BuiltBlock | null> {
    const { pool } = this.#core;
    return this.persist(() => this.#mineSome(pool.executable(arrivals), leaveOut));
  }

  *#mineSome(candidates: readonly Candidate[], leaveOut: FailureHandler): Task<BuiltBlock | null> {
    if (candidates.length === 0) return null;
    const { pool } = this.#core;
    const builder = this.open(this.nextTimestamp());
    const bundles = pool.bundles.size === 0 ? null : yield* this.#addBundles(builder);
    const fromBundles = builder.transactions.length;
    // A transaction that makes the engine or the block fail is removed from the pool. Otherwise it would fail all
    // later transactions.
    yield* this.#fill(builder, candidates, (failed, error) => {
      if (leaveOut(failed, error)) return true;
      pool.remove(failed.hash);
      return false;
    });
    if (builder.transactions.length === 0) return null;
    try {
      return yield* this.#sealAndAppend(builder, bundles, fromBundles);
    } catch (error) {
      const malformed = malformedDeposit(builder.transactions, error);
      if (malformed !== undefined) pool.removeEverywhere(malformed.hash);
      throw error;
    }
  }

  /**
   * Appends a range of reserved blocks and mines an empty block on top as the new head. `reserve` creates the
   * range on the present head. It is called again if changes make the earlier range stale.
   */
  mineAbove(reserve: () => EmptyBlockRange): Awaitable<void> {
    return runTask(
      this.persist(() => this.#mineAbove(reserve())),
      this.timeSlice(),
    );
  }

  *#mineAbove(range: EmptyBlockRange): Task<void> {
    const { blockchain, clock, settings, engine } = this.#core;
    const timestamp = clock.blockTimestamp(range.timestampOf(range.last));
    const context = reservedRangeContext(range, blocksOf(blockchain));
    const builder = openBlock(this.#core, settings.current, context, timestamp, engine);
    yield* this.#append(yield* this.seal(builder, this.watch(), []), range);
  }

  /** Retries the attempt if a change makes the block stale during the search for its proof of work. */
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
   * Records the inputs of a block for {@link seal}: head, state, settings, clock and competing blocks. The
   * block is stale if one of them changes, or if one of its transactions leaves the pool. A new transaction
   * does not make it stale, since otherwise the search would restart with every arrival.
   */
  watch(): RequireCurrent {
    const { blockchain, settings, clock, sideBlocks, pool } = this.#core;
    const { head } = blockchain;
    const [current, setting] = [settings.current, clock.setting];
    const [sideBlocksVersion, poolVersion] = [sideBlocks.version, pool.version];
    return (fromPool) => {
      const isSame =
        blockchain.head === head &&
        settings.current === current &&
        clock.setting === setting &&
        sideBlocks.version === sideBlocksVersion &&
        (pool.version === poolVersion || fromPool.every(({ hash }) => pool.byHash(hash) !== undefined));
      if (!isSame) throw new StaleCandidateError();
    };
  }

  /**
   * Returns the block with a proof of work. Other changes run during the search. If they make the block
   * stale, an error is thrown and {@link persist} retries. `fromPool` lists the block's transactions from the
   * pool. Throws `ChainResetError` after a reset, and {@link MiningStoppedError} if the chain closes.
   */
  seal(
    builder: BlockBuilder,
    requireCurrent: RequireCurrent,
    fromPool: readonly Transaction[],
  ): Task<BuiltBlock> {
    return builder.seal(() => this.#pause(requireCurrent, fromPool));
  }

  /** Returns a budget that shares time slices with the chain's other work. */
  timeSlice(): TimeSlice {
    return new TimeSlice(neverCancelled, undefined, this.#core.yielder);
  }

  async #pause(requireCurrent: RequireCurrent, fromPool: readonly Transaction[]): Promise<void> {
    const { changes, identity } = this.#core;
    const { life } = identity;
    await changes.yieldTo(nextIteration());
    if (this.#isStopped) throw new MiningStoppedError();
    identity.requireLife(life);
    requireCurrent(fromPool);
  }

  /** Ends the search for a proof of work, permanently. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Ends the execution of long transactions too, with a {@link MiningStoppedError}. */
  close(): void {
    this.stop();
    this.#isClosed = true;
  }

  /** Appends a built block, optionally on top of reserved blocks, and emits the `block` event. */
  append(built: SideBlock, below: EmptyBlockRange | null = null): Awaitable<void> {
    return runTask(this.#append(built, below), this.timeSlice());
  }

  *#append({ block, state, results }: SideBlock, below: EmptyBlockRange | null): Task<void> {
    const { blockchain, changes, settings, clock, pool, events } = this.#core;
    yield* blockchain.append({ range: below, block, state });
    settings.useUpNext();
    clock.commit(block.header.timestamp);
    pool.removeStale(block.transactions.map((transaction) => transaction.sender));
    if (pool.bundles.size > 0) this.#settleBundles(NO_OUTCOMES, block);
    events.emit('block', block, results, changes.call);
    // Mining many blocks must not block the event loop.
    if (block.header.number % BLOCKS_PER_TURN === 0) yield* waitFor(nextIteration());
  }
}
