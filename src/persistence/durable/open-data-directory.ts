import type { ChainCore, Durability } from '../../chain/chain-core.ts';
import type { ParentChainForms } from '../../chain/live-parent-chain.ts';
import { initialSettings } from '../../chain/settings/block-settings.ts';
import type { ChainClock } from '../../chain/settings/chain-clock.ts';
import type { ChainOptions } from '../../chain/settings/chain-options.ts';
import {
  type ChainOrigin,
  EMPTY_POOL,
  type NamedSnapshot,
  type Snapshots,
  type SnapshotsImage,
} from '../../chain/snapshots/snapshots.ts';
import { toHex } from '../../primitives/hex.ts';
import { finish } from '../../primitives/steps.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { ParentBlock } from '../../rootstock/parent-chain/parent-block.ts';
import type { StateSource } from '../../state/state-source.ts';
import { type StateKeeper, StateStore } from '../../state/state-store.ts';
import { WorldState } from '../../state/world-state.ts';
import { decodeBlockRecord, encodeBlockRecord } from '../../storage/block-record.ts';
import { Blockchain } from '../../storage/blockchain.ts';
import { DurableStore } from '../../storage/durable-store.ts';
import {
  DamagedDirectoryError,
  DataDirectoryError,
  DataMismatchError,
  DataVersionError,
  ForeignDirectoryError,
} from '../../storage/errors.ts';
import { durableStorage, openBlockchain } from '../../storage/open-blockchain.ts';
import type { StoredKey } from '../../wallet/keystore.ts';
import { blockJson, readBlock } from '../../wire/block-file.ts';
import type { StrictValue } from '../../wire/strict-value.ts';
import {
  type PersistedState,
  persistedStateJson,
  readKey,
  readPersistedState,
} from '../dump/persisted-state-json.ts';
import { StoredParentBlocks } from '../dump/stored-parent-blocks.ts';
import {
  applyConfigChanges,
  ChainRecord,
  chainParameters,
  checkParameters,
  DATA_VERSION,
  jsonRecord,
  RECORD_KEYS,
  readJsonRecord,
} from './chain-record.ts';
import { DifferenceStore } from './difference-store.ts';

/** The stored parts of a chain other than blocks. */
export interface StoredImage extends SnapshotsImage {
  /** 32 bytes. */
  readonly instanceId: Uint8Array;
  /** The stored blocks of the parent chain, without its genesis block. */
  readonly parentBlocks: readonly ParentBlock[];
}

interface Waiting {
  readonly written: Promise<void>;
  readonly end: (error?: unknown) => void;
}

function createWaiting(): Waiting {
  let end: Waiting['end'] = () => {};
  const written = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  // Avoids an unhandled rejection without waiters. Waiters still get the rejection.
  written.catch(() => undefined);
  return { written, end };
}

/**
 * Stores a chain on disk. Each change is one batch with all added and removed blocks. It is on disk
 * completely or not at all, and before any client that requested or saw it gets a response.
 */
class DirectoryDurability implements Durability {
  readonly #store: DurableStore;
  readonly #states: StateKeeper;
  /** The stored chain; `null` until it is created. */
  #kept: { readonly core: ChainCore; readonly record: ChainRecord } | null = null;
  #waiting: Waiting | null = null;
  #hasFailed = false;

  constructor(
    store: DurableStore,
    states: StateKeeper,
    readonly isContinued: boolean,
  ) {
    this.#store = store;
    this.#states = states;
  }

  /** Starts storing the chain: restores the stored state (`null` if fresh), then writes the rest. */
  async begin(core: ChainCore, snapshots: Snapshots, stored: StoredImage | null): Promise<void> {
    const parentBlocks = stored?.parentBlocks ?? [];
    this.#kept = { core, record: new ChainRecord(this.#store, this.#states, core, snapshots, parentBlocks) };
    await core.changes.run(() => {
      if (stored === null) return;
      core.identity.restore(stored.instanceId);
      snapshots.adopt(stored);
    });
  }

  /** Writes the finished change. Rejects with a `DiskError`; the next change retries. */
  async commit(): Promise<void> {
    try {
      this.#kept?.record.update();
      while (this.#store.isChanged) {
        await this.#store.write();
        // Accounts and impersonation can change during the write. Their clients wait for this.
        this.#kept?.record.update();
      }
      this.#hasFailed = false;
      this.#endWaiting();
    } catch (error) {
      this.#hasFailed = true;
      this.#endWaiting(error);
      throw error;
    }
  }

