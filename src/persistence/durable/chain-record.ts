import type { PoolEntry } from '../../chain/pool/ordering.ts';
import type { TransactionPool } from '../../chain/pool/pool.ts';
import { type ConditionParts, runtimeState } from '../../chain/settings/block-settings.ts';
import type { ChainIdentity } from '../../chain/settings/chain-identity.ts';
import { type NamedSnapshot, NO_TRANSACTIONS, type Snapshots } from '../../chain/snapshots/snapshots.ts';
import { hexKey, toHex } from '../../primitives/hex.ts';
import type { StateStore } from '../../state/stored/state-store.ts';
import type { DurableStore } from '../../storage/durable-store.ts';
import type { Wallet } from '../../wallet/wallet.ts';
import { StrictValue } from '../../wire/strict-value.ts';
import { keyJson, persistedStateJson, poolEntryJson } from '../dump/persisted-state-json.ts';

/** A value as the JSON text of a record. */
export function jsonRecord(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** The value of a record that {@link jsonRecord} made; `name` tells in errors which it is. Throws a `SyntaxError`. */
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

/** The keys of single records, and what others begin with. */
export const RECORD_KEYS = {
  /** {@link DATA_VERSION}. */
  version: '.version',
  /** What the options settled for good. */
  facts: '.facts',
  /** The first block as it was made, and the root of its state. */
  origin: '.origin',
  /** What the options of the last start said of what can change. */
  wishes: '.wishes',
  /** What the chain is now, but for its blocks and its pool. */
  moment: '.moment',
  /** The accounts of the wallet. */
  keys: '.keys',
  /** A transaction of the pool, by sender and nonce. */
  poolPrefix: 'p',
  /** A snapshot, by its place among those kept. */
  snapshotPrefix: 's',
} as const;

/** What a chain is besides its blocks; all of it belongs to one chain. */
export interface RecordParts extends ConditionParts {
  readonly store: DurableStore;
  readonly states: StateStore;
  readonly pool: TransactionPool;
  readonly snapshots: Snapshots;
  readonly identity: ChainIdentity;
  readonly wallet: Wallet;
}

const NONCE_DIGITS = 16;

/** Sorts a sender's transactions by nonce. */
function poolKey({ transaction: { sender, nonce } }: PoolEntry): string {
  return RECORD_KEYS.poolPrefix + hexKey(sender) + nonce.toString(16).padStart(NONCE_DIGITS, '0');
}

/**
 * Keeps in a store what a chain is besides its blocks. The parts of a chain replace what changes instead of changing it,
 * so a look at what is still the same is all that an update costs where nothing changed.
 */
export class ChainRecord {
  readonly #parts: RecordParts;
  /** The values that the moment was written with. */
  #moment: readonly unknown[] = [];
  #poolVersion = -1;
  readonly #pool = new Map<PoolEntry, string>();
  readonly #kept = new Map<NamedSnapshot, string>();
  #snapshotCount = 0;
  #walletVersion = -1;

  /** Everything is written with the first {@link update}. */
  constructor(parts: RecordParts) {
    this.#parts = parts;
  }

  /** True when something is another than the store has it. */
  get isChanged(): boolean {
    const { pool, wallet, snapshots } = this.#parts;
    return (
      this.#poolVersion !== pool.version ||
      this.#walletVersion !== wallet.version ||
      this.#momentNow().some((value, index) => value !== this.#moment[index]) ||
      this.#kept.size !== snapshots.kept.length ||
      snapshots.kept.some((kept) => !this.#kept.has(kept))
    );
  }

  /** Puts what changed. */
  update(): void {
    this.#updateMoment();
    this.#updatePool();
    this.#updateSnapshots();
    this.#updateKeys();
  }

  #momentNow(): unknown[] {
    const { snapshots, identity } = this.#parts;
    return [...Object.values(runtimeState(this.#parts)), snapshots.lastNumber, identity.instanceId];
  }

  #updateMoment(): void {
    const now = this.#momentNow();
    if (now.every((value, index) => value === this.#moment[index])) return;
    this.#moment = now;
    const { store, snapshots, identity } = this.#parts;
    const record = {
      ...persistedStateJson({ ...runtimeState(this.#parts), pool: NO_TRANSACTIONS }),
      lastSnapshot: snapshots.lastNumber,
      instanceId: toHex(identity.instanceId),
    };
    store.put(RECORD_KEYS.moment, jsonRecord(record));
  }

  #updatePool(): void {
    const { store, pool } = this.#parts;
    if (this.#poolVersion === pool.version) return;
    this.#poolVersion = pool.version;
    // A replacement has the key of what it replaces, so what goes must go first.
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
    const { store, snapshots } = this.#parts;
    const kept = new Set(snapshots.kept);
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
    const root = headState.isKnown ? toHex(this.#parts.states.keep(headState)) : null;
    return { snapshot: id, head, root, ...persistedStateJson(snapshot) };
  }

  #updateKeys(): void {
    const { store, wallet } = this.#parts;
    if (this.#walletVersion === wallet.version) return;
    this.#walletVersion = wallet.version;
    store.put(RECORD_KEYS.keys, jsonRecord(wallet.storedKeys().map(keyJson)));
  }
}
