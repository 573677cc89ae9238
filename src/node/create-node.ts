/**
 * The composition root: makes a chain with its fork, its persistence and its peers. The command line, the library and lanes
 * get their nodes here; no other place puts these together.
 */

import { LazyArtifacts } from '../artifacts/lazy-artifacts.ts';
import { Chain } from '../chain/chain.ts';
import { type BlockClosing, type ChainCore, createCore, type Durability } from '../chain/chain-core.ts';
import { predeployAccounts, systemAccounts } from '../chain/genesis/predeploys.ts';
import { initialSettings, LiveSettings } from '../chain/settings/block-settings.ts';
import { ChainClock } from '../chain/settings/chain-clock.ts';
import { ChainEngines } from '../chain/settings/chain-engines.ts';
import { type ChainOptions, fundsOf } from '../chain/settings/chain-options.ts';
import {
  type ChainBeginning,
  type ChainOrigin,
  type ChainSnapshot,
  EMPTY_POOL,
  type ForkPoint,
} from '../chain/snapshots/snapshots.ts';
import type { SeparateChain } from '../config/forking.ts';
import type { Engine } from '../evm/engine.ts';
import type { Fork } from '../fork/fork.ts';
import { type ForkConfig, ForkHandle, ForkReset, NO_FORKING } from '../fork/fork-handle.ts';
import { LazyInspector } from '../inspect/lazy-inspector.ts';
import { RecentFailures } from '../inspect/recent-failures.ts';
import { ChainDump } from '../persistence/dump/chain-dump.ts';
import type { OpenedDataDirectory } from '../persistence/durable/open-data-directory.ts';
import type { Timers, WallClock } from '../primitives/clock.ts';
import type { RandomSource } from '../primitives/random.ts';
import { createGenesis, type GenesisAccount } from '../protocol/genesis.ts';
import { ruleSetNamed } from '../protocol/hardforks/registry.ts';
import { type RuleSet, withDifficulty, withTransactionGasLimit } from '../protocol/hardforks/rule-set.ts';
import type { EngineDifferenceError } from '../reference/shadow-engine.ts';
import type { Coverage } from '../reports/coverage/coverage.ts';
import { Measurements } from '../reports/measurements.ts';
import type { RpcNode } from '../rpc/rpc-node.ts';
import { Scheduler } from '../scheduling/scheduler.ts';
import { BlockStorage } from '../storage/block-storage.ts';
import { Blockchain } from '../storage/blockchain.ts';
import { ForkNotKeptError } from '../storage/errors.ts';
import { MemoryStore } from '../storage/key-value-store.ts';
import { Wallet } from '../wallet/wallet.ts';
import { machineAddresses, PeerTable } from './peer-table.ts';

/** Everything that a node takes from outside. */
export interface NodeDependencies {
  readonly clock: WallClock;
  readonly timers: Timers;
  readonly random: RandomSource;
  /** Shares the event loop among the chain and those that come from it; by default a scheduler of their own. */
  readonly scheduler?: Pick<Scheduler, 'createLane'>;
  /** Returns the addresses and ranges of this machine, which cannot be banned; by default as the machine has them now. */
  readonly ownAddresses?: () => readonly string[];
  /** The number of records that a chain in memory keeps on the heap; by default as many as tests mostly take back. */
  readonly newestRecords?: number;
  /** The artifacts of the user's contracts; by default only those that calls give. */
  readonly artifacts?: LazyArtifacts;
  /** Measures the transactions of the chain and of those that come from it; by default nothing does. */
  readonly measurements?: Measurements;
  /** Counts what callers have the chain and its lanes run; by default nothing does. */
  readonly coverage?: Coverage | null;
  /** Called with an error that stopped the interval miner from making a block: a bug, since mining has no caller. */
  readonly onMiningError: (error: unknown) => void;
  /** Called when the engine and its shadow differ: a bug in one of them. The message that shows it fails. */
  readonly onEngineDifference: (error: EngineDifferenceError) => void;
}

/** Everything that a node shares with the lanes that come from it. */
interface SharedByLanes {
  readonly artifacts: LazyArtifacts;
  readonly measurements: Measurements;
  readonly coverage: Coverage | null;
  readonly ownAddresses: () => readonly string[];
  readonly onEngineDifference: NodeDependencies['onEngineDifference'];
}

