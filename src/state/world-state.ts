import { EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import {
  type Account,
  encodeAccount,
  encodeStorageEntry,
  type StorageEntry,
  type StorageTrie,
} from './account.ts';
import { UnknownStateError } from './errors.ts';
import type { AccountUpdate, StateChanges, StorageChange } from './state-changes.ts';
import { type AccountDifference, accountDifferences } from './state-difference.ts';
import { trieGet, trieRemove, trieValues } from './trie.ts';
import { trieProof, trieRoot } from './trie-encoding.ts';
import type { TrieNode } from './trie-node.ts';
import { type TrieEntry, triePutAll } from './trie-put-all.ts';

/**
 * All accounts at one moment. It never changes: {@link WorldState.apply} gives another one, which shares all that did
 * not change with this one. Keeping a state costs a pointer, so a snapshot is one.
 */
export class WorldState {
  /** `undefined` for a state that nobody knows. */
  readonly #trie: TrieNode<Account> | null | undefined;

  /** States and overlays with the same stamp have the same content. Others may have, too. */
  readonly stamp: object;

  private constructor(trie: TrieNode<Account> | null | undefined, stamp: object = {}) {
    this.#trie = trie;
    this.stamp = stamp;
  }

  /** The state without accounts. */
  static empty(): WorldState {
    return new WorldState(null);
  }

  /**
   * A state that was not kept: every question about it throws {@link UnknownStateError}. Blocks that were made elsewhere
   * can come without theirs.
   */
  static unknown(): WorldState {
    return new WorldState(undefined);
  }

  /** False for a state that was not kept. */
  get isKnown(): boolean {
    return this.#trie !== undefined;
  }

  get #accounts(): TrieNode<Account> | null {
    if (this.#trie === undefined) throw new UnknownStateError();
    return this.#trie;
  }

  /** The root hash (32 bytes): the header's `stateRoot`. */
  get root(): Uint8Array {
    return trieRoot(this.#accounts, encodeAccount);
  }

  /** The account of an address (20 bytes); `undefined` when there is none. */
  account(address: Uint8Array): Account | undefined {
    return trieGet(this.#accounts, keccak256(address));
  }

  /** The value of a slot (32 bytes) of an account's storage, without leading zeros; empty when it is not set. */
  storageAt(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return storageValue(this.account(address)?.storage ?? null, slot);
  }

  /** All accounts, in the order of the hashes of their addresses. */
  accounts(): Iterable<Account> {
    return trieValues(this.#accounts);
  }

  /** The Merkle proof of an account, or that there is none: nodes from the state root down (EIP-1186). */
  accountProof(address: Uint8Array): Uint8Array[] {
    return trieProof(this.#accounts, keccak256(address), encodeAccount);
  }

  /** The Merkle proof of a slot (32 bytes) of an account: nodes from its storage root down (EIP-1186). */
  storageProof(address: Uint8Array, slot: Uint8Array): Uint8Array[] {
    return trieProof(this.account(address)?.storage ?? null, keccak256(slot), encodeStorageEntry);
  }

  /** The accounts that must change in the other state to make it this one, in the order of the hashes of addresses. */
  differencesFrom(before: WorldState): Iterable<AccountDifference> {
    return accountDifferences(before.#accounts, this.#accounts);
  }

  /**
   * The state after the changes, with that stamp; this very one when they change nothing. Keeps the arrays it is given.
   */
  apply(changes: StateChanges, stamp?: object): WorldState {
    let accounts = this.#accounts;
    for (const address of changes.deleted) accounts = trieRemove(accounts, keccak256(address));
    const changed: TrieEntry<Account>[] = [];
    for (const update of changes.updated) {
      const entry = changedAccount(accounts, update);
      if (entry !== null) changed.push(entry);
    }
    accounts = triePutAll(accounts, changed);
    return accounts === this.#trie ? this : new WorldState(accounts, stamp);
  }
}

/** The value of a slot (32 bytes), without leading zeros; empty when it is not set. */
export function storageValue(storage: StorageTrie, slot: Uint8Array): Uint8Array {
  return storage === null ? EMPTY_BYTES : (trieGet(storage, keccak256(slot))?.value ?? EMPTY_BYTES);
}

/** The storage after the changes; the same node when they change nothing. */
export function applyToStorage(storage: StorageTrie, changes: Iterable<StorageChange>): StorageTrie {
  let updated = storage;
  const entries: TrieEntry<StorageEntry>[] = [];
  for (const { slot, value } of changes) {
    const key = keccak256(slot);
    if (value.length === 0) updated = trieRemove(updated, key);
    else if (!equalBytes(trieGet(updated, key)?.value ?? EMPTY_BYTES, value)) {
      entries.push({ key, value: { slot, value } });
    }
  }
  return triePutAll(updated, entries);
}

/** The account as it is to stand in the trie; `null` when it stands there already. */
function changedAccount(
  accounts: TrieNode<Account> | null,
  update: AccountUpdate,
): TrieEntry<Account> | null {
  const { address, nonce, balance, code } = update;
  const key = keccak256(address);
  const before = trieGet(accounts, key);
  const storage = applyToStorage(update.clearsStorage ? null : (before?.storage ?? null), update.storage);
  const isSame =
    before !== undefined &&
    before.nonce === nonce &&
    before.balance === balance &&
    before.storage === storage &&
    equalBytes(before.code.hash, code.hash);
  return isSame ? null : { key, value: { address, nonce, balance, code, storage } };
}
