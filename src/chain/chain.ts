import { type Awaitable, whenReady } from '../primitives/awaitable.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { type Block, locatedTransaction, type TransactionLocation } from '../protocol/block.ts';
import { BlockRequestError } from '../protocol/errors.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { decodeTransaction } from '../protocol/transaction-decoding.ts';
import { neverCancelled } from '../scheduling/cancel-check.ts';
import type { RunQueue } from '../scheduling/scheduler.ts';
import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import type { WorldState } from '../state/world-state.ts';
import type { CanonicalBlocks } from '../storage/canonical-blocks.ts';
import type { HashSigner, Wallet } from '../wallet/wallet.ts';
import { BlobProofs, BlobStore, type NamedBlob } from './blobs.ts';
import type { BlockSelector } from './block-selector.ts';
import type { ChainCore, ChainIdentity, Durability } from './chain-core.ts';
import type { CallToken, ChainEvents } from './changes.ts';
import { ChainResetError, MiningStoppedError } from './errors.ts';
import { type BlockContext, BlockResolver } from './execution/block-resolver.ts';
import { ChainCalls } from './execution/calls.ts';
import { ChainCreations, ChainHistory } from './execution/chain-history.ts';
import { ChainSimulation } from './execution/chain-simulation.ts';
import { ChainFees } from './execution/fees.ts';
import { ChainTimeline } from './execution/timeline.ts';
import { ChainTracing } from './execution/tracing.ts';
import { BlockAccess, ChainWitness } from './execution/witness.ts';
import { Filters } from './filters/filters.ts';
import { depthOf, numberBelowHead } from './final-blocks.ts';
import type { BaseChange } from './mining/base-change.ts';
import type { BuiltBlock } from './mining/block-builder.ts';
import { BlockImport } from './mining/block-import.ts';
import { BlockProducer } from './mining/block-producer.ts';
import { type MineOptions, mineBulk, mineSeries } from './mining/mine-series.ts';
import { Hashrates, MiningWork, networkHashrate } from './mining/mining-work.ts';
import { PendingBlock } from './mining/pending-block.ts';
import { Reorganizer } from './mining/reorganizer.ts';
import {
  type SendOptions,
  type SendRequest,
  TransactionSubmitter,
  untilMined,
} from './mining/transaction-submitter.ts';
import { setMining } from './mining-controls.ts';
import type { Bundle } from './pool/bundles.ts';
import type { TransactionCondition } from './pool/condition.ts';
import type { TransactionPool } from './pool/pool.ts';
import type { BlockSettings } from './settings/block-settings.ts';
import { LastBlockTime } from './settings/chain-clock.ts';
import type { ChainOptions } from './settings/chain-options.ts';
import type { Impersonation } from './settings/impersonation.ts';
import type { BlockTime, Miner } from './settings/miner.ts';
import { type FirstState, Snapshots } from './snapshots/snapshots.ts';
import { StateWrites, TokenWrites } from './state-writes.ts';

/** Sends transactions and mines blocks inside a change. */
export interface BlockTools {
  /** Like {@link Chain.sendFrom}. */
  send(sender: Uint8Array, request: SendRequest, signHash?: HashSigner): Promise<Uint8Array>;
  /** Mines blocks with as many of the pool's transactions as fit. */
  mine(count: number): Promise<Block[]>;
}

/**
 * An isolated chain, and the object that RPC methods use. Changes run one after another in request order. A
 * search for a proof of work lets other changes run. Reads never wait.
 */
export class Chain {
  readonly options: ChainOptions;
  readonly wallet: Wallet;
  readonly pool: TransactionPool;
  readonly miner: Miner;
  readonly impersonation: Impersonation;
  readonly identity: ChainIdentity;
  readonly events: ChainEvents;
  /** The chain's run queue. */
  readonly yielder: RunQueue;
  /** `null` for a chain in memory. */
  readonly durability: Durability | null;
  /** The canonical blocks, read-only. */
  readonly blocks: CanonicalBlocks;
  readonly snapshots: Snapshots;
  readonly filters: Filters;
  readonly hashrates: Hashrates;
  readonly fees: ChainFees;
  readonly calls: ChainCalls;
  readonly tracing: ChainTracing;
  readonly history: ChainHistory;
  readonly creations: ChainCreations;
  readonly witness: ChainWitness;
  readonly access: BlockAccess;
  readonly timeline: ChainTimeline;
  readonly simulation: ChainSimulation;
  readonly work: MiningWork;
  readonly reorganizer: Reorganizer;
  readonly cheats: StateWrites;
  readonly tokenCheats: TokenWrites;
  readonly lastBlockTime: LastBlockTime;
  /** Blobs of the transactions that clients sent to this chain. */
  readonly blobs = new BlobStore();
  readonly blobProofs = new BlobProofs();
  /** False hides the chain from the log. */
  isLogged = true;
  readonly #core: ChainCore;
  #isClosed = false;
  readonly #producer: BlockProducer;
  readonly #submitter: TransactionSubmitter;
  readonly #known: BlockResolver;
  readonly #beforeClose: (() => void)[] = [];

