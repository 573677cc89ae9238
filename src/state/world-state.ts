import { copyBytes, EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import {
  type Account,
  type AccountUpdate,
  EMPTY_CODE,
  encodeAccount,
  encodeStorageEntry,
  present,
  type StateChanges,
  type StorageChange,
  type StorageEntry,
  type StorageTrie,
} from './account.ts';
import { type AccountDifference, accountDifferences, slotDifferences } from './account-differences.ts';
import { UnknownStateError, UnprovableStateError } from './errors.ts';
import { SlotChanges } from './slot-changes.ts';
import { changedContract, type SourceContract, type StateSource } from './state-source.ts';
import { putBelow, trieGet, trieRemove, trieValues } from './trie/trie.ts';
import { loaded, type TrieLink, type TrieNode, trieRoot } from './trie/trie-node.ts';
import { trieProof } from './trie/trie-proof.ts';
import { type TrieEntry, triePutAll, triePutPacked } from './trie/trie-put-all.ts';
import { trieDifferences, trieEntriesFrom } from './trie/trie-walks.ts';

/**
 * All accounts at one moment. A state is immutable: {@link WorldState.apply} returns a new state, which
 * shares all unchanged parts. A snapshot costs one pointer.
 */
export class WorldState {
  /** `undefined` for an unknown state. */
  readonly #trie: TrieLink<Account> | null | undefined;

  /** The state source below the trie; `null` without one. */
  readonly #source: StateSource | null;

  /** Equal stamps mean equal content. Different stamps can have equal content too. */
  readonly stamp: object;

  private constructor(
    trie: TrieLink<Account> | null | undefined,
    stamp: object = {},
    source: StateSource | null = null,
  ) {
    this.#trie = trie;
    this.stamp = stamp;
    this.#source = source;
  }

  static empty(): WorldState {
    return new WorldState(null);
  }

  /** Returns a placeholder for an unknown state. Every read throws {@link UnknownStateError}. */
  static unknown(): WorldState {
    return new WorldState(undefined);
  }

  /** Returns the state of a trie, over the state source if given. */
  static of(trie: TrieLink<Account> | null, source: StateSource | null = null): WorldState {
    return new WorldState(trie, {}, source);
  }

  /**
   * Returns the state of a source. Reads of it and of derived states throw `MissingStateError` until the
   * value is fetched. Its root covers only later changes, because the complete state is unknown.
   */
  static beginningWith(source: StateSource): WorldState {
    return new WorldState(null, {}, source);
  }

  /** The source below the state; `null` without one. */
  get source(): StateSource | null {
    return this.#source;
  }

  /** True for a state over a source, which can have accounts that are unknown here. */
  get isPartial(): boolean {
    return this.#source !== null;
  }

  /**
   * Returns the hash (32 bytes) of a block of the source's chain; `undefined` without a source. Throws
   * `MissingStateError` if it must be fetched first.
   */
  sourceBlockHash(number: number): Uint8Array | undefined {
    return this.#source?.blockHash(number);
  }

  /** Returns a contract (20-byte address) that only the source's chain can execute, or `null`. */
  sourceContract(address: Uint8Array): SourceContract | null {
    const contract = this.#source?.contract?.(address) ?? null;
    if (contract === null || contract.isChanged) return contract;
    const isWritten = (trieGet(this.#accounts, keccak256(address))?.storage ?? null) !== null;
    return isWritten ? changedContract(contract) : contract;
  }

  /** False for the placeholder of an unknown state. */
  get isKnown(): boolean {
    return this.#trie !== undefined;
  }

  /** The accounts by the hash of their address. Throws an {@link UnknownStateError}. */
  get trie(): TrieLink<Account> | null {
    if (this.#trie === undefined) throw new UnknownStateError();
    return this.#trie;
  }

  get #accounts(): TrieNode<Account> | null {
    return loaded(this.trie);
  }

  /** The root hash (32 bytes): the header's `stateRoot`. */
  get root(): Uint8Array {
    return trieRoot(this.trie, encodeAccount);
  }

  /** Returns the account of an address (20 bytes), or `undefined`. */
  account(address: Uint8Array): Account | undefined {
    return present(this.#entry(address));
  }

  /** Returns the account if it was written after the state source; otherwise `undefined`. */
  localAccount(address: Uint8Array): Account | undefined {
    return present(trieGet(this.#accounts, keccak256(address)));
  }

  /** Returns the trie's entry, including the marker of a deleted account, or the source's account. */
  #entry(address: Uint8Array): Account | undefined {
    return trieGet(this.#accounts, keccak256(address)) ?? this.#source?.account(address);
  }

  /** Returns the value of a slot (32 bytes), without leading zeros; empty for zero. */
  storageAt(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const account = trieGet(this.#accounts, keccak256(address));
    if (account === undefined) return this.#source?.storageAt(address, slot) ?? EMPTY_BYTES;
    return (
      storedValue(account.storage, slot) ?? account.storageSource?.storageAt(address, slot) ?? EMPTY_BYTES
    );
  }

  /** Returns all accounts in the trie, ordered by the hash of the address. */
  accounts(): Iterable<Account> {
    return presentOf(trieValues(this.#accounts));
  }

  /** Like {@link accounts}, from the first account with an address hash (32 bytes) of at least `start`. */
  accountsFrom(start: Uint8Array): Iterable<Account> {
    return presentOf(valuesOf(trieEntriesFrom(this.#accounts, start)));
  }

  /**
   * Returns the Merkle proof of the account or its absence: nodes from the state root down (EIP-1186). Throws
   * {@link UnprovableStateError}.
   */
  accountProof(address: Uint8Array): Uint8Array[] {
    this.#mustBeWhole();
    return trieProof(this.#accounts, keccak256(address), encodeAccount);
  }

  /**
   * Returns the Merkle proof of a slot (32 bytes): nodes from the account's storage root down (EIP-1186).
   * Throws {@link UnprovableStateError}.
   */
  storageProof(address: Uint8Array, slot: Uint8Array): Uint8Array[] {
    this.#mustBeWhole();
    return trieProof(this.account(address)?.storage ?? null, keccak256(slot), encodeStorageEntry);
  }

  /** Returns the trie of a complete state. Throws {@link UnprovableStateError} for a state over a source. */
  wholeTrie(): TrieNode<Account> | null {
    this.#mustBeWhole();
    return this.#accounts;
  }

  #mustBeWhole(): void {
    if (this.isPartial) throw new UnprovableStateError();
  }

  /**
   * Returns the accounts that differ from `before`, ordered by the hash of the address. Each has at most
   * `maxSlots` slots, so that a caller can stop early.
   */
  differencesFrom(before: WorldState, maxSlots = Number.POSITIVE_INFINITY): Iterable<AccountDifference> {
    return accountDifferences(before.trie, this.trie, maxSlots);
  }

  /** Returns the account's slots that differ from `before`, ordered by hash. */
  slotsOtherThanIn(before: WorldState, address: Uint8Array): Iterable<StorageChange> {
    const [storageBefore, storage] = [before, this].map((state) => state.account(address)?.storage ?? null);
    return slotDifferences(storageBefore ?? null, storage ?? null);
  }

  /**
   * Yields the addresses of accounts that changed since `before` in nonce, balance, code, storage or
   * existence, ordered by hash. For an account over a state source, any written storage counts as changed.
   */
  *changedSince(before: WorldState): Generator<Uint8Array, void, undefined> {
    for (const pair of trieDifferences(before.trie, this.trie)) {
      const address = (pair.after ?? pair.before)?.address;
      if (address === undefined) continue;
      const [was, is] = [before.account(address), this.account(address)];
      const isSame =
        was === undefined || is === undefined
          ? was === is
          : equalBytes(encodeAccount(was).slice(), encodeAccount(is));
      if (!isSame) yield address;
    }
  }

  /** Returns the state after the changes, or this state if nothing changes. Keeps the passed arrays. */
  apply(changes: StateChanges, stamp?: object): WorldState {
    const before = this.#accounts;
    let accounts = before;
    const changed: TrieEntry<Account>[] = [];
    for (const address of changes.deleted) {
      const key = keccak256(address);
      if (this.#source === null) accounts = trieRemove(accounts, key);
      else changed.push({ key, value: { ...GONE, address } });
    }
    for (const update of changes.updated) {
      const key = keccak256(update.address);
      const value = changedAccount(trieGet(before, key) ?? this.#source?.account(update.address), update);
      if (value !== null) changed.push({ key, value });
    }
    accounts = triePutAll(accounts, changed);
    return accounts === before ? this : new WorldState(accounts, stamp, this.#source);
  }
}

const HASH_SIZE = 32;

/** The trie entry of a deleted account of the state source. */
const GONE = { nonce: 0n, balance: 0n, code: EMPTY_CODE, storage: null, isGone: true } as const;

function* valuesOf<V>(entries: Iterable<TrieEntry<V>>): Generator<V, void, undefined> {
  for (const { value } of entries) yield value;
}

function* presentOf(accounts: Iterable<Account>): Generator<Account, void, undefined> {
  for (const account of accounts) if (account.isGone !== true) yield account;
}

/** Returns the value of a slot (32 bytes), without leading zeros; `undefined` without an entry. */
export function storedValue(storage: StorageTrie, slot: Uint8Array): Uint8Array | undefined {
  return storage === null ? undefined : trieGet(storage, keccak256(slot))?.value;
}

/** Up to this number of changes, separate puts are faster than packing and sorting them. */
const FEW_SLOTS = 4;

function withFewSlots(
  storage: StorageTrie,
  changes: readonly StorageChange[],
  isOverSource: boolean,
): StorageTrie {
  let changed = storage;
  for (const { slot, value } of changes) {
    const key = keccak256(slot);
    if (value.length === 0 && !isOverSource) {
      changed = trieRemove(changed, key);
      continue;
    }
    const before = trieGet(changed, key);
    if (before !== undefined && equalBytes(before.value, value)) continue;
    // Versions of a state share the bytes of slots.
    const entry = { slot: before?.slot ?? slot.slice(), value: copyBytes(value) };
    changed = putBelow<StorageEntry>(changed, key, 0, entry);
  }
  return changed;
}

/** Returns the storage after the changes, or the same node. Over a storage source, zeros are kept. */
export function applyToStorage(
  storage: StorageTrie,
  changes: Iterable<StorageChange>,
  isOverSource: boolean,
): StorageTrie {
  const list = changes instanceof SlotChanges ? changes : Array.from(changes);
  if (Array.isArray(list) && list.length <= FEW_SLOTS) return withFewSlots(storage, list, isOverSource);
  const slots = SlotChanges.of(list);
  if (slots.count === 0) return storage;
  const keys = slots.hashes();
  const keyAt = (index: number): Uint8Array => keys.slice(index * HASH_SIZE, (index + 1) * HASH_SIZE);
  const entries = {
    keys,
    keyLength: HASH_SIZE,
    keyAt,
    valueAt: (index: number, before: StorageEntry | undefined): StorageEntry => {
      if (before !== undefined && slots.hasValue(index, before.value)) return before;
      // Versions of a state share the bytes of slots, addresses and keys, most of its size.
      return { slot: before?.slot ?? slots.slotAt(index), value: slots.valueAt(index) };
    },
  };
  if (isOverSource) return triePutPacked(storage, entries);
  let left = storage;
  const filled: number[] = [];
  for (let index = 0; index < slots.count; index++) {
    if (slots.isZero(index)) left = trieRemove(left, keyAt(index));
    else filled.push(index);
  }
  if (filled.length === slots.count) return triePutPacked(storage, entries);
  const filledAt = (index: number): number => filled[index] ?? 0;
  return triePutPacked(left, {
    keys: Buffer.concat(filled.map(keyAt)),
    keyLength: HASH_SIZE,
    keyAt: (index) => keyAt(filledAt(index)),
    valueAt: (index, before) => entries.valueAt(filledAt(index), before),
  });
}

/** Returns the account after the update; `null` if nothing changes. */
function changedAccount(entry: Account | undefined, update: AccountUpdate): Account | null {
  const { nonce, balance } = update;
  const before = present(entry);
  const code = update.code ?? before?.code ?? EMPTY_CODE;
  const address = before?.address ?? update.address;
  const kept = update.clearsStorage ? undefined : before;
  const { storageSource } = kept ?? {};
  const storage = applyToStorage(kept?.storage ?? null, update.storage, storageSource !== undefined);
  const isSame =
    before !== undefined &&
    before.nonce === nonce &&
    before.balance === balance &&
    before.storage === storage &&
    before.storageSource === storageSource &&
    (before.code === code || equalBytes(before.code.hash, code.hash));
  if (isSame) return null;
  const value = { address, nonce, balance, code, storage };
  return storageSource === undefined ? value : { ...value, storageSource };
}
