// Differences between the local changes of two states over the same source, so that nothing is fetched.

import { equalBytes } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import type { Steps } from '../primitives/steps.ts';
import {
  type Account,
  type Code,
  EMPTY_CODE,
  encodeAccount,
  encodeStorageEntry,
  type StorageEntry,
  type StorageTrie,
} from './account.ts';
import type { StateSource } from './state-source.ts';
import { trieGet, trieRemove } from './trie/trie.ts';
import { loaded, trieRoot } from './trie/trie-node.ts';
import { type TrieEntry, triePutAll } from './trie/trie-put-all.ts';
import { trieDifferences } from './trie/trie-walks.ts';
import { WorldState } from './world-state.ts';

/** The difference between the local entries of two states at one address. */
export interface LocalDifference {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** The local account; `'gone'` for a deleted account; `'unwritten'` if it was never written locally. */
  readonly becomes: LocalAccount | 'gone' | 'unwritten';
}

/** An account that was written locally. */
export interface LocalAccount {
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  /** `null` if the local code is unchanged. */
  readonly code: Code | null;
  /** True if slots without a local entry have the source's values; false if they are zero. */
  readonly isOverSource: boolean;
  /** The slots with different local entries, ordered by hash. */
  readonly storage: readonly LocalSlot[];
}

/** A slot of an account that was written locally. */
export interface LocalSlot {
  /** 32 bytes. */
  readonly slot: Uint8Array;
  /** Without leading zeros; `null` if the slot has no local entry. */
  readonly value: Uint8Array | null;
}

/** Yields the local changes between two states, ordered by address hash. Reads nothing from the source. */
export function* localDifferences(
  before: WorldState,
  after: WorldState,
): Generator<LocalDifference, void, undefined> {
  for (const pair of trieDifferences(before.trie, after.trie)) {
    const address = (pair.after ?? pair.before)?.address;
    if (address === undefined) continue;
    const becomes = localDifference(pair.before, pair.after);
    if (becomes !== null) yield { address, becomes };
  }
}

/** `null` if the accounts are equal. */
function localDifference(
  before: Account | undefined,
  after: Account | undefined,
): LocalDifference['becomes'] | null {
  if (after === undefined) return 'unwritten';
  if (after.isGone === true) return before?.isGone === true ? null : 'gone';
  const kept = before?.isGone === true ? undefined : before;
  const { nonce, balance, storageSource } = after;
  const storage = Array.from(slotDifferences(kept?.storage ?? null, after.storage));
  const hasSameCode = kept !== undefined && equalBytes(kept.code.hash, after.code.hash);
  const isSame =
    hasSameCode &&
    kept.nonce === nonce &&
    kept.balance === balance &&
    (kept.storageSource === undefined) === (storageSource === undefined) &&
    storage.length === 0;
  if (isSame) return null;
  const isOverSource = storageSource !== undefined;
  return { nonce, balance, code: hasSameCode ? null : after.code, isOverSource, storage };
}

function* slotDifferences(before: StorageTrie, after: StorageTrie): Generator<LocalSlot> {
  for (const pair of trieDifferences(before, after)) {
    const slot = (pair.after ?? pair.before)?.slot;
    if (slot === undefined) continue;
    const value = pair.after?.value ?? null;
    const isSame = value !== null && pair.before !== undefined && equalBytes(pair.before.value, value);
    if (!isSame) yield { slot, value };
  }
}

/** Work units to put an account or a slot into a trie and hash the change. */
const ENTRY_WORK = 256;

/**
 * Returns the state after the differences, over the source of `before`. Yields between accounts and slots.
 * Addresses must be distinct.
 */
export function* withLocalDifferences(
  before: WorldState,
  source: StateSource,
  differences: readonly LocalDifference[],
): Steps<WorldState> {
  const local = loaded(before.trie);
  let accounts = local;
  let changed: TrieEntry<Account>[] = [];
  for (const { address, becomes } of differences) {
    if ((yield ENTRY_WORK) === true) {
      accounts = triePutAll(accounts, changed);
      changed = [];
      trieRoot(accounts, encodeAccount);
    }
    const key = keccak256(address);
    if (becomes === 'unwritten') accounts = trieRemove(accounts, key);
    else if (becomes === 'gone') {
      const gone = { nonce: 0n, balance: 0n, code: EMPTY_CODE, storage: null, isGone: true } as const;
      changed.push({ key, value: { address, ...gone } });
    } else {
      const account = yield* localAccount(address, trieGet(local, key), becomes, source);
      changed.push({ key, value: account });
    }
  }
  accounts = triePutAll(accounts, changed);
  return accounts === local ? before : WorldState.of(accounts, source);
}

function* localAccount(
  address: Uint8Array,
  before: Account | undefined,
  { nonce, balance, code, isOverSource, storage }: LocalAccount,
  source: StateSource,
): Steps<Account> {
  const value = {
    address,
    nonce,
    balance,
    code: code ?? before?.code ?? EMPTY_CODE,
    storage: yield* withSlots(before?.storage ?? null, storage),
  };
  return isOverSource ? { ...value, storageSource: source } : value;
}

function* withSlots(before: StorageTrie, slots: readonly LocalSlot[]): Steps<StorageTrie> {
  let storage = before;
  let entries: TrieEntry<StorageEntry>[] = [];
  for (const { slot, value } of slots) {
    const key = keccak256(slot);
    if (value === null) storage = trieRemove(storage, key);
    else entries.push({ key, value: { slot, value } });
    if ((yield ENTRY_WORK) !== true) continue;
    storage = triePutAll(storage, entries);
    entries = [];
    trieRoot(storage, encodeStorageEntry);
  }
  return triePutAll(storage, entries);
}
