import type { ChainCore, Durability } from '../../chain/chain-core.ts';
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
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { inOnePiece } from '../../scheduling/work-pieces.ts';
import type { StateSource } from '../../state/state-source.ts';
import { type StateKeeper, StateStore } from '../../state/state-store.ts';
import { WorldState } from '../../state/world-state.ts';
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
import { blockJson, readBlock } from '../../wire/block.ts';
import type { StrictValue } from '../../wire/strict-value.ts';
import {
  type PersistedState,
  persistedStateJson,
  readKey,
  readPersistedState,
} from '../dump/persisted-state-json.ts';
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

/** Everything that was stored of a chain besides its blocks. */
export interface StoredImage extends SnapshotsImage {
  /** 32 bytes. */
  readonly instanceId: Uint8Array;
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
  // Avoids an unhandled rejection when no caller waits; those who wait still receive it.
  written.catch(() => undefined);
  return { written, end };
}

/**
 * Keeps a chain on disk. Each change, with all blocks that it adds or removes, is one batch at its end: it is on disk
 * as a whole or not at all, and before any caller who asked for it or saw it gets an answer.
 */
class DirectoryDurability implements Durability {
  readonly #store: DurableStore;
  readonly #states: StateKeeper;
  /** The chain that is kept; `null` until it is there. */
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

  /** Keeps that chain from now on: makes it what was stored, `null` for a fresh one, and writes what is not on disk yet. */
  async begin(core: ChainCore, snapshots: Snapshots, stored: StoredImage | null): Promise<void> {
    this.#kept = { core, record: new ChainRecord(this.#store, this.#states, core, snapshots) };
    await core.changes.run(() => {
      if (stored === null) return;
      core.identity.restore(stored.instanceId);
      snapshots.adopt(stored);
    });
  }

