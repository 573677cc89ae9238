// Accounts in Anvil's state files.

import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import type { Task } from '../../primitives/task.ts';
import type { WorkPieces } from '../../primitives/work-pieces.ts';
import type { AccountUpdate, StorageChange } from '../../state/account.ts';
import { type Code, codeOf } from '../../state/account.ts';
import { applyInPieces } from '../../state/apply-in-pieces.ts';
import { WorldState } from '../../state/world-state.ts';
import type { StrictValue } from '../../wire/strict-value.ts';
import { readAddress, readStorage } from '../dump/state-json.ts';

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

/** The accounts by address in Anvil's file, geth's genesis `alloc` among them. Throws an `InvalidDumpError`. */
export function* readAccounts(accounts: StrictValue, pieces: WorkPieces): Task<AnvilAccount[]> {
  const read: AnvilAccount[] = [];
  for (const name of accounts.names()) {
    const turn = pieces.spend(ENTRY_WORK);
    if (turn !== undefined) yield turn;
    read.push(yield* readAccount(readAddress(name, accounts), accounts.field(name), pieces));
  }
  return read;
}

/** Units of work for reading an account without its storage. */
const ENTRY_WORK = 256;

function* readAccount(address: Uint8Array, value: StrictValue, pieces: WorkPieces): Task<AnvilAccount> {
  const storage = value.field('storage');
  return {
    address,
    nonce: value.field('nonce').orNull((nonce) => nonce.quantity(64)) ?? 0n,
    balance: value.field('balance').quantity(),
    code: codeOf(value.field('code').orNull((code) => code.bytes()) ?? EMPTY_BYTES),
    storage: storage.isNothing ? [] : yield* readStorage(storage, pieces),
  };
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

/** The state of Anvil's `historical_states`. Throws an `InvalidDumpError`. */
export function* readHistoricalState(value: StrictValue, pieces: WorkPieces): Task<WorldState> {
  const accounts = value.field('accounts');
  const storage = value.field('storage');
  const updated: AccountUpdate[] = [];
  for (const name of accounts.names()) {
    const account = accounts.field(name);
    const slots = storage.field(name);
    const turn = pieces.spend(ENTRY_WORK);
    if (turn !== undefined) yield turn;
    updated.push({
      address: readAddress(name, accounts),
      nonce: account.field('nonce').quantity(64),
      balance: account.field('balance').quantity(),
      code: codeOf(readHistoricalCode(account.field('code'))),
      clearsStorage: false,
      storage: slots.isNothing ? [] : yield* readStorage(slots, pieces),
    });
  }
  return yield* applyInPieces(WorldState.empty(), { updated, deleted: [] }, pieces);
}

/** Code with the padding that Anvil's interpreter adds, which is taken off again. */
function readHistoricalCode(value: StrictValue): Uint8Array {
  if (value.isNothing) return EMPTY_BYTES;
  const analyzed = value.field('LegacyAnalyzed');
  if (!analyzed.isNothing) {
    return analyzed.field('bytecode').bytes().subarray(0, analyzed.field('original_len').count());
  }
  const raw = value.field('LegacyRaw');
  if (!raw.isNothing) return raw.bytes();
  const delegation = value.field('Eip7702');
  return delegation.isNothing
    ? value.refuse('code in the form LegacyAnalyzed, LegacyRaw or Eip7702')
    : delegation.field('raw').bytes();
}