/** A chain with its fork, its persistence and its peers. A lane is one too. */
export class ChainNode implements RpcNode {
  readonly chain: Chain;
  /** The fork of another chain that this one is. */
  readonly fork: ForkHandle;
  readonly forkReset: ForkReset;
  readonly dump: ChainDump;
  /** The addresses that talk to the node. */
  readonly peers: PeerTable;
  /** Makes accounts of what transactions and calls did. */
  readonly inspector: LazyInspector;
  readonly owner = undefined;
  readonly #ownedNodes = new Map<string, RpcNode>();
  /** The last failures on the chain. */
  readonly failures: RecentFailures;
  #lane: string | null;
  readonly #shared: SharedByLanes;

  constructor(
    core: ChainCore,
    fork: ForkHandle,
    beginning: ChainBeginning,
    shared: SharedByLanes,
    lane: string | null = null,
  ) {
    this.chain = new Chain(core, beginning);
    const { snapshots } = this.chain;
    this.fork = fork;
    this.forkReset = new ForkReset(core, snapshots, fork);
    this.dump = new ChainDump(core, snapshots, fork);
    this.peers = new PeerTable(shared.ownAddresses);
    this.inspector = new LazyInspector(this.chain, shared.artifacts);
    this.failures = new RecentFailures(this.chain);
    this.#lane = lane;
    this.#shared = shared;
    shared.measurements.follow(this);
  }

