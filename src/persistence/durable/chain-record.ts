import { type ChainCore, runtimeState } from '../../chain/chain-core.ts';
import type { PoolEntry } from '../../chain/pool/entries.ts';
import type { BlockSettings } from '../../chain/settings/block-settings.ts';
import type { ChainOptions, FundedAddress } from '../../chain/settings/chain-options.ts';
import { EMPTY_POOL, type NamedSnapshot, type Snapshots } from '../../chain/snapshots/snapshots.ts';
import { bigIntToFixedBytes, concatBytes, equalBytes, joinBytes } from '../../primitives/bytes.ts';
import { hexKey, toHex } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import type { StateKeeper } from '../../state/state-store.ts';
import type { DurableStore } from '../../storage/durable-store.ts';
import { DataMismatchError, OtherForkError } from '../../storage/errors.ts';
import { StrictValue } from '../../wire/strict-value.ts';
import {
  keyJson,
  type PersistedState,
  persistedStateJson,
  poolEntryJson,
} from '../dump/persisted-state-json.ts';

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
 * | `d` | differences of the states of a fork, by hash |
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
  readonly #states: StateKeeper;
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
  constructor(store: DurableStore, states: StateKeeper, core: ChainCore, snapshots: Snapshots) {
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

// The parameters of a stored chain: those that never change, and those that options may change at a start.

/** The parameters of a chain that the options settle for good, as text by subject. */
type ChainParameters = Readonly<Record<string, string>>;

const SHOWN_DIGITS = 8;

/** Returns a text that is equal for two lists only if they have the same addresses. */
function describeAddresses(addresses: readonly Uint8Array[]): string {
  const [first] = addresses;
  if (first === undefined) return 'none';
  const mark = hexKey(keccak256(joinBytes(addresses))).slice(0, SHOWN_DIGITS);
  return `${addresses.length} from ${toHex(first)} on (${mark})`;
}

/** Same as {@link describeAddresses}, including the amounts. */
function describeFunds(funds: readonly FundedAddress[]): string {
  const [first] = funds;
  if (first === undefined) return 'none';
  const words = funds.map(({ address, balance }) => concatBytes(address, bigIntToFixedBytes(balance, 32)));
  const mark = hexKey(keccak256(joinBytes(words))).slice(0, SHOWN_DIGITS);
  return `${funds.length} from ${toHex(first.address)} on (${mark})`;
}

/**
 * Returns the parameters of the chain that the options ask for: everything that decides whether a block or a
 * transaction is valid, and everything that the first block is made of. Free choices of a miner, such as the order of
 * transactions, are excluded. `fork`: the fork of the chain in words.
 */
export function chainParameters(options: ChainOptions, fork = NO_FORK): ChainParameters {
  return {
    [FORK_FACT]: fork,
    'the rule set': options.ruleSet,
    'the chain id': `${options.chainId}`,
    'network limits': options.networkLimits ? 'on' : 'off',
    // A trace executes transactions again, and must end as they did.
    'the code size limit': options.codeSizeLimit === null ? 'off' : `${options.codeSizeLimit}`,
    'the difficulty': `${options.difficulty}`,
    REMASC: options.remasc ? 'on' : 'off',
    'the accounts': describeAddresses(options.devAccounts.map(({ address }) => address)),
    'the funded addresses': describeAddresses(options.fundedAccounts),
    'the balance of each account (wei)': `${options.balance}`,
    'the funds of other addresses': describeFunds(options.funds),
    'predeployed contracts': options.predeploys ? 'on' : 'off',
    'the genesis file':
      options.genesis === null ? 'none' : hexKey(options.genesis.digest).slice(0, SHOWN_DIGITS),
  };
}

/** The parameter that names the fork, and its value for a chain with a first block of its own. */
const FORK_FACT = 'the fork';
const NO_FORK = 'none';

function forkOrNull(words: string): string | null {
  return words === NO_FORK ? null : words;
}

/** Parameters that directories of this format did not have from the beginning. */
const LATER_FACTS: readonly string[] = ['network limits', 'the funds of other addresses'];

/**
 * Throws a {@link DataMismatchError} or an {@link OtherForkError} for the first parameter that differs from the
 * stored one. Parameters that an earlier program did not store are taken from the options.
 */
export function checkParameters(directory: string, stored: StrictValue, facts: ChainParameters): void {
  for (const [name, wanted] of Object.entries(facts)) {
    if (LATER_FACTS.includes(name) && stored.field(name).isNothing) continue;
    const value = stored.field(name);
    // Directories of older programs have no forks.
    const found = name === FORK_FACT && value.isNothing ? NO_FORK : value.text();
    if (found === wanted) continue;
    if (name === FORK_FACT) throw new OtherForkError(directory, forkOrNull(found), forkOrNull(wanted));
    throw new DataMismatchError(directory, name, found, wanted);
  }
}

/** The settings in the options that can change while a chain runs. */
type ConfiguredState = Pick<PersistedState, 'settings' | 'mining' | 'impersonation'>;

const WISHES = [
  'coinbase',
  'gasLimit',
  'gasLimitTarget',
  'minimumGasPrice',
  'minimumGasPriceTarget',
  'gasPrice',
] as const satisfies readonly (keyof BlockSettings)[];

function isSame(left: unknown, right: unknown): boolean {
  if (left instanceof Uint8Array && right instanceof Uint8Array) return equalBytes(left, right);
  return left === right;
}

/**
 * Returns the stored state with the settings that changed in the options since the last start. Everything else is as
 * the chain was left.
 */
export function applyConfigChanges<M extends ConfiguredState>(
  moment: M,
  before: ConfiguredState,
  now: ConfiguredState,
): M {
  const fields = WISHES.filter((name) => !isSame(before.settings[name], now.settings[name]));
  const changed = Object.fromEntries(fields.map((name) => [name, now.settings[name]]));
  const { automine, blockTime } = now.mining;
  const hasNewMining = before.mining.automine !== automine || before.mining.blockTime !== blockTime;
  const { isAutomatic } = now.impersonation;
  const hasNewImpersonation = before.impersonation.isAutomatic !== isAutomatic;
  return {
    ...moment,
    settings: { ...moment.settings, ...changed },
    mining: hasNewMining ? now.mining : moment.mining,
    impersonation: hasNewImpersonation ? { ...moment.impersonation, isAutomatic } : moment.impersonation,
  };
}
