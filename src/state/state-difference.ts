import { EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { type Account, type Code, EMPTY_CODE, type StorageTrie } from './account.ts';
import type { StorageChange } from './state-changes.ts';
import { trieDifferences } from './trie/trie-difference.ts';
import type { TrieLink } from './trie/trie-node.ts';

/** How an account of one state differs from what another state holds at its address. */
export interface AccountDifference {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** What the account becomes; `null` when it is gone. */
  readonly becomes: AccountState | null;
}

/** An account as it stands after a difference. */
export interface AccountState {
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  /** `null` when the code stays what it was. */
  readonly code: Code | null;
  /** The slots with other values than before, in the order of their hashes. */
  readonly storage: readonly StorageChange[];
}

/** The accounts in which two state tries differ by what they hold, in the order of the hashes of their addresses. */
export function* accountDifferences(
  before: TrieLink<Account> | null,
  after: TrieLink<Account> | null,
): Generator<AccountDifference, void, undefined> {
  for (const pair of trieDifferences(before, after)) {
    const [accountBefore, accountAfter] = [present(pair.before), present(pair.after)];
    if (accountAfter !== undefined) {
      const becomes = accountDifference(accountBefore, accountAfter);
      if (becomes !== null) yield { address: accountAfter.address, becomes };
    } else if (accountBefore !== undefined) {
      yield { address: accountBefore.address, becomes: null };
    }
  }
}

/** The account, unless it is one that is gone. */
export function present(account: Account | undefined): Account | undefined {
  return account?.isGone === true ? undefined : account;
}

/** `null` when both hold the same. */
function accountDifference(before: Account | undefined, after: Account): AccountState | null {
  const { nonce, balance } = after;
  const storage = Array.from(storageDifferences(before?.storage ?? null, after.storage));
  const hasSameCode = equalBytes((before?.code ?? EMPTY_CODE).hash, after.code.hash);
  const isSame = before?.nonce === nonce && before.balance === balance && hasSameCode && storage.length === 0;
  return isSame ? null : { nonce, balance, code: hasSameCode ? null : after.code, storage };
}

function* storageDifferences(before: StorageTrie, after: StorageTrie): Generator<StorageChange> {
  for (const pair of trieDifferences(before, after)) {
    const entry = pair.after ?? pair.before;
    if (entry === undefined) continue;
    const value = pair.after?.value ?? EMPTY_BYTES;
    if (!equalBytes(pair.before?.value ?? EMPTY_BYTES, value)) yield { slot: entry.slot, value };
  }
}