  #endWaiting(error?: unknown): void {
    this.#waiting?.end(error);
    this.#waiting = null;
  }

  /** Resolves when the chain is on disk; `undefined` if it is already. Rejects with a `DiskError`. */
  settle(): Promise<void> | undefined {
    if (this.#store.isChanged && !this.#hasFailed) {
      // A running change writes everything at its end. Later changes need no wait.
      this.#waiting ??= createWaiting();
      return this.#waiting.written;
    }
    const kept = this.#kept;
    if (kept === null) return undefined;
    const isChanged = this.#store.isChanged || kept.record.isChanged;
    return isChanged ? kept.core.changes.run(async () => undefined) : undefined;
  }

  /** Resolves when the disk has synced all changes. Rejects with a `DiskError`. */
  async flush(): Promise<void> {
    await this.settle();
    await this.#store.flush();
  }

  /** Unlocks the directory. */
  close(): Promise<void> {
    return this.#store.close();
  }
}

/** The fork of a stored chain. */
export interface SavedForkPoint {
  /** The upstream's state. */
  readonly source: StateSource;
  /** A description of the upstream and its block, equal at each start. */
  readonly words: string;
}

/** The parts of a chain from a data directory. */
export interface OpenedDataDirectory {
  readonly blockchain: Blockchain;
  readonly origin: ChainOrigin;
  /** Stores the chain. Call `begin` after the chain is created. */
  readonly durability: DirectoryDurability;
  /** The other stored parts; `null` for a fresh chain. */
  readonly stored: { readonly image: StoredImage; readonly keys: readonly StoredKey[] } | null;
}

/**
 * Opens the directory with its chain or a fresh one, and sets the clock to the chain's start. Rejects with a
 * `DataDirectoryError` if the directory is unusable, or if its chain does not match the options.
 */