  /** Writes the finished change. Rejects with a `DiskError`; the next change then retries. */
  async commit(): Promise<void> {
    try {
      this.#kept?.record.update();
      while (this.#store.isChanged) {
        await this.#store.write();
        // Accounts and impersonation can change meanwhile, and their callers wait for this.
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

  /** Resolves when the present chain is on disk; returns `undefined` when it already is. Rejects with a `DiskError`. */
  settle(): Promise<void> | undefined {
    if (this.#store.isChanged && !this.#hasFailed) {
      // A change is in progress, which writes everything at its end; later changes need not be waited for.
      this.#waiting ??= createWaiting();
      return this.#waiting.written;
    }
    const kept = this.#kept;
    if (kept === null) return undefined;
    const isChanged = this.#store.isChanged || kept.record.isChanged;
    return isChanged ? kept.core.changes.run(async () => undefined) : undefined;
  }

  /** Resolves when the disk has confirmed all changes. Rejects with a `DiskError`. */
  async flush(): Promise<void> {
    await this.settle();
    await this.#store.flush();
  }

  /** Releases the directory. */
  close(): Promise<void> {
    return this.#store.close();
  }
}

/** The fork that a kept chain is. */
export interface KeptForkPoint {
  /** The state of the upstream. */
  readonly source: StateSource;
  /** The upstream and its block in words, which are the same at each start. */
  readonly words: string;
}

/** The foundation of a chain that is kept in a directory. */
export interface OpenedDataDirectory {
  readonly blockchain: Blockchain;
  readonly origin: ChainOrigin;
  /** Keeps the chain in the directory; to be begun when the chain is there. */
  readonly durability: DirectoryDurability;
  /** Everything that was stored of it besides, `null` for a fresh one. */
  readonly stored: { readonly image: StoredImage; readonly keys: readonly StoredKey[] } | null;
}

/**
 * Opens the directory, with the chain in it or a fresh one; sets the clock to that chain's start. Rejects with a
 * `DataDirectoryError` when the directory cannot be used, or holds another chain than the options ask for.
 */
export async function openDataDirectory(
  directory: string,
  options: ChainOptions,
  ruleSet: RuleSet,
  clock: ChainClock,
  createOrigin: () => ChainOrigin,
  fork: KeptForkPoint | null = null,
): Promise<OpenedDataDirectory> {
  const store = await DurableStore.open(directory, options.syncsData);
  try {
    const states =
      fork === null
        ? new StateStore(store)
        : new DifferenceStore(store, WorldState.beginningWith(fork.source));
    const opening = { directory, options, ruleSet, clock, createOrigin, store, states, fork };
    const version = store.getSync(RECORD_KEYS.version);
    if (version !== undefined) return await openUndamaged(opening, version);
    for await (const [key] of store.entries('')) throw new ForeignDirectoryError(directory, key);
    return await createFresh(opening);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** A directory that is being opened. */
interface Opening {
  readonly directory: string;
  readonly options: ChainOptions;
  readonly ruleSet: RuleSet;
  readonly clock: ChainClock;
  readonly createOrigin: () => ChainOrigin;
  readonly store: DurableStore;
  readonly states: StateKeeper;
  /** The fork that the chain is; `null` for a chain with a first block of its own. */
  readonly fork: KeptForkPoint | null;
}

/** Returns the chain that the options ask for, before anything happens. */
function initialStateOf({ options, clock }: Opening): PersistedState {
  const { automine, blockTime, autoImpersonate } = options;
  return {
    clock: clock.setting,
    mining: { automine, blockTime },
    settings: initialSettings(options),
    impersonation: { addresses: new Map(), isAutomatic: autoImpersonate },
    pool: EMPTY_POOL,
  };
}

async function createFresh(opening: Opening): Promise<OpenedDataDirectory> {
  const { store, states, options, ruleSet } = opening;
  const origin = opening.createOrigin();
  store.put(RECORD_KEYS.version, jsonRecord({ version: DATA_VERSION }));
  store.put(RECORD_KEYS.facts, jsonRecord(chainParameters(options, opening.fork?.words)));
  store.put(RECORD_KEYS.initialState, jsonRecord(persistedStateJson(initialStateOf(opening))));
  const { block, state } = origin;
  const json = inOnePiece((pieces) => blockJson(block, pieces));
  store.put(RECORD_KEYS.origin, jsonRecord({ block: json, root: toHex(states.keep(state)) }));
  const blockchain = Blockchain.create(durableStorage(store, states, ruleSet), block, state);
  return { blockchain, origin, durability: new DirectoryDurability(store, states, false), stored: null };
}

/** Opening only reads what was written, so an error means that the contents are damaged. */
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
  const initial = readPersistedState(storedRecord(opening, RECORD_KEYS.initialState), ruleSet);
  clock.restore(initial.clock);
  const now = initialStateOf(opening);
  opening.store.put(RECORD_KEYS.initialState, jsonRecord(persistedStateJson(now)));
  const record = storedRecord(opening, RECORD_KEYS.moment);
  const moment = applyConfigChanges(
    readPersistedState(record.with('pool', await takePool(opening)), ruleSet),
    initial,
    now,
  );
  const image = {
    present: { ...moment, head: blockchain.head.header.number, headState: blockchain.headState },
    kept: await takeSnapshots(opening),
    lastNumber: record.field('lastSnapshot').count(),
    instanceId: record.field('instanceId').bytes(32),
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
  return { block: inOnePiece((pieces) => readBlock(value.field('block'), opening.ruleSet, pieces)), state };
}

function checkGenesisTime({ directory, options }: Opening, { block }: ChainOrigin): void {
  const { genesisTimestamp } = options;
  const { timestamp } = block.header;
  if (genesisTimestamp === null || genesisTimestamp === timestamp) return;
  throw new DataMismatchError(directory, 'the genesis time', `${timestamp}`, `${genesisTimestamp}`);
}

/** Reads the records under keys that begin so; they are written anew with the first change. */
async function take({ store }: Opening, prefix: string): Promise<StrictValue[]> {
  const values: StrictValue[] = [];
  for await (const [key, record] of store.entries(prefix)) {
    values.push(readJsonRecord(record, key));
    store.delete(key);
  }
  return values;
}

async function takePool(opening: Opening): Promise<unknown> {
  const entries = await take(opening, RECORD_KEYS.poolPrefix);
  const arrivals = entries.map((entry) => entry.field('arrival').count() + 1);
  return {
    arrivals: arrivals.reduce((highest, next) => Math.max(highest, next), 0),
    transactions: entries.map(({ json }) => json),
  };
}

async function takeSnapshots(opening: Opening): Promise<NamedSnapshot[]> {
  const values = await take(opening, RECORD_KEYS.snapshotPrefix);
  return values.map((value) => {
    const id = value.field('snapshot');
    const headState =
      value.field('root').orNull((root) => opening.states.open(root.bytes(32))) ?? WorldState.unknown();
    const snapshot = {
      head: value.field('head').count(),
      headState,
      ...readPersistedState(value, opening.ruleSet),
    };
    return { id: id.isNumber ? id.count() : id.text(), snapshot };
  });
}
