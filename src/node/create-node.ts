/**
 * Creates a chain with its fork, persistence and peers. The only place that combines them: for the command
 * line, the library and lanes.
 */

import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';
import { LazyArtifacts } from '../artifacts/lazy-artifacts.ts';
import { Chain } from '../chain/chain.ts';
import { type BlockClosing, type ChainCore, createCore, type Durability } from '../chain/chain-core.ts';
import type { LiveParentChain, ParentChainForms } from '../chain/live-parent-chain.ts';
import { initialSettings, LiveSettings } from '../chain/settings/block-settings.ts';
import { ChainClock } from '../chain/settings/chain-clock.ts';
import { ChainEngines } from '../chain/settings/chain-engines.ts';
import type { ChainOptions } from '../chain/settings/chain-options.ts';
import { genesisOf } from '../chain/snapshots/genesis-block.ts';
import {
  type ChainOrigin,
  type ChainSnapshot,
  EMPTY_POOL,
  type FirstState,
  type ForkPoint,
} from '../chain/snapshots/snapshots.ts';
import type { SeparateChain } from '../config/forking.ts';
import type { Engine } from '../evm/engine.ts';
import type { Fork } from '../fork/fork.ts';
import type { ForkFollower } from '../fork/fork-follower.ts';
import { type ForkConfig, ForkHandle, ForkReset, NO_FORKING } from '../fork/fork-handle.ts';
import { LazyInspector } from '../inspect/lazy-inspector.ts';
import { RecentFailures } from '../inspect/recent-failures.ts';
import { Recordings } from '../inspect/recordings.ts';
import { ChainDump } from '../persistence/dump/chain-dump.ts';
import type { OpenedDataDirectory } from '../persistence/durable/open-data-directory.ts';
import type { Timers, WallClock } from '../primitives/clock.ts';
import type { RandomSource } from '../primitives/random.ts';
import { withPaidBridge } from '../protocol/hardforks/free-calls.ts';
import { ruleSetNamed } from '../protocol/hardforks/registry.ts';
import { type RuleSet, withDifficulty, withTransactionGasLimit } from '../protocol/hardforks/rule-set.ts';
import type { EngineDifferenceError } from '../reference/shadow-engine.ts';
import type { Coverage } from '../reports/coverage/coverage.ts';
import { Measurements } from '../reports/measurements.ts';
import type { RpcNode } from '../rpc/rpc-node.ts';
import { ServedAddresses } from '../rpc/served-addresses.ts';
import { Scheduler } from '../scheduling/scheduler.ts';
import { BlockStorage } from '../storage/block-storage.ts';
import { Blockchain } from '../storage/blockchain.ts';
import { ForkNotSavedError } from '../storage/errors.ts';
import { MemoryStore } from '../storage/key-value-store.ts';
import { Wallet } from '../wallet/wallet.ts';
import type { ParentNode } from './parent-node.ts';
import { RecentPastNodes } from './past-nodes.ts';
import { machineAddresses, PeerTable } from './peer-table.ts';

/** The environment of a node. */
export interface NodeDependencies {
  readonly clock: WallClock;
  readonly timers: Timers;
  readonly random: RandomSource;
  /** Shares the event loop among the chain and its branches. Default: a separate scheduler. */
  readonly scheduler?: Pick<Scheduler, 'createQueue'>;
  /** Returns this machine's addresses and ranges, which cannot be banned. Default: the current ones. */
  readonly ownAddresses?: () => readonly string[];
  /** Maximum block records on the heap of a chain in memory. Default: enough for usual reverts. */
  readonly newestRecords?: number;
  /** The artifacts of the user's contracts. Default: only artifacts from requests. */
  readonly artifacts?: LazyArtifacts;
  /** Measures the transactions of the chain and its branches. Default: no measurements. */
  readonly measurements?: Measurements;
  /** Records coverage of the chain and its lanes. Default: none. */
  readonly coverage?: Coverage | null;
  /** The debuggers that are attached to the chain and its lanes. Default: none. */
  readonly recordings?: Recordings;
  /** Receives a bug that stopped the interval miner, because mining has no client. */
  readonly onMiningError: (error: unknown) => void;
  /** Called if the engine and its shadow differ: a bug. The message that shows it fails. */
  readonly onEngineDifference: (error: EngineDifferenceError) => void;
}

/** The parts that a node shares with its lanes. */
interface SharedByLanes {
  readonly artifacts: LazyArtifacts;
  readonly measurements: Measurements;
  readonly coverage: Coverage | null;
  readonly recordings: Recordings;
  readonly ownAddresses: () => readonly string[];
  readonly onEngineDifference: NodeDependencies['onEngineDifference'];
  readonly pasts: RecentPastNodes;
  /** The code of the parent chain; `null` without one. */
  readonly parentNode: typeof ParentNode | null;
}