  constructor(core: ChainCore, beginning: FirstState) {
    this.#core = core;
    this.options = core.options;
    this.wallet = core.wallet;
    this.pool = core.pool;
    this.miner = core.miner;
    this.impersonation = core.impersonation;
    this.identity = core.identity;
    this.events = core.events;
    this.yielder = core.yielder;
    this.durability = core.durability;
    this.blocks = core.blockchain;
    const producer = new BlockProducer(core);
    const pending = new PendingBlock(core, producer);
    const known = new BlockResolver(core, pending);
    const submitter = new TransactionSubmitter(core, producer);
    this.#producer = producer;
    this.#known = known;
    this.#submitter = submitter;
    this.snapshots = new Snapshots(core, beginning);
    this.filters = new Filters(core);
    this.hashrates = new Hashrates(core.wallClock);
    this.fees = new ChainFees(core);
    this.calls = new ChainCalls(core, known, producer);
    this.tracing = new ChainTracing(core, known, this.calls);
    this.history = new ChainHistory(core, this.tracing);
    this.creations = new ChainCreations(core, this.tracing);
    this.witness = new ChainWitness(core, known, this.tracing);
    this.access = new BlockAccess(core, this.tracing);
    this.timeline = new ChainTimeline(core);
    this.simulation = new ChainSimulation(core, known, this.calls);
    this.reorganizer = new Reorganizer(core, producer, this.snapshots, submitter);
    this.work = new MiningWork(core, pending, new BlockImport(core, producer, this.snapshots, submitter));
    this.cheats = new StateWrites(core);
    this.tokenCheats = new TokenWrites(core);
    this.lastBlockTime = new LastBlockTime(core);
    const { keptBlocks } = core.options;
    if (keptBlocks !== null)
      core.events.on('block', () => core.blockchain.prune(keptBlocks, this.snapshots.lowestHead));
    core.miner.start(() => this.#mineOnTimer());
  }

  /**
   * Runs `task` after all earlier changes and returns its result. If the task needs remote state, it restarts
   * when the state has arrived. Therefore it must read state before it changes anything. `call` is the client
   * call that caused the change. See `controls.ts` for named changes.
   *
   * @example await chain.change(({ pool }) => pool.remove(hash));
   */
  change<Result>(
    task: (core: ChainCore) => Awaitable<Result>,
    call: CallToken | null = null,
  ): Promise<Result> {
    return this.#core.changes.run(() => task(this.#core), call);
  }

  /**
   * Runs `task` as one change like {@link change}. The task can send transactions and mine blocks between its
   * other steps.
   */
  changeWithBlocks<Result>(
    task: (tools: BlockTools) => Promise<Result>,
    call: CallToken | null = null,
  ): Promise<Result> {
    const core = this.#core;
    const tools: BlockTools = {
      send: async (sender, request, signHash) =>
        this.#submit(this.#submitter.signAs(sender, request, signHash), []),
      mine: async (count) => mineSeries(core, this.#producer, { count }, ({ block }) => block),
    };
    return core.changes.run(() => task(tools), call);
  }

  /** Blocks changes until the promise resolves, so that a slow event listener can catch up. */
  holdChanges(until: Promise<void>): void {
    this.#core.changes.hold(until);
  }

  /** Moves local blocks onto later blocks of the forked chain. Loads the code on demand. */
  async baseChange(): Promise<BaseChange> {
    const { BaseChange } = await import('./mining/base-change.ts');
    return new BaseChange(this.#core, this.#producer, this.snapshots);
  }

  /** The rules of the chain. The blob parameters can change when the chain becomes a fork. */
  get ruleSet(): RuleSet {
    return this.#core.ruleSet;
  }

  /** The settings for the next block and for the validation of transactions. */
  get settings(): BlockSettings {
    return this.#core.settings.current;
  }

  /** The chain's time, in seconds since 1970. */
  get time(): number {
    return this.#core.clock.now();
  }

  /** Seconds between blocks; `null` if blocks follow the clock. */
  get timestampInterval(): number | null {
    return this.#core.clock.setting.interval;
  }

  head(): Block {
    return this.#core.blockchain.head.block;
  }

  headState(): WorldState {
    return this.#core.blockchain.head.state;
  }

  /** See `BlockResolver.view`. */
  view(selector: BlockSelector): Awaitable<BlockContext> {
    return this.#known.view(selector);
  }

  /** See `BlockResolver.block`. */
  block(selector: BlockSelector): Awaitable<Block | undefined> {
    return this.#known.block(selector);
  }

  /** Returns the number of the block of `safe` or `finalized`; of the head for all other selectors. */
  numberOfTag(selector: BlockSelector): number {
    return numberBelowHead(this.#core, depthOf(selector, this.#core));
  }

  /** Returns the canonical block with this number first, then its side blocks. */
  blocksAt(number: number): readonly Block[] {
    return this.#known.blocksAt(number);
  }

  /** Returns true for a side block. */
  isBeside(block: Block): boolean {
    return this.#known.isBeside(block);
  }

  /** Returns the mined transaction with this hash, or `undefined`. */
  transaction(hash: Uint8Array): TransactionLocation | undefined {
    const { blockchain } = this.#core;
    const position = blockchain.positionOf(hash);
    if (position === undefined) return undefined;
    const block = blockchain.block(position.number);
    if (block === undefined) return undefined;
    const firstLogIndex = blockchain.logs(position.number)?.firstLogOf(position.index) ?? 0;
    return locatedTransaction(block, position.index, firstLogIndex);
  }

  /** Returns the account's next nonce, including transactions in the pool. */
  pendingNonce(address: Uint8Array): bigint {
    return this.pool.nextNonce(address);
  }

  /** Throws `InvalidTransactionError`, `InvalidChainIdError` or `TransactionTypeError`. */
  decode(raw: Uint8Array): Transaction {
    return decodeTransaction(raw, this.ruleSet, this.settings.chainId);
  }

  /** Returns the work of all miners over the last hour, in hashes per second. */
  networkHashrate(): bigint {
    return networkHashrate(this.#core.blockchain, this.#core.clock.now());
  }

  /** Signs with the wallet or a custom signer. The nonce is optional. Rejects with `AccountNotFoundError`. */
  async sign(
    sender: Uint8Array,
    request: SendRequest,
    slice?: TimeSlice,
    signHash?: HashSigner,
  ): Promise<Transaction> {
    return runTask(this.#submitter.sign(sender, request, signHash), slice);
  }

  /**
   * Adds the transaction to the pool and stores its blobs. With automine, it is mined before the promise
   * resolves. Returns the hash. Rejects with a `TransactionRejectedError`, or with a
   * `TransactionConditionError` if the condition of the transaction is broken.
   */
  send(
    transaction: Transaction,
    call: CallToken | null = null,
    blobs: readonly NamedBlob[] = [],
    condition: TransactionCondition | null = null,
  ): Promise<Uint8Array> {
    return this.#core.changes.run(() => this.#submit(transaction, blobs, condition), call);
  }

  /** Submits the transaction. Stores its blobs unless it is rejected. */
  #submit(
    transaction: Transaction,
    blobs: readonly NamedBlob[],
    condition: TransactionCondition | null = null,
  ): Awaitable<Uint8Array> {
    return whenReady(this.#submitter.submit(transaction, condition), (hash) => {
      if (blobs.length > 0) this.blobs.add(blobs);
      return hash;
    });
  }

  /** See `TransactionSubmitter.submitBundle`. Stores the blobs of the bundle unless it is rejected. */
  sendBundle(bundle: Bundle, call: CallToken | null = null, blobs: readonly NamedBlob[] = []): Promise<void> {
    return this.#core.changes.run(
      () =>
        whenReady(this.#submitter.submitBundle(bundle), () => {
          if (blobs.length > 0) this.blobs.add(blobs);
        }),
      call,
    );
  }

  /** See `untilMined`. */
  untilMined(hash: Uint8Array, milliseconds: number): Promise<void> {
    return untilMined(this.#core, hash, milliseconds);
  }

  /**
   * Signs and sends in one step, so that two parallel requests get two nonces. Pass a function if the request
   * depends on the pool at execution time. Rejects as `sign` and `send` do, and with `ChainResetError`.
   */
  sendFrom(
    sender: Uint8Array,
    request: SendRequest | (() => SendRequest),
    { life, signHash, call, blobs = [] }: SendOptions = {},
  ): Promise<Uint8Array> {
    return this.#core.changes.run(() => {
      this.identity.requireLife(life);
      const asked = typeof request === 'function' ? request() : request;
      return this.#submit(this.#submitter.signAs(sender, asked, signHash), blobs);
    }, call);
  }

  /**
   * Sends a transaction without the sender's key. Rejects with `TransactionRejectedError` or
   * `ChainResetError`.
   */
  sendUnsigned(
    sender: Uint8Array,
    request: SendRequest,
    { life, call, blobs = [] }: Pick<SendOptions, 'life' | 'call' | 'blobs'> = {},
  ): Promise<Uint8Array> {
    return this.#core.changes.run(() => {
      this.identity.requireLife(life);
      return this.#submit(this.#submitter.unsigned(sender, request), blobs);
    }, call);
  }

  async #mineOnTimer(): Promise<void> {
    try {
      await this.mine();
    } catch (error) {
      const isExpected = error instanceof MiningStoppedError || error instanceof ChainResetError;
      // A client can repair the system contract, so the timer continues.
      if (error instanceof BlockRequestError) this.events.emit('notice', error.message);
      else if (!isExpected) this.#core.onMiningError(error);
    }
  }

  /**
   * Mines blocks with as many of the pool's transactions as fit. Rejects with `TimestampTooLowError` if the
   * timestamp is not after the head's.
   */
  mine(options: MineOptions = {}): Promise<Block[]> {
    return this.mineDetailed(options, ({ block }) => block);
  }

  /** Mines like {@link mine}. `kept` maps each block and its results directly after the block is mined. */
  mineDetailed<Kept>(
    options: MineOptions,
    kept: (built: BuiltBlock) => Kept,
    call: CallToken | null = null,
  ): Promise<Kept[]> {
    return this.change((core) => mineSeries(core, this.#producer, options, kept), call);
  }

  /**
   * Mines like {@link mine}, but returns nothing. Runs of empty blocks are stored as one record and created
   * on first read, so a million blocks cost as little as a few. Rejects with `SeriesTooLongError` too.
   */
  mineBulk(options: MineOptions = {}, call: CallToken | null = null): Promise<void> {
    return this.change((core) => mineBulk(core, this.#producer, options), call);
  }

  /** Enables automine with an interval (`null` for none, `undefined` to keep it) and mines the pool. */
  mineInstantly(blockTime?: BlockTime | null, call: CallToken | null = null): Promise<void> {
    return this.change(({ miner }) => {
      miner.setMode({ automine: true, blockTime: blockTime === undefined ? miner.blockTime : blockTime });
      return this.#producer.mineWaiting();
    }, call);
  }

  /**
   * Restores the initial mining mode and mines the pending transactions if it automines. If the chain started
   * without mining, automine is enabled.
   */
  startMining(call: CallToken | null = null): Promise<void> {
    const { automine, blockTime } = this.options;
    if (automine || blockTime === null) return this.mineInstantly(blockTime, call);
    return this.change(setMining({ automine, blockTime }), call);
  }

  /** Removes a transaction from the pool, also during its execution. Resolves to false if it was not in the pool. */
  async dropTransaction(hash: Uint8Array): Promise<boolean> {
    const isDropped = (transaction: Transaction): boolean => equalBytes(transaction.hash, hash);
    let isRemoved = false;
    const hasEnded = await this.#producer.interrupt(isDropped, async () => {
      isRemoved = await this.change(({ pool }) => pool.remove(hash));
    });
    return isRemoved || hasEnded;
  }

  /** Removes transactions from the pool, also during their execution: of the sender (20 bytes), or by default all. */
  async dropTransactions(sender: Uint8Array | null = null): Promise<void> {
    const isDropped = (transaction: Transaction): boolean =>
      sender === null || equalBytes(transaction.sender, sender);
    await this.#producer.interrupt(isDropped, () => this.change(({ pool }) => pool.removeWhere(isDropped)));
  }

  /**
   * Aborts the current search for a proof of work and rejects later searches with {@link MiningStoppedError}.
   * Called before the chain closes, while clients still get responses.
   */
  stopSearching(): void {
    this.#producer.stop();
  }

  /** Aborts mining, also in a long transaction. Call it when no client waits for a response. */
  abortMining(): void {
    this.#producer.close();
  }

  /** True once the chain cannot be read any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Calls `action` when the chain starts to close, before it waits for pending changes. */
  beforeClose(action: () => void): void {
    this.#beforeClose.push(action);
  }

  /** Stops the miner, waits for pending changes, and closes the storage. */
  async close(): Promise<void> {
    this.miner.stop();
    for (const action of this.#beforeClose) action();
    this.abortMining();
    this.#core.fork.close();
    await this.#core.changes.run(() => this.#producer.untilIdle());
    await this.durability?.close();
    this.#isClosed = true;
    const { blockchain, yielder } = this.#core;
    await this.snapshots.close();
    await blockchain.close(new TimeSlice(neverCancelled, undefined, yielder));
  }
}