  ownedBy(key: string | undefined): RpcNode {
    if (key === undefined) return this;
    const known = this.#ownedNodes.get(key);
    if (known !== undefined) return known;
    const owned = new OwnedNode(this, key, new LazyInspector(this.chain, this.#shared.artifacts.of(key)));
    this.#ownedNodes.set(key, owned);
    return owned;
  }

  /** The name under which the chain is measured; `null` for the base chain. */
  get lane(): string | null {
    return this.#lane;
  }

  /** Has what will run on a lane measured under another name, and with `movesMeasures` what ran there too. */
  renameLane(name: string, movesMeasures = true): void {
    if (this.#lane !== null && movesMeasures) this.#shared.measurements.rename(this.#lane, name);
    this.#lane = name;
  }

  /** Measures the transactions of this chain and of those that come from it. */
  get measurements(): Measurements {
    return this.#shared.measurements;
  }

  /** The coverage of what runs on this chain and on those that come from it; `null` where none is asked for. */
  get coverage(): Coverage | null {
    return this.#shared.coverage;
  }

  /** Keeps the chain on disk; `null` for a chain that is gone with its process. */
  get durability(): Durability | null {
    return this.chain.durability;
  }

  /**
   * Makes a node whose chain begins as this one is now, at one of its snapshots, or after one of its blocks, and goes on by
   * itself: time, pool, accounts, filters, snapshots and events are its own from then on. It shares with this one what
   * neither changes, so that it costs the same however large this one is. `lane` is the name under which it is measured; `null`
   * for that of the base chain. With another `chainId` than this one's it has an empty pool, as transactions are signed for one
   * chain. Rejects with `SnapshotNotFoundError` or `BlockNotFoundError`.
   */
  branch(
    from: ForkPoint = 'present',
    lane: string | null = null,
    chainId: number | null = null,
  ): Promise<ChainNode> {
    return this.chain.change((core) => {
      const snapshot = withChainId(this.chain.snapshots.at(from), chainId);
      const fork = this.fork.successor();
      const branched = branchedCore(core, snapshot, fork);
      const start = { snapshot, blockchain: branched.blockchain.fork(), accounts: branched.wallet.record() };
      return new ChainNode(branched, fork, { start, origin: null }, this.#shared, lane);
    });
  }

  /**
   * Makes a node with a chain of those options, which has a first block or a fork of its own, and shares with this one what
   * lanes do but the chain: the turns, the clock of the machine, artifacts and measurements. `lane` is the name under which it
   * is measured. Rejects as {@link createNode} does.
   */
  async beside({ options, forking }: SeparateChain, lane: string): Promise<ChainNode> {
    // The queue of this chain is not held while the other one asks its upstream.
    const shared = await this.chain.change(({ wallClock: clock, timers, random, turns, onMiningError }) => {
      return { clock, timers, random, scheduler: { createLane: () => turns.sibling() }, onMiningError };
    });
    return createNode(options, { ...shared, ...this.#shared }, forking, lane);
  }
}

/** A node with the names and contracts of one API key. */
class OwnedNode implements RpcNode {
  readonly #node: ChainNode;
  readonly owner: string;
  readonly inspector: LazyInspector;

  constructor(node: ChainNode, owner: string, inspector: LazyInspector) {
    this.#node = node;
    this.owner = owner;
    this.inspector = inspector;
  }

  get chain() {
    return this.#node.chain;
  }

  get fork() {
    return this.#node.fork;
  }

  get forkReset() {
    return this.#node.forkReset;
  }

  get dump() {
    return this.#node.dump;
  }

  get failures() {
    return this.#node.failures;
  }

  get coverage() {
    return this.#node.coverage;
  }

  get measurements() {
    return this.#node.measurements;
  }

  get lane() {
    return this.#node.lane;
  }

  get peers() {
    return this.#node.peers;
  }

  ownedBy(key: string | undefined): RpcNode {
    return this.#node.ownedBy(key);
  }
}

/** Returns the snapshot of a chain with that chain id; the same for `null`. */
function withChainId(snapshot: ChainSnapshot, chainId: number | null): ChainSnapshot {
  if (chainId === null || chainId === snapshot.settings.chainId) return snapshot;
  return { ...snapshot, settings: { ...snapshot.settings, chainId }, pool: EMPTY_POOL };
}

/** Returns the core of a chain that begins as another one was at the snapshot. Both share everything until one changes it. */
function branchedCore(core: ChainCore, snapshot: ChainSnapshot, fork: ForkHandle): ChainCore {
  const settings = new LiveSettings(snapshot.settings);
  const turns = core.turns.sibling();
  const clock = new ChainClock(core.wallClock, null, core.options);
  clock.restore(snapshot.clock);
  const blockchain = core.blockchain.fork(snapshot.head);
  blockchain.replaceHeadState(snapshot.headState);
  const wallet = core.wallet.fork();
  const site = { settings, fork };
  const engine = core.engines.engineOf(site, turns);
  const countedEngine = core.engines.countedEngineOf(site, turns, engine);
  const own = { settings, engine, countedEngine, turns, blockchain, wallet, clock, fork, durability: null };
  const branched = createCore({ ...core, ...own }, snapshot.mining);
  branched.pool.restore(snapshot.pool);
  branched.impersonation.restore(snapshot.impersonation);
  return branched;
}

function allocationOf(options: ChainOptions): GenesisAccount[] {
  const funded = fundsOf(options);
  const ruleSet = ruleSetNamed(options.ruleSet);
  const { genesis, predeploys } = options;
  const contracts = predeploys ? [...predeployAccounts(ruleSet), ...ruleSet.initialBalances] : [];
  // The accounts of a genesis file are all that there is where nothing is to stand beside them.
  const system = predeploys || genesis === null ? systemAccounts(ruleSet) : [];
  return [...funded, ...contracts, ...system, ...(genesis?.allocation ?? [])];
}

/** Returns the first block of a chain with a genesis of its own. */
function genesisOf(options: ChainOptions, ruleSet: RuleSet, clock: ChainClock): ChainOrigin {
  return createGenesis({
    ruleSet,
    timestamp: options.genesisTimestamp ?? clock.now(),
    gasLimit: options.gasLimit,
    minimumGasPrice: options.minimumGasPrice,
    allocation: allocationOf(options),
    header: {
      ...options.genesis?.header,
      ...(options.baseFee === null ? {} : { baseFeePerGas: options.baseFee }),
    },
  });
}

/** Returns what ends each block of a chain with the options, `null` for nothing. Its code is loaded only when it is asked for. */
async function closingOf(options: ChainOptions, ruleSet: RuleSet): Promise<BlockClosing | null> {
  if (!options.remasc) return null;
  const { remascClosing } = await import('../chain/mining/remasc-closing.ts');
  return remascClosing(ruleSet);
}

/** Returns a chain in a directory whose first block is `createOrigin`'s. Its code is loaded only for a chain that is kept. */
async function openDirectory(
  directory: string,
  options: ChainOptions,
  ruleSet: RuleSet,
  clock: ChainClock,
  createOrigin: () => ChainOrigin,
  { fork, keeper }: ForkConfig,
): Promise<OpenedDataDirectory> {
  const { openDataDirectory } = await import('../persistence/durable/open-data-directory.ts');
  const point = fork === null ? null : fork.point(ruleSet, options);
  if (fork !== null && keeper === undefined) throw new ForkNotKeptError();
  const opened = await openDataDirectory(directory, options, ruleSet, clock, createOrigin, point);
  if (fork === null) return opened;
  try {
    // The chain on disk is of no use without it, so it is on disk first.
    keeper?.keep(fork.record(options));
    return opened;
  } catch (error) {
    await opened.durability.close();
    throw error;
  }
}

/**
 * Makes the node of a fresh chain that has its first block and mines as the options say, or of the one that is kept in the
 * directory of the options. Rejects with a `DataDirectoryError` when that cannot be used or holds another chain. With a fork
 * of another chain the first block is the one that it begins with; the options are to be those of that chain. `lane` is the name
 * under which it is measured; `null` for a base chain.
 */
export async function createNode(
  options: ChainOptions,
  dependencies: NodeDependencies,
  forking: ForkConfig = NO_FORKING,
  lane: string | null = null,
): Promise<ChainNode> {
  const { random, timers, onMiningError, onEngineDifference, clock: wallClock } = dependencies;
  const limited = withTransactionGasLimit(ruleSetNamed(options.ruleSet), options.transactionGasLimit);
  const named = withDifficulty(limited, options.difficulty);
  const settings = new LiveSettings(initialSettings(options));
  const coverage = dependencies.coverage ?? null;
  const counting = coverage === null ? null : await coverage.counting();
  const engines = new ChainEngines(named, options, onEngineDifference, counting);
  const turns = (dependencies.scheduler ?? new Scheduler()).createLane();
  const initial = { settings, fork: { chainId: forking.fork?.chainId ?? null } };
  const ruleSet = engines.ruleSetOn(initial.fork.chainId);
  const forked =
    forking.fork === null
      ? null
      : await originOf(forking.fork, engines.engineOf(initial, turns), ruleSet, options);
  const start = options.genesisTimestamp ?? forked?.block.header.timestamp ?? null;
  const clock = new ChainClock(wallClock, start, options);
  const createOrigin = (): ChainOrigin => forked ?? genesisOf(options, ruleSet, clock);
  const { dataDirectory } = options;
  const directory =
    dataDirectory === null
      ? null
      : await openDirectory(dataDirectory, options, ruleSet, clock, createOrigin, forking);
  const stored = directory?.stored ?? null;
  const wallet = new Wallet(stored === null ? options.devAccounts : [], {
    clock: wallClock,
    random,
  });
  wallet.addStoredKeys(stored?.keys ?? []);
  const measurements = dependencies.measurements ?? new Measurements();
  const fork = new ForkHandle(forking);
  const site = { settings, fork };
  const engine = engines.engineOf(site, turns);
  const core = createCore(
    {
      options,
      settings,
      engine,
      countedEngine: engines.countedEngineOf(site, turns, engine),
      engines,
      turns,
      closing: await closingOf(options, ruleSet),
      blockchain: directory?.blockchain ?? inMemory(ruleSet, createOrigin(), dependencies.newestRecords),
      wallet,
      clock,
      wallClock,
      timers,
      random,
      fork,
      durability: directory?.durability ?? null,
      recordsFrames: measurements.needsFrames,
      onMiningError,
    },
    { automine: options.automine, blockTime: options.blockTime },
  );
  const beginning = { start: null, origin: directory?.origin ?? null };
  const artifacts = dependencies.artifacts ?? new LazyArtifacts({ timers, onWarning: () => undefined });
  const ownAddresses = dependencies.ownAddresses ?? machineAddresses;
  const shared = { artifacts, measurements, coverage, ownAddresses, onEngineDifference };
  const node = new ChainNode(core, fork, beginning, shared, lane);
  await directory?.durability.begin(core, node.chain.snapshots, stored?.image ?? null);
  return node;
}

/** Returns the first block of a fork. The code of forks is loaded only for one. */
async function originOf(
  fork: Fork,
  engine: Engine,
  ruleSet: RuleSet,
  options: ChainOptions,
): Promise<ChainOrigin> {
  const { forkOrigin } = await import('../fork/fork-origin.ts');
  return forkOrigin(fork, engine, ruleSet, options);
}

function inMemory(ruleSet: RuleSet, { block, state }: ChainOrigin, newestRecords?: number): Blockchain {
  return Blockchain.create(new BlockStorage(new MemoryStore(newestRecords), ruleSet), block, state);
}
