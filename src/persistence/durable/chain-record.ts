import { type ChainCore, runtimeState } from '../../chain/chain-core.ts';
import type { PoolEntry } from '../../chain/pool/entries.ts';
import type { BlockSettings } from '../../chain/settings/block-settings.ts';
import type { ChainOptions, FundedAddress } from '../../chain/settings/chain-options.ts';
import { EMPTY_POOL, type NamedSnapshot, type Snapshots } from '../../chain/snapshots/snapshots.ts';
import { bigIntToFixedBytes, concatBytes, equalBytes, joinBytes } from '../../primitives/bytes.ts';
import { hexKey, toHex } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { DEFAULT_FEDERATION } from '../../protocol/hardforks/rootstock.ts';
import type { ParentBlock } from '../../rootstock/parent-chain/parent-block.ts';
import type { ParentChainState } from '../../rootstock/parent-chain/parent-chain.ts';
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
import { WrittenParentBlocks } from '../dump/stored-parent-blocks.ts';

export function jsonRecord(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** Inverse of {@link jsonRecord}. `name` identifies the record in errors. Throws a `SyntaxError`. */
export function readJsonRecord(record: Uint8Array, name: string): StrictValue {
  return new StrictValue(JSON.parse(Buffer.from(record).toString()), name);
}

/**
 * The format version of a data directory: its keys and records.
 *
 * | key | content |
 * |---|---|
 * | `b` `h` `t` `r` `l` | blocks, block numbers by hash, transaction positions, ranges of reserved blocks, index records |
 * | `n` `c` | nodes and codes of states by hash, including obsolete states |
 * | `d` | differences of a fork's states by hash |
 * | `q` | blocks of the parent chain by height and hash |
 * | {@link RECORD_KEYS} | other records of the chain, as JSON in the form of dumps |
 */
export const DATA_VERSION = 1;

/** The keys of single records, and the prefixes of others. */
export const RECORD_KEYS = {
  /** {@link DATA_VERSION}. */
  version: '.version',
  /** The chain parameters that the options fix permanently. */
  facts: '.facts',
  /** The first block as created, and its state root. */
  origin: '.origin',
  /** The changeable settings in the options of the last start. */
  initialState: '.wishes',
  /** The present state of the chain without its blocks and pool. */
  moment: '.moment',
  /** The accounts of the wallet. */
  keys: '.keys',
  /** A pool transaction, by sender and nonce. */
  poolPrefix: 'p',
  /** A snapshot, by sequence number. */
  snapshotPrefix: 's',
  /** A block of the parent chain, by height and hash, as on Bitcoin. */
  parentBlockPrefix: 'q',
} as const;

const NONCE_DIGITS = 16;
/** Keys sort the blocks of the parent chain by height. */
const HEIGHT_DIGITS = 8;

/** Returns the key of a pool transaction. Keys sort a sender's transactions by nonce. */
function poolKey({ transaction: { sender, nonce } }: PoolEntry): string {
  return RECORD_KEYS.poolPrefix + hexKey(sender) + nonce.toString(16).padStart(NONCE_DIGITS, '0');
}

/**
 * Writes the parts of a chain other than blocks to a store. These parts are replaced, not mutated, so an
 * update without changes costs only comparisons.
 */
export class ChainRecord {
  readonly #store: DurableStore;
  readonly #states: StateKeeper;
  readonly #core: ChainCore;
  readonly #snapshots: Snapshots;
  /** The values of the last written moment. */
  #moment: readonly unknown[] = [];
  #poolVersion = -1;
  readonly #pool = new Map<PoolEntry, string>();
  readonly #kept = new Map<NamedSnapshot, string>();
  #snapshotCount = 0;
  #walletVersion = -1;
  readonly #parentBlocks: WrittenParentBlocks;

  /** The first {@link update} writes everything, except for the stored blocks of the parent chain. */
  constructor(
    store: DurableStore,
    states: StateKeeper,
    core: ChainCore,
    snapshots: Snapshots,
    parentBlocks: readonly ParentBlock[],
  ) {
    this.#parentBlocks = new WrittenParentBlocks(parentBlocks);
    this.#store = store;
    this.#states = states;
    this.#core = core;
    this.#snapshots = snapshots;
  }

  /** True if anything differs from the store. */
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
    const state = { ...runtimeState(this.#core), pool: EMPTY_POOL };
    this.#putParentBlocks(state.parentChain);
    const record = {
      ...persistedStateJson(state, this.#core.parentChain?.forms ?? null),
      lastSnapshot: this.#snapshots.lastNumber,
      instanceId: toHex(identity.instanceId),
    };
    this.#store.put(RECORD_KEYS.moment, jsonRecord(record));
  }

  /** Appends the new blocks of the parent chain. */
  #putParentBlocks(state: ParentChainState | null): void {
    const forms = this.#core.parentChain?.forms;
    if (state === null || forms === undefined) return;
    for (const block of this.#parentBlocks.take(state.tip)) {
      const height = block.height.toString(16).padStart(HEIGHT_DIGITS, '0');
      this.#store.put(`${RECORD_KEYS.parentBlockPrefix}${height}${block.hash}`, forms.blockToBytes(block));
    }
  }

  #updatePool(): void {
    const { pool } = this.#core;
    const store = this.#store;
    if (this.#poolVersion === pool.version) return;
    this.#poolVersion = pool.version;
    // A replacement has the key of the replaced entry, so removals must come first.
    // Without its condition, a transaction could be mined in a wrong block after a restart.
    const entries = new Set(Array.from(pool.entries()).filter(({ condition }) => condition === null));
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
    this.#putParentBlocks(snapshot.parentChain);
    const forms = this.#core.parentChain?.forms ?? null;
    return { snapshot: id, head, root, ...persistedStateJson(snapshot, forms) };
  }

  #updateKeys(): void {
    const { wallet } = this.#core;
    if (this.#walletVersion === wallet.version) return;
    this.#walletVersion = wallet.version;
    this.#store.put(RECORD_KEYS.keys, jsonRecord(wallet.storedKeys().map(keyJson)));
  }
}

// The parameters of a stored chain: fixed ones, and settings that options may change at a start.

/** The chain parameters that the options fix permanently, as text by name. */
type ChainParameters = Readonly<Record<string, string>>;

const SHOWN_DIGITS = 8;

/** Returns a text that is equal only for lists with the same addresses. */
function describeAddresses(addresses: readonly Uint8Array[]): string {
  const [first] = addresses;
  if (first === undefined) return 'none';
  const mark = hexKey(keccak256(joinBytes(addresses))).slice(0, SHOWN_DIGITS);
  return `${addresses.length} from ${toHex(first)} on (${mark})`;
}

/** Like {@link describeAddresses}, including the amounts. */
function describeFunds(funds: readonly FundedAddress[]): string {
  const [first] = funds;
  if (first === undefined) return 'none';
  const words = funds.map(({ address, balance }) => concatBytes(address, bigIntToFixedBytes(balance, 32)));
  const mark = hexKey(keccak256(joinBytes(words))).slice(0, SHOWN_DIGITS);
  return `${funds.length} from ${toHex(first.address)} on (${mark})`;
}

/**
 * Returns the fixed parameters: everything that affects the validity of blocks and transactions, and the
 * content of the first block. Free choices of a miner, such as the order of transactions, are excluded.
 * `fork` is the description of the fork.
 */
export function chainParameters(options: ChainOptions, fork = NO_FORK): ChainParameters {
  return {
    [FORK_FACT]: fork,
    'the rule set': options.ruleSet,
    'the chain id': `${options.chainId}`,
    'network limits': options.networkLimits ? 'on' : 'off',
    // A trace replays transactions and must get the same result.
    'the code size limit': options.codeSizeLimit === null ? 'off' : `${options.codeSizeLimit}`,
    'the difficulty': `${options.difficulty}`,
    [FEDERATION_FACT]: options.federation,
    REMASC: options.remasc ? 'on' : 'off',
    [PARENT_CHAIN_FACT]: options.parentChain === null ? 'off' : 'on',
    'the accounts': describeAddresses(options.devAccounts.map(({ address }) => address)),
    'the funded addresses': describeAddresses(options.fundedAccounts),
    'the balance of each account (wei)': `${options.balance}`,
    'the funds of other addresses': describeFunds(options.funds),
    [NUMBER_FACT]: `${options.genesisNumber}`,
    'predeployed contracts': options.predeploys ? 'on' : 'off',
    'the genesis file':
      options.genesis === null ? 'none' : hexKey(options.genesis.digest).slice(0, SHOWN_DIGITS),
  };
}

/** The parameter for the fork, and its value for a chain with its own genesis. */
const FORK_FACT = 'the fork';
const NO_FORK = 'none';
const PARENT_CHAIN_FACT = 'the option --parent-chain';

function forkOrNull(words: string): string | null {
  return words === NO_FORK ? null : words;
}

const NUMBER_FACT = 'the option --number';

/** The parameter for the script format of the Bridge's federation. */
const FEDERATION_FACT = 'the option --federation';

/** The values of parameters that directories of older programs lack. */
const OLDER_VALUES: Readonly<Record<string, string>> = {
  [FORK_FACT]: NO_FORK,
  [FEDERATION_FACT]: DEFAULT_FEDERATION,
  [PARENT_CHAIN_FACT]: 'off',
  [NUMBER_FACT]: '0',
};

/** Parameters that early directories of this version lack. */
const LATER_FACTS: readonly string[] = ['network limits', 'the funds of other addresses'];

/**
 * Throws a {@link DataMismatchError} or an {@link OtherForkError} for the first difference from the stored
 * parameters. Parameters that an earlier program did not store are skipped.
 */
export function checkParameters(directory: string, stored: StrictValue, facts: ChainParameters): void {
  for (const [name, wanted] of Object.entries(facts)) {
    if (LATER_FACTS.includes(name) && stored.field(name).isNothing) continue;
    const value = stored.field(name);
    const found = (value.isNothing ? OLDER_VALUES[name] : undefined) ?? value.text();
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

/** Applies the settings that changed in the options since the last start; others keep the stored value. */
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