/** A chain with its fork, persistence and peers. A lane is also a node. */
export class ChainNode implements RpcNode {
  readonly chain: Chain;
  /** The fork of another chain; empty if the chain is not a fork. */
  readonly fork: ForkHandle;
  readonly forkReset: ForkReset;
  readonly #core: ChainCore;
  #follower: Promise<ForkFollower> | undefined;
  readonly dump: ChainDump;
  readonly parentChain: ParentNode | null;
  /** Addresses of clients. */
  readonly peers: PeerTable;
  readonly served: ServedAddresses;
  /** Decodes and explains transactions and calls. */
  readonly inspector: LazyInspector;
  readonly owner = undefined;
  readonly #ownedNodes = new Map<string, RpcNode>();
  /** The latest failures on the chain. */
  readonly failures: RecentFailures;
  #lane: string | null;
  readonly #shared: SharedByLanes;

  constructor(
    core: ChainCore,
    fork: ForkHandle,
    beginning: FirstState,
    shared: SharedByLanes,
    lane: string | null = null,
  ) {
    this.chain = new Chain(core, beginning);
    const { snapshots } = this.chain;
    this.#core = core;
    this.fork = fork;
    this.forkReset = new ForkReset(core, snapshots, fork);
    this.dump = new ChainDump(core, snapshots, fork);
    const { parentChain } = core;
    this.parentChain =
      parentChain === null || shared.parentNode === null
        ? null
        : new shared.parentNode(core, this.chain, parentChain.chain);
    this.peers = new PeerTable(shared.ownAddresses);
    this.served = new ServedAddresses(() => ({
      name: hostname().toLowerCase(),
      addresses: shared.ownAddresses(),
      lookUp: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
    }));
    this.inspector = new LazyInspector(this.chain, shared.artifacts);
    this.failures = new RecentFailures(this.chain);
    this.#lane = lane;
    this.#shared = shared;
    shared.measurements.follow(this);
    shared.recordings.follow(this);
  }

  /** Loads the code on demand. */
  follower(initial: number | null = null): Promise<ForkFollower> {
    this.#follower ??= this.#createFollower(initial);
    return this.#follower;
  }

  async #createFollower(initial: number | null): Promise<ForkFollower> {
    const [{ ForkFollower }, { watchHeads }] = await Promise.all([
      import('../fork/fork-follower.ts'),
      import('../fork/upstream/head-watch.ts'),
    ]);
    const chain = { core: this.#core, baseChange: await this.chain.baseChange(), fork: this.fork };
    return new ForkFollower(chain, initial, (fork, seconds, onTurn) =>
      watchHeads(fork.upstream, seconds, onTurn),
    );
  }

