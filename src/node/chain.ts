import { Impersonation } from '../chain/cheats/impersonation.ts';
import { StateCheats } from '../chain/cheats/state-cheats.ts';
import { TokenCheats } from '../chain/cheats/token-cheats.ts';
import { BlockNotFoundError, ChainResetError, MiningStoppedError } from '../chain/errors.ts';
import { type BlockSelector, describeSelector, isPending } from '../chain/execution/block-selector.ts';
import { ChainCalls } from '../chain/execution/chain-calls.ts';
import {
  ChainHistory,
  locatedTransaction,
  type TransactionLocation,
} from '../chain/execution/chain-history.ts';
import { ChainSimulation } from '../chain/execution/chain-simulation.ts';
import { PendingBlock } from '../chain/execution/pending-block.ts';
import { ChainTracing } from '../chain/execution/tracing.ts';
import { Filters } from '../chain/filters/filters.ts';
import type { BuiltBlock } from '../chain/mining/block-builder.ts';
import { BlockImport } from '../chain/mining/block-import.ts';
import { BlockProducer } from '../chain/mining/block-producer.ts';
import { type MineOptions, mineBulk, mineSeries } from '../chain/mining/bulk-mining.ts';
import { Hashrates, networkHashrate } from '../chain/mining/hashrates.ts';
import { KnownBlocks } from '../chain/mining/known-blocks.ts';
import { Miner } from '../chain/mining/miner.ts';
import { MiningWork } from '../chain/mining/mining-work.ts';
import { Reorganizer } from '../chain/mining/reorganizer.ts';
import { SideBlocks } from '../chain/mining/side-blocks.ts';
import { TransactionPool } from '../chain/pool/pool.ts';
import { poolTimeout } from '../chain/pool/pool-timeout.ts';
import type { SendOptions, SendRequest } from '../chain/pool/transaction-submitter.ts';
import { ReceiptWaiting, TransactionSubmitter } from '../chain/pool/transaction-submitter.ts';
import { SerialQueue } from '../chain/serial-queue.ts';
import type { BlockSettings, LiveSettings } from '../chain/settings/block-settings.ts';
import type { ChainClock } from '../chain/settings/chain-clock.ts';
import { LastBlockTime } from '../chain/settings/chain-clock.ts';
import { ChainControls } from '../chain/settings/chain-controls.ts';
import { ChainFees } from '../chain/settings/chain-fees.ts';
import { ChainIdentity } from '../chain/settings/chain-identity.ts';
import type { ChainOptions } from '../chain/settings/chain-options.ts';
import { type ForkPoint, Snapshots } from '../chain/snapshots/snapshots.ts';
import type { Fork } from '../fork/fork.ts';
import { ForkReset } from '../fork/fork-handle.ts';
import { ChainDump } from '../persistence/dump/chain-dump.ts';
import type { Durability } from '../persistence/durable/durability.ts';
import type { SchedulerLane } from '../primitives/scheduler.ts';
import type { Block } from '../protocol/block.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { decodeTransaction } from '../protocol/transaction-decoding.ts';
import type { WorldState } from '../state/world-state.ts';
import type { Blockchain } from '../storage/blockchain.ts';
import type { ChainEvents } from '../storage/chain-events.ts';
import type { FoundLogs } from '../storage/located-log.ts';
import { type LogQuery, lookForLogs, searchLogs } from '../storage/log-search.ts';
import type { HashSigner, Wallet } from '../wallet/wallet.ts';
import type { ChainParts } from './chain-parts.ts';
import { forkedParts } from './chain-parts.ts';
import { ChainSnapshots } from './chain-snapshots.ts';

/** A state and the block it stands after. */
export interface ChainView {
  readonly block: Block;
  /** True for the sample of the next block, which is not sealed. */
  readonly isPending: boolean;
  readonly state: WorldState;
}

/**
 * One isolated chain with everything that belongs to it: the one object that RPC methods talk to. Whatever changes it
 * happens one after the other, in the order asked, but that a search for a proof of work lets others pass; reading never
 * waits.
 */
