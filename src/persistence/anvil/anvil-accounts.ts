// Accounts in Anvil's state files.

import type { Task } from '../../primitives/task.ts';
import type { WorkPieces } from '../../primitives/work-pieces.ts';
import type { AccountUpdate, StorageChange } from '../../state/account.ts';
import { type Code, codeOf } from '../../state/account.ts';
import { applyInPieces } from '../../state/apply-in-pieces.ts';
import { WorldState } from '../../state/world-state.ts';
import {
  ANVIL_ACCOUNT,
  ANVIL_PAST_ACCOUNT,
  ANVIL_STORAGE,
  readAccount,
  readAccounts,
  readStorage,
} from '../../wire/account.ts';
import type { StrictValue } from '../../wire/strict-value.ts';

/** An account of an Anvil file. */
export interface AnvilAccount {
  readonly address: Uint8Array;
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  readonly code: Code;
  /** A part of its storage; other slots are unchanged. */
  readonly storage: readonly StorageChange[];
}

/** Returns the accounts of Anvil's file, or of the `alloc` of geth's genesis. Throws an `InvalidDumpError`. */
export function readAnvilAccounts(accounts: StrictValue, pieces: WorkPieces): Task<AnvilAccount[]> {
  return readAccounts(accounts, pieces, function* (address, value) {
    const { code, ...values } = readAccount(ANVIL_ACCOUNT, value);
    const storage = yield* readStorage(ANVIL_STORAGE, value.field('storage'), pieces);
    return { ...values, address, code: codeOf(code), storage };
  });
}

/**
 * Returns the state with the accounts laid over it, like Anvil: balance and code are the account's, the nonce is the
 * higher one, so that no address is used twice, and other slots are unchanged.
 */
export function* withAccounts(
  state: WorldState,
  accounts: readonly AnvilAccount[],
  pieces: WorkPieces,
): Task<WorldState> {
  return yield* applyInPieces(state, { updated: updatesOf(state, accounts), deleted: [] }, pieces);
}

function* updatesOf(
  state: WorldState,
  accounts: readonly AnvilAccount[],
): Generator<AccountUpdate, void, undefined> {
  for (const account of accounts) {
    const nonce = state.account(account.address)?.nonce ?? 0n;
    yield { ...account, nonce: nonce > account.nonce ? nonce : account.nonce, clearsStorage: false };
  }
}

/** Returns a state of Anvil's `historical_states`. Throws an `InvalidDumpError`. */
export function* readHistoricalState(state: StrictValue, pieces: WorkPieces): Task<WorldState> {
  const storages = state.field('storage');
  const updated = yield* readAccounts(state.field('accounts'), pieces, function* (address, value, name) {
    const { code, ...values } = readAccount(ANVIL_PAST_ACCOUNT, value);
    const storage = yield* readStorage(ANVIL_STORAGE, storages.field(name), pieces);
    return { ...values, address, code: codeOf(code), storage, clearsStorage: false };
  });
  return yield* applyInPieces(WorldState.empty(), { updated, deleted: [] }, pieces);
}
