import { type ChainCore, runtimeState } from '../../chain/chain-core.ts';
import type { PoolEntry } from '../../chain/pool/entries.ts';
import { EMPTY_POOL, type NamedSnapshot, type Snapshots } from '../../chain/snapshots/snapshots.ts';
import { hexKey, toHex } from '../../primitives/hex.ts';
import type { StateStore } from '../../state/state-store.ts';
import type { DurableStore } from '../../storage/durable-store.ts';
import { StrictValue } from '../../wire/strict-value.ts';
import { keyJson, persistedStateJson, poolEntryJson } from '../dump/persisted-state-json.ts';

/** Returns a value as the JSON text of a record. */
export function jsonRecord(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** Returns the value of a record that {@link jsonRecord} made; `name` identifies it in errors. Throws a `SyntaxError`. */
export function readJsonRecord(record: Uint8Array, name: string): StrictValue {
  return new StrictValue(JSON.parse(Buffer.from(record).toString()), name);
}

/**
 * The version of all that is in a data directory: its keys, and what stands under them.
 *
 * | key | what stands there |
 * |---|---|
 * | `b` `h` `t` `r` `l` | blocks, their numbers by hash, positions of transactions, ranges of reserved blocks, line records |
 * | `n` `c` | nodes and codes of states, by hash; those of states that are gone too |
 * | {@link RECORD_KEYS} | what the chain is besides, as JSON with the values of a dump |
 */
export const DATA_VERSION = 1;

/** The keys of single records, and the prefixes of others. */
export const RECORD_KEYS = {
  /** {@link DATA_VERSION}. */
  version: '.version',
  /** The parameters of the chain that the options settled for good. */
  facts: '.facts',
  /** The first block as created, and the root of its state. */
  origin: '.origin',
  /** The changeable settings in the options of the last start. */
  initialState: '.wishes',
  /** The present state of the chain, except for its blocks and its pool. */
  moment: '.moment',
  /** The accounts of the wallet. */
  keys: '.keys',
  /** A transaction of the pool, by sender and nonce. */
  poolPrefix: 'p',
  /** A snapshot, by its index among those kept. */
  snapshotPrefix: 's',
} as const;

const NONCE_DIGITS = 16;

/** Returns the key of a pool transaction; keys sort a sender's transactions by nonce. */
function poolKey({ transaction: { sender, nonce } }: PoolEntry): string {
  return RECORD_KEYS.poolPrefix + hexKey(sender) + nonce.toString(16).padStart(NONCE_DIGITS, '0');
}

/**
 * Writes the parts of a chain besides its blocks to a store. These parts are replaced instead of mutated, so an update
 * costs only comparisons when nothing has changed.
 */
export class ChainRecord {
  readonly #store: DurableStore;
  readonly #states: StateStore;
  readonly #core: ChainCore;
  readonly #snapshots: Snapshots;
  /** The values that the moment was written with. */
  #moment: readonly unknown[] = [];
  #poolVersion = -1;
  readonly #pool = new Map<PoolEntry, string>();
  readonly #kept = new Map<NamedSnapshot, string>();
  #snapshotCount = 0;
  #walletVersion = -1;

  /** Everything is written with the first {@link update}. */
  constructor(store: DurableStore, states: StateStore, core: ChainCore, snapshots: Snapshots) {
    this.#store = store;
    this.#states = states;
    this.#core = core;
    this.#snapshots = snapshots;
  }

  /** True when something differs from the store. */
  get isChanged(): boolean {
    const { pool, wallet } = this.#core;
    const snapshots = this.#snapshots;
    return (
      this.#poolVersion !== pool.version ||
      this.#walletVersion !== wallet.version ||
      this.#momentNow().some((value, index) => value !== this.#moment[index]) ||
      this.#kept.size !== snapshots.kept.length ||
      snapshots.kept.some((kept) => !this.#kept.has(kept))
    );
  }

  /** Writes the changes. */
  update(): void {
    this.#updateMoment();
    this.#updatePool();
    this.#updateSnapshots();
    this.#updateKeys();
  }

  #momentNow(): unknown[] {
    const { identity } = this.#core;
    return [...Object.values(runtimeState(this.#core)), this.#snapshots.lastNumber, identity.instanceId];
  }

  #updateMoment(): void {
    const now = this.#momentNow();
    if (now.every((value, index) => value === this.#moment[index])) return;
    this.#moment = now;
    const { identity } = this.#core;
    const record = {
      ...persistedStateJson({ ...runtimeState(this.#core), pool: EMPTY_POOL }),
      lastSnapshot: this.#snapshots.lastNumber,
      instanceId: toHex(identity.instanceId),
    };
    this.#store.put(RECORD_KEYS.moment, jsonRecord(record));
  }

  #updatePool(): void {
    const { pool } = this.#core;
    const store = this.#store;
    if (this.#poolVersion === pool.version) return;
    this.#poolVersion = pool.version;
    // A replacement has the key of the entry that it replaces, so removals must come first.
    const entries = new Set(pool.entries());
    for (const [entry, key] of this.#pool) {
      if (entries.has(entry)) continue;
      store.delete(key);
      this.#pool.delete(entry);
    }
    for (const entry of entries) {
      if (this.#pool.has(entry)) continue;
      const key = poolKey(entry);
      store.put(key, jsonRecord(poolEntryJson(entry)));
      this.#pool.set(entry, key);
    }
  }

  #updateSnapshots(): void {
    const store = this.#store;
    const kept = new Set(this.#snapshots.kept);
    for (const [snapshot, key] of this.#kept) {
      if (kept.has(snapshot)) continue;
      store.delete(key);
      this.#kept.delete(snapshot);
    }
    for (const named of kept) {
      if (this.#kept.has(named)) continue;
      const place = (this.#snapshotCount++).toString(16).padStart(NONCE_DIGITS, '0');
      const key = RECORD_KEYS.snapshotPrefix + place;
      store.put(key, jsonRecord(this.#snapshotJson(named)));
      this.#kept.set(named, key);
    }
  }

  #snapshotJson({ id, snapshot }: NamedSnapshot): object {
    const { head, headState } = snapshot;
    const root = headState.isKnown ? toHex(this.#states.keep(headState)) : null;
    return { snapshot: id, head, root, ...persistedStateJson(snapshot) };
  }

  #updateKeys(): void {
    const { wallet } = this.#core;
    if (this.#walletVersion === wallet.version) return;
    this.#walletVersion = wallet.version;
    this.#store.put(RECORD_KEYS.keys, jsonRecord(wallet.storedKeys().map(keyJson)));
  }
}