export class Chain {
  readonly options: ChainOptions;
  readonly ruleSet: RuleSet;
  readonly wallet: Wallet;
  readonly pool: TransactionPool;
  readonly miner: Miner;
  readonly hashrates: Hashrates;
  readonly work: MiningWork;
  readonly events: ChainEvents;
  readonly filters: Filters;
  readonly calls: ChainCalls;
  readonly fees: ChainFees;
  readonly tracing: ChainTracing;
  readonly simulation: ChainSimulation;
  readonly history: ChainHistory;
  readonly receipts: ReceiptWaiting;
  readonly impersonation: Impersonation;
  readonly identity: ChainIdentity;
  readonly cheats: StateCheats;
  readonly tokenCheats: TokenCheats;
  readonly controls: ChainControls;
  readonly snapshots: ChainSnapshots;
  readonly forkSwitch: ForkReset;
  readonly reorganizer: Reorganizer;
  readonly dump: ChainDump;
  readonly lastBlockTime: LastBlockTime;
  /** The turns of the chain's work among that of others. */
  readonly turns: SchedulerLane;
  /** `null` for a chain that is gone with its process. */
  readonly durability: Durability | null;
  /** False while nobody is to see in a log what happens. */
  isLogged = true;
  readonly #parts: ChainParts;
  readonly #blockchain: Blockchain;
  readonly #settings: LiveSettings;
  readonly #clock: ChainClock;
  readonly #changes: SerialQueue;
  readonly #producer: BlockProducer;
  readonly #intake: TransactionSubmitter;
  readonly #pending: PendingBlock;
  readonly #snapshots: Snapshots;
  readonly #known: KnownBlocks;

