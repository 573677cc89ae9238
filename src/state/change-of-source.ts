// Local changes over another source: the state of the same chain after a later block.

import { equalBytes } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import type { Steps } from '../primitives/steps.ts';
import { type Account, EMPTY_CODE } from './account.ts';
import {
  type LocalAccount,
  type LocalDifference,
  type LocalSlot,
  localDifferences,
  withLocalDifferences,
} from './local-difference.ts';
import type { StateSource } from './state-source.ts';
import type { WorldState } from './world-state.ts';

/** Work units per account. */
const ACCOUNT_WORK = 64;

/** The nonces of an account on both sides. The higher one is used. */
export interface NonceConflict {
  /** 20 bytes. */
  readonly address: Uint8Array;
  readonly local: bigint;
  readonly source: bigint;
}

/** Returns other local slots of an account (20-byte address) in the new state. */
export type MapSlots = (address: Uint8Array, slots: readonly LocalSlot[]) => readonly LocalSlot[];

type AccountValues = Pick<Account, 'nonce' | 'balance' | 'code'>;

/** An account that a source does not have. Slots can be written to it. */
const ABSENT: AccountValues = { nonce: 0n, balance: 0n, code: EMPTY_CODE };

function areEqual(one: AccountValues, other: AccountValues): boolean {
  return (
    one.nonce === other.nonce && one.balance === other.balance && equalBytes(one.code.hash, other.code.hash)
  );
}

/**
 * Moves consecutive local states to another source. Accounts and slots that were written locally keep their
 * values, all others get the values of the new source. If only slots of an account were written, it gets the new
 * nonce, balance and code. An account with local changes gets the higher nonce.
 */
export class ChangeOfSource {
  readonly #from: StateSource;
  readonly #to: StateSource;
  /** By address, as {@link hexKey} formats it. */
  readonly #conflicts = new Map<string, NonceConflict>();

  constructor(from: StateSource, to: StateSource) {
    this.#from = from;
    this.#to = to;
  }

  /** The accounts of the states so far whose nonce in the new source is higher than the local one. */
  get conflicts(): Iterable<NonceConflict> {
    return this.#conflicts.values();
  }

  /**
   * Returns `state` over the new source. `before` and `moved` are the state below it, over the old and the new
   * source. Throws `MissingStateError` if an account must be fetched first.
   */
  *move(
    before: WorldState,
    state: WorldState,
    moved: WorldState,
    mapSlots: MapSlots = (_address, slots) => slots,
  ): Steps<WorldState> {
    if (state === before) return moved;
    const differences: LocalDifference[] = [];
    for (const { address, becomes } of localDifferences(before, state)) {
      const local = typeof becomes === 'string' ? undefined : state.localAccount(address);
      if (typeof becomes === 'string' || local === undefined) differences.push({ address, becomes });
      else {
        const storage = mapSlots(address, becomes.storage);
        differences.push({ address, becomes: { ...this.#moved(local, becomes), storage } });
      }
      yield ACCOUNT_WORK;
    }
    return yield* withLocalDifferences(moved, this.#to, differences);
  }

  #moved(local: Account, becomes: LocalAccount): LocalAccount {
    const { address } = local;
    const { nonce, balance, code } = this.#to.account(address) ?? ABSENT;
    const former = this.#from.account(address);
    if (areEqual(local, former ?? ABSENT)) {
      const isOverSource = becomes.isOverSource || former === undefined;
      return { ...becomes, nonce, balance, code, isOverSource };
    }
    if (nonce > local.nonce)
      this.#conflicts.set(hexKey(address), { address, local: local.nonce, source: nonce });
    else this.#conflicts.delete(hexKey(address));
    return { ...becomes, nonce: nonce > local.nonce ? nonce : local.nonce, code: local.code };
  }
}
