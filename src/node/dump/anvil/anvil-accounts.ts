import { EMPTY_BYTES } from '../../../primitives/bytes.ts';
import { type Code, codeOf } from '../../../state/account.ts';
import type { StorageChange } from '../../../state/state-changes.ts';
import { WorldState } from '../../../state/world-state.ts';
import type { DumpValue } from '../dump-value.ts';
import { readAddress, readStorage } from '../state-json.ts';

/** An account of Anvil's file. */
export interface AnvilAccount {
  readonly address: Uint8Array;
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  readonly code: Code;
  /** Not all of its storage: what it does not tell stays what it is. */
  readonly storage: readonly StorageChange[];
}

/** The accounts by address in Anvil's file, geth's genesis `alloc` among them. Throws an `InvalidDumpError`. */
export function readAccounts(accounts: DumpValue): AnvilAccount[] {
  return accounts.names().map((name) => readAccount(readAddress(name, accounts), accounts.field(name)));
}

function readAccount(address: Uint8Array, value: DumpValue): AnvilAccount {
  const storage = value.field('storage');
  return {
    address,
    nonce: value.field('nonce').orNull((nonce) => nonce.quantity(64)) ?? 0n,
    balance: value.field('balance').quantity(),
    code: codeOf(value.field('code').orNull((code) => code.bytes()) ?? EMPTY_BYTES),
    storage: storage.isNothing ? [] : readStorage(storage),
  };
}

/**
 * The state with the accounts laid over it, as Anvil does: balance and code are the account's, the nonce is the higher
 * one, so that no address is used twice, and slots that the account does not tell stay.
 */
export function withAccounts(state: WorldState, accounts: readonly AnvilAccount[]): WorldState {
  const updated = accounts.map((account) => {
    const nonce = state.account(account.address)?.nonce ?? 0n;
    return { ...account, nonce: nonce > account.nonce ? nonce : account.nonce, clearsStorage: false };
  });
  return state.apply({ updated, deleted: [] });
}

/** The state of Anvil's `historical_states`. Throws an `InvalidDumpError`. */
export function readHistoricalState(value: DumpValue): WorldState {
  const accounts = value.field('accounts');
  const storage = value.field('storage');
  const updated = accounts.names().map((name) => {
    const account = accounts.field(name);
    const slots = storage.field(name);
    return {
      address: readAddress(name, accounts),
      nonce: account.field('nonce').quantity(64),
      balance: account.field('balance').quantity(),
      code: codeOf(readHistoricalCode(account.field('code'))),
      clearsStorage: false,
      storage: slots.isNothing ? [] : readStorage(slots),
    };
  });
  return WorldState.empty().apply({ updated, deleted: [] });
}

/** Code with the padding that Anvil's interpreter adds, which is taken off again. */
function readHistoricalCode(value: DumpValue): Uint8Array {
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