  ownedBy(key: string | undefined): RpcNode {
    if (key === undefined) return this;
    const known = this.#ownedNodes.get(key);
    if (known !== undefined) return known;
    const owned = new OwnedNode(this, key, new LazyInspector(this.chain, this.#shared.artifacts.of(key)));
    this.#ownedNodes.set(key, owned);
    return owned;
  }

  /** The name of the chain in measurements; `null` for the base chain. */
  get lane(): string | null {
    return this.#lane;
  }

  /** Changes the name of a lane in measurements. `movesMeasures` also renames its earlier measurements. */
  renameLane(name: string, movesMeasures = true): void {
    if (this.#lane !== null && movesMeasures) this.#shared.measurements.rename(this.#lane, name);
    this.#lane = name;
  }

  /** Measurements of this chain and its branches. */
  get measurements(): Measurements {
    return this.#shared.measurements;
  }

  /** Coverage of this chain and its branches; `null` if not requested. */
  get coverage(): Coverage | null {
    return this.#shared.coverage;
  }

  get recordings(): Recordings {
    return this.#shared.recordings;
  }

  get pasts(): RecentPastNodes {
    return this.#shared.pasts;
  }

  /** Stores the chain on disk; `null` for a chain in memory. */
  get durability(): Durability | null {
    return this.chain.durability;
  }

  /**
   * Creates an independent branch of this chain at the latest block, an earlier block or a snapshot. It
   * shares unchanged data, so its cost does not depend on the size of the chain. `lane` is its name in
   * measurements; `null` for the name of the base chain. With another `chainId`, its pool is empty, because
   * transactions are signed for one chain id. Rejects with `SnapshotNotFoundError` or `BlockNotFoundError`.
   */
  branch(
    from: ForkPoint = 'present',
    lane: string | null = null,
    chainId: number | null = null,
  ): Promise<ChainNode> {
    return this.chain.change((core) => {
      const { left, ...snapshot } = withChainId(this.chain.snapshots.at(from), chainId);
      const fork = this.fork.successor(left?.base);
      const branched = branchedCore(core, left?.blockchain ?? core.blockchain, snapshot, fork);
      const start = { snapshot, blockchain: branched.blockchain.fork(), accounts: branched.wallet.record() };
      return new ChainNode(branched, fork, { start, origin: null }, this.#shared, lane);
    });
  }

  /**
   * Creates a node with a separate genesis block or fork. It shares the scheduler, wall clock, artifacts and
   * measurements with this node. `lane` is its name in measurements. Rejects like {@link createNode}.
   */
  async beside({ options, forking }: SeparateChain, lane: string): Promise<ChainNode> {
    // Does not block this chain while the other one fetches from its fork URL.
    const shared = await this.chain.change(({ wallClock: clock, timers, random, yielder, onMiningError }) => {
      return { clock, timers, random, scheduler: { createQueue: () => yielder.sibling() }, onMiningError };
    });
    return createNode(options, { ...shared, ...this.#shared }, forking, lane);
  }
}

/** A node with the labels and contracts of one API key. */
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

  get parentChain() {
    return this.#node.parentChain;
  }

  follower(): Promise<ForkFollower> {
    return this.#node.follower();
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

  get recordings() {
    return this.#node.recordings;
  }

  get lane() {
    return this.#node.lane;
  }

  get peers() {
    return this.#node.peers;
  }

  get served() {
    return this.#node.served;
  }

  get pasts() {
    return this.#node.pasts;
  }

  ownedBy(key: string | undefined): RpcNode {
    return this.#node.ownedBy(key);
  }
}

/** Returns the snapshot with another chain id and an empty pool; unchanged for `null`. */
function withChainId(snapshot: ChainSnapshot, chainId: number | null): ChainSnapshot {
  if (chainId === null || chainId === snapshot.settings.chainId) return snapshot;
  return { ...snapshot, settings: { ...snapshot.settings, chainId }, pool: EMPTY_POOL };
}

/** Returns the core of a branch at the snapshot. Both chains share data until one of them changes it. */
function branchedCore(
  core: ChainCore,
  blocks: Blockchain,
  snapshot: ChainSnapshot,
  fork: ForkHandle,
): ChainCore {
  const settings = new LiveSettings(snapshot.settings);
  const yielder = core.yielder.sibling();
  const clock = new ChainClock(core.wallClock, null, core.options);
  clock.restore(snapshot.clock);
  const blockchain = blocks.fork(snapshot.head);
  blockchain.replaceHeadState(snapshot.headState);
  const wallet = core.wallet.fork();
  const site = { settings, fork };
  const engine = core.engines.engineOf(site, yielder);
  const countedEngine = core.engines.countedEngineOf(site, yielder, engine);
  const parentChain = core.parentChain?.branch(snapshot.parentChain, clock) ?? null;
  const parts = { settings, engine, countedEngine, yielder, blockchain, wallet, clock, fork, parentChain };
  const own = { ...parts, durability: null };
  const branched = createCore({ ...core, ...own }, snapshot.mining);
  branched.pool.restore(snapshot.pool);
  branched.impersonation.restore(snapshot.impersonation);
  return branched;
}

/** Returns the last step of each block (Remasc), or `null`. Loads its code on demand. */
async function closingOf(options: ChainOptions, ruleSet: RuleSet): Promise<BlockClosing | null> {
  if (!options.remasc) return null;
  const { remascClosing } = await import('../chain/mining/remasc-closing.ts');
  return remascClosing(ruleSet);
}

/** Returns the simulated parent chain, or `null`. Loads its code on demand. */
async function parentChainOf(options: ChainOptions, clock: ChainClock): Promise<LiveParentChain | null> {
  if (options.parentChain === null) return null;
  const { LiveParentChain } = await import('../chain/live-parent-chain.ts');
  return new LiveParentChain(null, clock);
}

/** Opens a chain in a directory. Loads the code on demand. */
async function openDirectory(
  directory: string,
  options: ChainOptions,
  ruleSet: RuleSet,
  clock: ChainClock,
  createOrigin: () => ChainOrigin,
  { fork, keeper }: ForkConfig,
  parentForms: ParentChainForms | null,
): Promise<OpenedDataDirectory> {
  const { openDataDirectory } = await import('../persistence/durable/open-data-directory.ts');
  const point = fork === null ? null : fork.point(ruleSet, options);
  if (fork !== null && keeper === undefined) throw new ForkNotSavedError();
  const opened = await openDataDirectory(
    directory,
    options,
    ruleSet,
    clock,
    createOrigin,
    point,
    parentForms,
  );
  if (fork === null) return opened;
  try {
    // Written first, because the chain on disk is unusable without it.
    keeper?.keep(fork.record(options));
    return opened;
  } catch (error) {
    await opened.durability.close();
    throw error;
  }
}

/**
 * Creates the node of a new chain, or of the existing chain in the data directory. Rejects with a
 * `DataDirectoryError` for an unusable directory or another chain. With a fork, its block is the first block,
 * and `options` are the options for the forked chain. `lane` is the name in measurements; `null` for a base
 * chain.
 */
export async function createNode(
  options: ChainOptions,
  dependencies: NodeDependencies,
  forking: ForkConfig = NO_FORKING,
  lane: string | null = null,
): Promise<ChainNode> {
  const { random, timers, onMiningError, onEngineDifference, clock: wallClock } = dependencies;
  const limited = withTransactionGasLimit(ruleSetNamed(options.ruleSet), options.transactionGasLimit);
  const named = withPaidBridge(withDifficulty(limited, options.difficulty), options.chainId);
  const settings = new LiveSettings(initialSettings(options));
  const coverage = dependencies.coverage ?? null;
  const counting = coverage === null ? null : await coverage.counting();
  const engines = new ChainEngines(named, options, onEngineDifference, counting);
  const yielder = (dependencies.scheduler ?? new Scheduler()).createQueue();
  const initial = { settings, fork: { chainId: forking.fork?.chainId ?? null } };
  const ruleSet = engines.ruleSetOn(initial.fork.chainId);
  const forked =
    forking.fork === null
      ? null
      : await originOf(forking.fork, engines.engineOf(initial, yielder), ruleSet, options);
  const start = options.genesisTimestamp ?? forked?.block.header.timestamp ?? null;
  const clock = new ChainClock(wallClock, start, options);
  const createOrigin = (): ChainOrigin => forked ?? genesisOf(options, ruleSet, clock);
  const parentChain = await parentChainOf(options, clock);
  const parentForms = parentChain?.forms ?? null;
  const { dataDirectory } = options;
  const directory =
    dataDirectory === null
      ? null
      : await openDirectory(dataDirectory, options, ruleSet, clock, createOrigin, forking, parentForms);
  const stored = directory?.stored ?? null;
  const wallet = new Wallet(stored === null ? options.devAccounts : [], {
    clock: wallClock,
    random,
  });
  wallet.addStoredKeys(stored?.keys ?? []);
  const measurements = dependencies.measurements ?? new Measurements();
  const fork = new ForkHandle(forking);
  const site = { settings, fork };
  const engine = engines.engineOf(site, yielder);
  const core = createCore(
    {
      options,
      settings,
      engine,
      countedEngine: engines.countedEngineOf(site, yielder, engine),
      engines,
      yielder,
      closing: await closingOf(options, ruleSet),
      blockchain: directory?.blockchain ?? inMemory(ruleSet, createOrigin(), dependencies.newestRecords),
      wallet,
      clock,
      wallClock,
      timers,
      random,
      fork,
      parentChain,
      durability: directory?.durability ?? null,
      recordsFrames: measurements.needsFrames,
      onMiningError,
    },
    { automine: options.automine, blockTime: options.blockTime },
  );
  const beginning = { start: null, origin: directory?.origin ?? null };
  const artifacts = dependencies.artifacts ?? new LazyArtifacts({ timers, onWarning: () => undefined });
  const ownAddresses = dependencies.ownAddresses ?? machineAddresses;
  const ofPasts = { ...dependencies, scheduler: { createQueue: () => yielder.sibling() }, artifacts };
  const pasts = new RecentPastNodes(options, (past, pinned) =>
    createNode(past, { ...ofPasts, measurements: new Measurements(), coverage: null }, pinned),
  );
  const recordings = dependencies.recordings ?? new Recordings();
  const parts = { artifacts, measurements, coverage, recordings, ownAddresses, onEngineDifference, pasts };
  const parentNode = parentChain === null ? null : (await import('./parent-node.ts')).ParentNode;
  const shared = { ...parts, parentNode };
  const node = new ChainNode(core, fork, beginning, shared, lane);
  await directory?.durability.begin(core, node.chain.snapshots, stored?.image ?? null);
  const follow = forking.fork?.options.follow ?? null;
  if (follow !== null && lane === null) await node.follower(follow);
  return node;
}

/** Returns the first block of a fork. Loads the code on demand. */
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