  constructor(parts: ChainParts) {
    this.#parts = parts;
    this.turns = parts.turns;
    this.#changes = new SerialQueue(parts.createDurability && (() => this.#commit()));
    this.#settings = parts.settings;
    this.options = parts.options;
    this.ruleSet = parts.ruleSet;
    this.wallet = parts.wallet;
    this.impersonation = new Impersonation(parts.options.autoImpersonate);
    this.events = parts.events;
    this.#blockchain = parts.blockchain;
    this.#clock = parts.clock;
    this.fees = new ChainFees(parts);
    const timeout = poolTimeout(parts.options.poolTimeout, {
      headNumber: () => this.#blockchain.head.header.number,
      now: () => parts.wallClock.now(),
    });
    const head = {
      sender: (address: Uint8Array) => this.#blockchain.headState.account(address),
      nextBaseFee: () => this.fees.nextBaseFee(),
    };
    this.pool = new TransactionPool(parts.options.order, head, timeout);
    const { automine, blockTime } = parts.options;
    this.miner = new Miner(parts.start?.snapshot.mining ?? { automine, blockTime }, {
      ...parts,
      clock: parts.wallClock,
      mineBlock: () => this.#mineOnTimer(),
    });
    this.filters = new Filters({ ...parts, clock: parts.wallClock, timeout: parts.options.filterTimeout });
    this.hashrates = new Hashrates(parts.wallClock);
    const sideBlocks = new SideBlocks();
    const known = new KnownBlocks(this.#blockchain, sideBlocks);
    this.#known = known;
    this.identity = new ChainIdentity(parts.random);
    this.#producer = new BlockProducer({
      ...parts,
      pool: this.pool,
      sideBlocks,
      changes: this.#changes,
      identity: this.identity,
    });
    this.#pending = new PendingBlock({ ...parts, pool: this.pool, sideBlocks }, (timestamp) =>
      this.#producer.open(timestamp),
    );
    const view = (selector: BlockSelector): Promise<ChainView> => this.view(selector);
    const nextEnvironment = this.#producer.nextEnvironment.bind(this.#producer);
    this.calls = new ChainCalls({ ...parts, known, pool: this.pool, view, nextEnvironment });
    const callSite = this.calls.site.bind(this.calls);
    this.tracing = new ChainTracing({ ...parts, known, callSite });
    this.history = new ChainHistory({ ...parts, tracing: this.tracing });
    this.receipts = new ReceiptWaiting(parts);
    this.simulation = new ChainSimulation({
      ...parts,
      known,
      callSite,
      chainId: () => this.settings.chainId,
      view,
    });
    const { pool, miner, impersonation } = this;
    const shared = { ...parts, pool, miner, impersonation, changes: this.#changes };
    this.#intake = new TransactionSubmitter({
      ...shared,
      producer: this.#producer,
      nextBaseFee: () => this.fees.nextBaseFee(),
      nextLimits: () => this.fees.nextLimits(),
    });
    if (parts.start !== null) {
      pool.restore(parts.start.snapshot.pool);
      impersonation.restore(parts.start.snapshot.impersonation);
    }
    const snapshots = new Snapshots(shared);
    this.#snapshots = snapshots;
    this.snapshots = new ChainSnapshots({ ...shared, snapshots, identity: this.identity });
    this.forkSwitch = new ForkReset({ ...shared, snapshots, identity: this.identity });
    this.dump = new ChainDump({ ...shared, snapshots });
    this.lastBlockTime = new LastBlockTime(parts);
    this.cheats = new StateCheats(shared);
    this.tokenCheats = new TokenCheats(shared);
    this.controls = new ChainControls({ ...shared, producer: this.#producer });
    const replacing = {
      ...shared,
      sideBlocks,
      identity: this.identity,
      producer: this.#producer,
      snapshots,
      returnToPool: (transaction: Transaction) => this.#intake.takeBack(transaction),
    };
    this.reorganizer = new Reorganizer({
      ...replacing,
      sign: (sender, request) => this.#intake.signAs(sender, request),
    });
    this.work = new MiningWork({
      ...shared,
      blockImport: new BlockImport(replacing),
      sample: () => this.#pending.at(this.#producer.nextTimestamp()),
    });
    this.durability =
      parts.createDurability?.({ ...shared, snapshots, identity: this.identity, wallet: this.wallet }) ??
      null;
    this.miner.start();
  }

  async #commit(): Promise<void> {
    await this.durability?.commit();
  }

  /** The fork of another chain that this one is; `null` for a chain with a first block of its own. */
  get upstreamFork(): Fork | null {
    return this.#parts.fork.current;
  }

  /** What the next block is made with and transactions are measured by. */
  get settings(): BlockSettings {
    return this.#settings.current;
  }

  /** The number of the first block: 0, or that of the block which a fork of another chain begins with. */
  firstBlockNumber(): number {
    return this.#blockchain.first;
  }

  /** The highest block. */
  head(): Block {
    return this.#blockchain.head;
  }

  /** The state after the block of the selector. Rejects with {@link BlockNotFoundError} or `BlockNotCanonicalError`. */
  async view(selector: BlockSelector): Promise<ChainView> {
    if (isPending(selector)) {
      const { block, state } = await this.#pending.at(this.#producer.nextTimestamp());
      return { block, state, isPending: true };
    }
    const found = this.#known.find(selector);
    if (found === undefined)
      throw new BlockNotFoundError(describeSelector(selector), this.head().header.number);
    return { block: found.block, state: found.state, isPending: false };
  }

  /**
   * The block of the selector, or `undefined`, by its hash also one that lost and is beside the chain; for `pending` the
   * sample of the next block. Rejects with `BlockNotCanonicalError`.
   */
  async block(selector: BlockSelector): Promise<Block | undefined> {
    return isPending(selector) ? (await this.view(selector)).block : this.#known.block(selector);
  }

  /** True for a block that lost and is beside the chain. */
  isBeside(block: Block): boolean {
    return this.#known.isBeside(block);
  }

  /** The mined transaction with that hash, or `undefined`. */
  async transaction(hash: Uint8Array): Promise<TransactionLocation | undefined> {
    const position = this.#blockchain.positionOf(hash);
    if (position === undefined) return undefined;
    const block = this.#blockchain.block(position.number);
    if (block === undefined) return undefined;
    const firstLogIndex = this.#blockchain.logs(position.number)?.firstLogOf(position.index) ?? 0;
    return locatedTransaction(block, position.index, firstLogIndex);
  }

  /** As `searchLogs` of the canonical chain. */
  searchLogs(query: LogQuery): Iterable<FoundLogs> {
    return searchLogs(this.#blockchain, query);
  }

  /** As `lookForLogs` of the canonical chain. */
  lookForLogs(query: LogQuery): Iterable<FoundLogs | null> {
    return lookForLogs(this.#blockchain, query);
  }

  /** The hash of the block of the canonical chain with that number, which must not be above the head. */
  hashAt(number: number): Uint8Array {
    return this.#blockchain.summary(number).hash;
  }

  /** The nonce of the account's next transaction, those in the pool counted. */
  async pendingNonce(address: Uint8Array): Promise<bigint> {
    return this.pool.nextNonce(address);
  }

  /**
   * The transaction that the bytes encode. Throws `InvalidTransactionError`, `InvalidChainIdError` or
   * `TransactionTypeError`.
   */
  decode(raw: Uint8Array): Transaction {
    return decodeTransaction(raw, this.ruleSet, this.settings.chainId);
  }

  /** The work of all miners over the last hour, in hashes per second. */
  networkHashrate(): bigint {
    return networkHashrate(this.#blockchain, this.#clock.now());
  }

  /** Signs with the wallet, or as it is told; the nonce may be left out. Rejects with `AccountNotFoundError`. */
  async sign(sender: Uint8Array, request: SendRequest, signHash?: HashSigner): Promise<Transaction> {
    return this.#intake.sign(sender, request, signHash);
  }

  /**
   * Puts the transaction into the pool and, with the instant miner, mines it before it resolves. Gives the hash.
   * Rejects with a `TransactionRejectedError`.
   */
  send(transaction: Transaction): Promise<Uint8Array> {
    return this.#changes.run(() => this.#intake.submit(transaction));
  }

  /**
   * Signs and sends in one step, so that two requests at once get two nonces. Rejects as `sign` and `send` do, and with
   * `ChainResetError`.
   */
  sendFrom(
    sender: Uint8Array,
    request: SendRequest,
    { life, signHash }: SendOptions = {},
  ): Promise<Uint8Array> {
    return this.#changes.run(() => {
      this.identity.requireLife(life);
      return this.#intake.submit(this.#intake.signAs(sender, request, signHash));
    });
  }

  /**
   * Sends in the name of the sender, whose key is not asked for. Rejects with a `TransactionRejectedError` or
   * `ChainResetError`.
   */
  sendUnsigned(
    sender: Uint8Array,
    request: SendRequest,
    { life }: Pick<SendOptions, 'life'> = {},
  ): Promise<Uint8Array> {
    return this.#changes.run(() => {
      this.identity.requireLife(life);
      return this.#intake.submit(this.#intake.unsigned(sender, request));
    });
  }

  async #mineOnTimer(): Promise<void> {
    try {
      await this.mine();
    } catch (error) {
      const isExpected = error instanceof MiningStoppedError || error instanceof ChainResetError;
      if (!isExpected) this.#parts.onMiningError(error);
    }
  }

  /**
   * Makes blocks now, with as many of the pool's transactions as fit. Rejects with {@link TimestampTooLowError} when
   * the timestamp is not after the head's.
   */
  async mine(options: MineOptions = {}): Promise<Block[]> {
    return (await this.mineDetailed(options)).map(({ block }) => block);
  }

  /** As {@link mine}; gives how each transaction ran besides. */
  mineDetailed(options: MineOptions = {}): Promise<BuiltBlock[]> {
    return this.#changes.run(() => mineSeries({ ...this.#parts, producer: this.#producer }, options));
  }

  /**
   * As {@link mine}, but gives nothing: long runs of empty blocks are made when they are asked for, so that a million
   * take no longer than a few. Rejects with `SeriesTooLongError` too.
   */
  mineBulk(options: MineOptions = {}): Promise<void> {
    const parts = { ...this.#parts, pool: this.pool, producer: this.#producer };
    return this.#changes.run(() => mineBulk(parts, options));
  }

  /**
   * A chain that begins as this one is now, at one of its snapshots, or after one of its blocks, and goes on by itself:
   * time, pool, accounts, filters, snapshots and events are its own from then on. It shares with this one what neither
   * changes, so that it costs the same however large this one is. Rejects with `SnapshotNotFoundError` or
   * {@link BlockNotFoundError}.
   */
  fork(from: ForkPoint = 'present'): Promise<Chain> {
    return this.#changes.run(() => new Chain(forkedParts(this.#parts, this.#snapshots.at(from))));
  }

  /**
   * Ends the search for a proof of work that is under way and those to come, for good: who waits for one is refused with
   * {@link MiningStoppedError}. For a chain that is about to close, whose callers are answered first.
   */
  stopSearching(): void {
    this.#producer.stop();
  }

  /** Stops the miner, lets what is under way finish, and closes the storage. */
  async close(): Promise<void> {
    this.miner.stop();
    this.stopSearching();
    this.#parts.fork.close();
    await this.#changes.run(() => this.#producer.untilIdle());
    await this.durability?.close();
    await this.#blockchain.close();
  }
}