export async function openDataDirectory(
  directory: string,
  options: ChainOptions,
  ruleSet: RuleSet,
  clock: ChainClock,
  createOrigin: () => ChainOrigin,
  fork: SavedForkPoint | null = null,
  parentForms: ParentChainForms | null = null,
): Promise<OpenedDataDirectory> {
  const store = await DurableStore.open(directory, options.syncsData);
  try {
    const states =
      fork === null
        ? new StateStore(store)
        : new DifferenceStore(store, WorldState.beginningWith(fork.source));
    const opening = { directory, options, ruleSet, clock, createOrigin, store, states, fork, parentForms };
    const version = store.getSync(RECORD_KEYS.version);
    if (version !== undefined) return await openUndamaged(opening, version);
    for await (const [key] of store.entries('')) throw new ForeignDirectoryError(directory, key);
    return await createFresh(opening);
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface Opening {
  readonly directory: string;
  readonly options: ChainOptions;
  readonly ruleSet: RuleSet;
  readonly clock: ChainClock;
  readonly createOrigin: () => ChainOrigin;
  readonly store: DurableStore;
  readonly states: StateKeeper;
  /** The fork; `null` for a chain with its own genesis. */
  readonly fork: SavedForkPoint | null;
  /** `null` without a parent chain. */
  readonly parentForms: ParentChainForms | null;
}

/** Returns the initial state from the options. */
function initialStateOf({ options, clock }: Opening): PersistedState {
  const { automine, blockTime, autoImpersonate } = options;
  return {
    clock: clock.setting,
    mining: { automine, blockTime },
    settings: initialSettings(options),
    impersonation: { addresses: new Map(), isAutomatic: autoImpersonate },
    pool: EMPTY_POOL,
    parentChain: null,
  };
}

async function createFresh(opening: Opening): Promise<OpenedDataDirectory> {
  const { store, states, options, ruleSet } = opening;
  const origin = opening.createOrigin();
  store.put(RECORD_KEYS.version, jsonRecord({ version: DATA_VERSION }));
  store.put(RECORD_KEYS.facts, jsonRecord(chainParameters(options, opening.fork?.words)));
  store.put(RECORD_KEYS.initialState, jsonRecord(persistedStateJson(initialStateOf(opening), null)));
  const { block, state } = origin;
  store.put(RECORD_KEYS.origin, jsonRecord({ block: blockJson(block), root: toHex(states.keep(state)) }));
  const blockchain = Blockchain.create(durableStorage(store, states, ruleSet), block, state);
  return { blockchain, origin, durability: new DirectoryDurability(store, states, false), stored: null };
}

/** Opening only reads stored records, so an error means damaged content. */
async function openUndamaged(opening: Opening, version: Uint8Array): Promise<OpenedDataDirectory> {
  try {
    return await openStored(opening, version);
  } catch (error) {
    if (error instanceof DataDirectoryError) throw error;
    const fault = error instanceof Error ? error.message : String(error);
    throw new DamagedDirectoryError(opening.directory, fault, { cause: error });
  }
}

async function openStored(opening: Opening, version: Uint8Array): Promise<OpenedDataDirectory> {
  const { directory, options, ruleSet, clock, store, states } = opening;
  const found = readJsonRecord(version, RECORD_KEYS.version).field('version').json;
  if (found !== DATA_VERSION) throw new DataVersionError(directory, JSON.stringify(found), DATA_VERSION);
  const facts = chainParameters(options, opening.fork?.words);
  checkParameters(directory, storedRecord(opening, RECORD_KEYS.facts), facts);
  opening.store.put(RECORD_KEYS.facts, jsonRecord(facts));
  const origin = readOrigin(opening);
  checkGenesisTime(opening, origin);
  const blockchain = await openBlockchain(store, states, ruleSet);
  const initial = finish(readPersistedState(storedRecord(opening, RECORD_KEYS.initialState), ruleSet, null));
  clock.restore(initial.clock);
  const now = initialStateOf(opening);
  opening.store.put(RECORD_KEYS.initialState, jsonRecord(persistedStateJson(now, null)));
  const record = storedRecord(opening, RECORD_KEYS.moment);
  const parents = await readParentBlocks(opening);
  const moment = applyConfigChanges(
    finish(readPersistedState(record.with('pool', await takePool(opening)), ruleSet, parents)),
    initial,
    now,
  );
  const image = {
    present: { ...moment, head: blockchain.head.block.header.number, headState: blockchain.head.state },
    kept: await takeSnapshots(opening, parents),
    lastNumber: record.field('lastSnapshot').count(),
    instanceId: record.field('instanceId').bytes(32),
    parentBlocks: parents?.blocks ?? [],
  };
  const keys = storedRecord(opening, RECORD_KEYS.keys).items().map(readKey);
  return {
    blockchain,
    origin,
    durability: new DirectoryDurability(store, states, true),
    stored: { image, keys },
  };
}

function storedRecord({ store, directory }: Opening, key: string): StrictValue {
  const record = store.getSync(key);
  if (record === undefined) throw new DamagedDirectoryError(directory, `the record ${key} is missing`);
  return readJsonRecord(record, key);
}

function readOrigin(opening: Opening): ChainOrigin {
  const value = storedRecord(opening, RECORD_KEYS.origin);
  const state = opening.states.open(value.field('root').bytes(32));
  const record = finish(encodeBlockRecord(finish(readBlock(value.field('block'), opening.ruleSet))));
  return { block: decodeBlockRecord(record, opening.ruleSet), state };
}

function checkGenesisTime({ directory, options }: Opening, { block }: ChainOrigin): void {
  const { genesisTimestamp } = options;
  const { timestamp } = block.header;
  if (genesisTimestamp === null || genesisTimestamp === timestamp) return;
  throw new DataMismatchError(directory, 'the genesis time', `${timestamp}`, `${genesisTimestamp}`);
}

/** Reads the records with this key prefix and deletes them. The first change writes them again. */
async function take({ store }: Opening, prefix: string): Promise<StrictValue[]> {
  const values: StrictValue[] = [];
  for await (const [key, record] of store.entries(prefix)) {
    values.push(readJsonRecord(record, key));
    store.delete(key);
  }
  return values;
}

/** Reads the blocks of the parent chain. */
async function readParentBlocks({ store, parentForms }: Opening): Promise<StoredParentBlocks | null> {
  if (parentForms === null) return null;
  const parents = new StoredParentBlocks(parentForms);
  for await (const [, record] of store.entries(RECORD_KEYS.parentBlockPrefix)) parents.add(record);
  return parents;
}

async function takePool(opening: Opening): Promise<unknown> {
  const entries = await take(opening, RECORD_KEYS.poolPrefix);
  const arrivals = entries.map((entry) => entry.field('arrival').count() + 1);
  return {
    arrivals: arrivals.reduce((highest, next) => Math.max(highest, next), 0),
    transactions: entries.map(({ json }) => json),
  };
}

async function takeSnapshots(opening: Opening, parents: StoredParentBlocks | null): Promise<NamedSnapshot[]> {
  const values = await take(opening, RECORD_KEYS.snapshotPrefix);
  return values.map((value) => {
    const id = value.field('snapshot');
    const headState =
      value.field('root').orNull((root) => opening.states.open(root.bytes(32))) ?? WorldState.unknown();
    const snapshot = {
      head: value.field('head').count(),
      headState,
      ...finish(readPersistedState(value, opening.ruleSet, parents)),
    };
    return { id: id.isNumber ? id.count() : id.text(), snapshot };
  });
}
