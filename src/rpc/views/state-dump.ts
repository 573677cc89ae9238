// A state as JSON, whole or page by page, in the forms of geth.

import { padLeft } from '../../primitives/bytes.ts';
import { hexKey, toHex } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import type { Task } from '../../primitives/task.ts';
import type { WorkPieces } from '../../primitives/work-pieces.ts';
import { type Account, type StorageTrie, storageRoot } from '../../state/account.ts';
import { trieValues } from '../../state/trie/trie.ts';
import { trieEntriesFrom } from '../../state/trie/trie-walks.ts';
import type { WorldState } from '../../state/world-state.ts';
import { accountJson, accountsJson, GETH_ACCOUNT, GETH_STORAGE, storageJson } from '../../wire/account.ts';
import type { Json } from '../../wire/values.ts';

const WORD = 32;

/** The optional parts of accounts that a dump shows. */
interface AccountParts {
  readonly hasCode: boolean;
  readonly hasStorage: boolean;
}

/** A page of accounts. */
export interface AccountPage extends AccountParts {
  /** The least hash of an address (32 bytes). */
  readonly start: Uint8Array;
  readonly limit: number;
}

/** Returns the slots of a storage as JSON in the order of their hashes, from the hash `start` (32 bytes) on, at most `limit`. */
export function storageRangeView(storage: StorageTrie, start: Uint8Array, limit: number): Json {
  const found: [string, { key: string; value: string }][] = [];
  for (const { key: hash, value: entry } of trieEntriesFrom(storage, start)) {
    if (found.length === limit) return { storage: Object.fromEntries(found), nextKey: toHex(hash) };
    found.push([toHex(hash), { key: toHex(entry.slot), value: toHex(padLeft(entry.value, WORD)) }]);
  }
  return { storage: Object.fromEntries(found), nextKey: null };
}

const EVERYTHING: AccountParts = { hasCode: true, hasStorage: true };

/** Returns a state as JSON, as geth dumps it: the root without `0x`, accounts by address. */
export function* stateDumpView(state: WorldState, pieces: WorkPieces): Task<Json> {
  return { root: hexKey(state.root), accounts: yield* accountsView(state.accounts(), EVERYTHING, pieces) };
}

/** Returns a page of a state in the form of {@link stateDumpView}, with the hash at which the next one begins in `next`. */
export function* accountRangeView(state: WorldState, page: AccountPage, pieces: WorkPieces): Task<Json> {
  const shown: Account[] = [];
  let next: Json = {};
  for (const account of state.accountsFrom(page.start)) {
    if (shown.length === page.limit) {
      next = { next: toHex(keccak256(account.address)) };
      break;
    }
    shown.push(account);
  }
  return { root: hexKey(state.root), accounts: yield* accountsView(shown, page, pieces), ...next };
}

function accountsView(
  accounts: Iterable<Account>,
  { hasCode, hasStorage }: AccountParts,
  pieces: WorkPieces,
): Task<Json> {
  return accountsJson(accounts, pieces, function* (account) {
    const { address, nonce, balance, code, storage } = account;
    const turn = hasCode ? pieces.spend(2 * code.bytes.length) : undefined;
    if (turn !== undefined) yield turn;
    return accountJson(GETH_ACCOUNT, {
      address,
      addressHash: keccak256(address),
      nonce,
      balance,
      code: hasCode ? code.bytes : NO_CODE,
      codeHash: code.hash,
      storageRoot: storageRoot(storage),
      storage: hasStorage ? yield* storageJson(GETH_STORAGE, trieValues(storage), pieces) : undefined,
    });
  });
}

const NO_CODE = new Uint8Array(0);
