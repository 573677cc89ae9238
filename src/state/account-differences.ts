// The differences between the accounts of two states.

import { EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import {
  type Account,
  type Code,
  EMPTY_CODE,
  present,
  type StorageChange,
  type StorageTrie,
} from './account.ts';
import type { TrieLink } from './trie/trie-node.ts';
import { trieDifferences } from './trie/trie-walks.ts';

/** The difference between two states at one address. */
export interface AccountDifference {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** The account in the second state; `null` if it is deleted. */
  readonly becomes: AccountState | null;
}

export interface AccountState {
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  /** `null` if the code is unchanged. */
  readonly code: Code | null;
  /** The slots with different values, ordered by hash. */
  readonly storage: readonly StorageChange[];
}

/** Yields the accounts that differ between two state tries, ordered by the hash of the address. */
export function* accountDifferences(
  before: TrieLink<Account> | null,
  after: TrieLink<Account> | null,
  maxSlots: number,
): Generator<AccountDifference, void, undefined> {
  for (const pair of trieDifferences(before, after)) {
    const [accountBefore, accountAfter] = [present(pair.before), present(pair.after)];
    if (accountAfter !== undefined) {
      const becomes = accountDifference(accountBefore, accountAfter, maxSlots);
      if (becomes !== null) yield { address: accountAfter.address, becomes };
    } else if (accountBefore !== undefined) {
      yield { address: accountBefore.address, becomes: null };
    }
  }
}

/** `null` if the accounts are equal. */
function accountDifference(
  before: Account | undefined,
  after: Account,
  maxSlots: number,
): AccountState | null {
  const { nonce, balance } = after;
  const [storageBefore, codeBefore] = [before?.storage ?? null, before?.code ?? EMPTY_CODE];
  // Most changed accounts keep their storage and code.
  const storage =
    storageBefore === after.storage ? [] : storageDifferences(storageBefore, after.storage, maxSlots);
  const hasSameCode = codeBefore === after.code || equalBytes(codeBefore.hash, after.code.hash);
  const isSame = before?.nonce === nonce && before.balance === balance && hasSameCode && storage.length === 0;
  return isSame ? null : { nonce, balance, code: hasSameCode ? null : after.code, storage };
}

/** Returns at most `most` slots with different values, ordered by hash. */
function storageDifferences(before: StorageTrie, after: StorageTrie, most: number): StorageChange[] {
  const changes: StorageChange[] = [];
  for (const change of slotDifferences(before, after)) {
    if (changes.length === most) break;
    changes.push(change);
  }
  return changes;
}

/** Yields the slots with different values, ordered by hash. */
export function* slotDifferences(
  before: StorageTrie,
  after: StorageTrie,
): Generator<StorageChange, void, undefined> {
  for (const pair of trieDifferences(before, after)) {
    const entry = pair.after ?? pair.before;
    const value = pair.after?.value ?? EMPTY_BYTES;
    if (entry !== undefined && !equalBytes(pair.before?.value ?? EMPTY_BYTES, value))
      yield { slot: entry.slot, value };
  }
}
