// Finds the state changes of consecutive blocks without computing each state.

import { compareBytes, EMPTY_BYTES } from '../primitives/bytes.ts';
import { bytesKey } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import type { Steps } from '../primitives/steps.ts';
import {
  type AccountUpdate,
  type Code,
  EMPTY_CODE,
  type StateChanges,
  type StorageChange,
  type StorageTrie,
} from '../state/account.ts';
import { type AccountDifference, type AccountState, slotDifferences } from '../state/account-differences.ts';
import { applyChanges } from '../state/apply-changes.ts';
import { applyToStorage, storedValue, type WorldState } from '../state/world-state.ts';
import type { DifferenceChanges } from './state-differences.ts';
import type { StateWalk } from './state-history.ts';

/** Work units for reading and reverting an account or slot of an archived state. */
const CHANGE_WORK = 512;

/** An account as it was after a block, on the way down from a state. */
interface PastAccount {
  readonly address: Uint8Array;
  /** `null` if the account did not exist. */
  readonly values: { readonly nonce: bigint; readonly balance: bigint; readonly code: Code } | null;
  /** Storage at the start of the walk. `null` once the account did not exist; then `wasAbsent` is true. */
  readonly base: StorageTrie;
  readonly wasAbsent: boolean;
  /** The slots that differ from that storage. */
  readonly slots: Map<string, StorageChange>;
}

/** The part of a compact history that a walk reads. */
interface WalkedHistory {
  at(index: number): WorldState;
  isFull(index: number): boolean;
  changesFromAbove(index: number): DifferenceChanges | null;
}

/**
 * The changes of the blocks of a history. The history stores differences that lead from each state down to
 * the one below. With the values of a full state, the reverse differences can be computed. A walk goes up
 * through the history, which must not change meanwhile. It caches the changes up to the next full state.
 */
export class ChangesWalk implements StateWalk {
  readonly #history: WalkedHistory;
  /** The index of the first cached change. */
  #first = 0;
  #found: readonly (readonly AccountDifference[])[] = [];

  constructor(history: WalkedHistory) {
    this.#history = history;
  }

  /** Computes all changes up to the next full state, and yields meanwhile. */
  *changes(index: number): Steps<readonly AccountDifference[] | null> {
    const kept = this.#found[index - this.#first];
    if (index >= this.#first && kept !== undefined) return kept;
    if (index === 0 || this.#history.changesFromAbove(index - 1) === null) return null;
    const full = this.#fullAbove(index);
    const accounts = new PastAccounts(this.#history.at(full));
    this.#found = yield* this.#changesBelow(accounts, full, index);
    this.#first = index;
    return this.#found[0] ?? null;
  }

  *state(index: number): Steps<WorldState> {
    const full = this.#fullAbove(index);
    const state = this.#history.at(full);
    if (full === index) return state;
    const accounts = new PastAccounts(state);
    yield* this.#changesBelow(accounts, full, index + 1);
    return yield* applyChanges(state, accounts.changes());
  }

  #fullAbove(index: number): number {
    let full = index;
    while (!this.#history.isFull(full)) full++;
    return full;
  }

  /** Returns the changes from index `first` up to a full state. */
  *#changesBelow(accounts: PastAccounts, full: number, first: number): Steps<AccountDifference[][]> {
    const found: AccountDifference[][] = [];
    for (let index = full; index >= first; index--) {
      const below = this.#history.changesFromAbove(index - 1);
      if (below === null) throw new RangeError(`there is no difference of states at ${index - 1}`);
      const changes: AccountDifference[] = [];
      for (const address of below.deleted) {
        changes.push({ address, becomes: accounts.removed(address) });
        yield CHANGE_WORK;
      }
      for (const update of below.updated) {
        changes.push({ address: update.address, becomes: accounts.changedBack(update) });
        yield CHANGE_WORK * (1 + update.storage.length);
      }
      const isMixed = below.deleted.length > 0 && below.updated.length > 0;
      found.push(isMixed ? inOrder(changes) : changes);
    }
    return found.reverse();
  }
}

/** Sorts the differences by the hash of their address. */
function inOrder(differences: readonly AccountDifference[]): AccountDifference[] {
  return differences
    .map((difference) => ({ key: keccak256(difference.address), difference }))
    .sort((one, other) => compareBytes(one.key, other.key))
    .map(({ difference }) => difference);
}

/** Accounts as they were after each block, from a state downwards. */
class PastAccounts {
  readonly #state: WorldState;
  readonly #known = new Map<string, PastAccount>();

  constructor(state: WorldState) {
    this.#state = state;
  }

  #account(key: string, address: Uint8Array): PastAccount {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const account = this.#state.account(address);
    const base = account?.storage ?? null;
    return { address, values: account ?? null, base, wasAbsent: false, slots: new Map() };
  }

  /** Returns the changes from the initial state to the present accounts. */
  changes(): StateChanges {
    const updated: AccountUpdate[] = [];
    const deleted: Uint8Array[] = [];
    for (const { address, values, wasAbsent, slots } of this.#known.values()) {
      if (values === null) deleted.push(address);
      else {
        const { nonce, balance, code } = values;
        updated.push({ address, nonce, balance, code, clearsStorage: wasAbsent, storage: slots.values() });
      }
    }
    return { updated, deleted };
  }

  /** Reverts the creation of the account. Returns the created account. */
  removed(address: Uint8Array): AccountState | null {
    const key = bytesKey(address);
    const { values, base, slots } = this.#account(key, address);
    this.#known.set(key, { address, values: null, base: null, wasAbsent: true, slots: new Map() });
    if (values === null) return null;
    const storage = slots.size === 0 ? base : applyToStorage(base, slots.values(), false);
    return {
      nonce: values.nonce,
      balance: values.balance,
      code: values.code.bytes.length === 0 ? null : values.code,
      storage: Array.from(slotDifferences(null, storage)),
    };
  }

  /** Applies the update that reverts a change. Returns the account after the change. */
  changedBack({ address, nonce, balance, code, storage }: AccountUpdate): AccountState | null {
    const key = bytesKey(address);
    const { values, base, wasAbsent, slots } = this.#account(key, address);
    const changes: StorageChange[] = [];
    for (const change of storage) {
      const slotKey = bytesKey(change.slot);
      const value = slots.get(slotKey)?.value ?? storedValue(base, change.slot) ?? EMPTY_BYTES;
      changes.push({ slot: change.slot, value });
      slots.set(slotKey, change);
    }
    this.#known.set(key, {
      address,
      values: { nonce, balance, code: code ?? values?.code ?? EMPTY_CODE },
      base,
      wasAbsent,
      slots,
    });
    if (values === null) return null;
    return {
      nonce: values.nonce,
      balance: values.balance,
      code: code === null ? null : values.code,
      storage: changes,
    };
  }
}
