// States in the JSON of dumps, written as differences.

import { bigIntToBytes, bytesToBigInt } from '../../primitives/bytes.ts';
import { hexKey, toHex, toQuantity } from '../../primitives/hex.ts';
import type { Task } from '../../primitives/task.ts';
import { mapInPieces, type WorkPieces } from '../../primitives/work-pieces.ts';
import type { AccountUpdate, StorageChange } from '../../state/account.ts';
import { type Code, codeOf, EMPTY_CODE } from '../../state/account.ts';
import { applyInPieces } from '../../state/apply-in-pieces.ts';
import {
  type LocalDifference,
  type LocalSlot,
  localDifferences,
  withLocalDifferences,
} from '../../state/local-difference.ts';
import type { WorldState } from '../../state/world-state.ts';
import { readPadded, type StrictValue } from '../../wire/strict-value.ts';

/** Units of work for reading or writing a slot, and an account without its slots. */
const SLOT_WORK = 128;
const ACCOUNT_WORK = 256;

/** Writes states as their differences; code is written once, in a line of its own before the first reference to it. */
export class StateWriter {
  readonly #written = new Set<string>();

  /**
   * Yields lines of code that was not written before, and returns the difference between the state and the previous
   * one.
   */
  *difference(
    before: WorldState,
    after: WorldState,
    pieces: WorkPieces,
  ): Task<{ readonly codes: Record<string, unknown>[]; readonly state: Record<string, unknown> | null }> {
    const codes: Record<string, unknown>[] = [];
    if (!after.isKnown) return { codes, state: null };
    if (after.isPartial) return this.#localDifference(before, after);
    const state: Record<string, unknown> = {};
    for (const { address, becomes } of after.differencesFrom(before)) {
      const turn = pieces.spend(ACCOUNT_WORK);
      if (turn !== undefined) yield turn;
      if (becomes === null) {
        state[toHex(address)] = null;
        continue;
      }
      const { nonce, balance, code, storage } = becomes;
      const account: Record<string, unknown> = { nonce: toQuantity(nonce), balance: toQuantity(balance) };
      if (code !== null) {
        if (this.#isNew(code)) codes.push({ code: toHex(code.bytes) });
        account.codeHash = toHex(code.hash);
      }
      if (storage.length > 0) account.storage = yield* storageJson(storage, pieces);
      state[toHex(address)] = account;
    }
    return { codes, state };
  }

  #localDifference(
    before: WorldState,
    after: WorldState,
  ): { readonly codes: Record<string, unknown>[]; readonly state: Record<string, unknown> } {
    const codes: Record<string, unknown>[] = [];
    const state: Record<string, unknown> = {};
    for (const { address, becomes } of localDifferences(before, after)) {
      if (typeof becomes === 'string') {
        state[toHex(address)] = becomes === 'gone' ? null : ELSEWHERE;
        continue;
      }
      const { nonce, balance, code, isOverElsewhere, storage } = becomes;
      const account: Record<string, unknown> = { nonce: toQuantity(nonce), balance: toQuantity(balance) };
      if (code !== null) {
        if (this.#isNew(code)) codes.push({ code: toHex(code.bytes) });
        account.codeHash = toHex(code.hash);
      }
      if (isOverElsewhere) account.isOverFork = true;
      if (storage.length > 0) account.storage = localStorageJson(storage);
      state[toHex(address)] = account;
    }
    return { codes, state };
  }

  #isNew({ bytes, hash }: Code): boolean {
    const key = hexKey(hash);
    if (bytes.length === 0 || this.#written.has(key)) return false;
    this.#written.add(key);
    return true;
  }
}

function* storageJson(storage: readonly StorageChange[], pieces: WorkPieces): Task<Record<string, unknown>> {
  const quantity = (bytes: Uint8Array) => toQuantity(bytesToBigInt(bytes));
  const json: Record<string, unknown> = {};
  for (const { slot, value } of storage) {
    json[quantity(slot)] = quantity(value);
    const turn = pieces.spend(SLOT_WORK);
    if (turn !== undefined) yield turn;
  }
  return json;
}

function localStorageJson(storage: readonly LocalSlot[]): Record<string, unknown> {
  const quantity = (bytes: Uint8Array) => toQuantity(bytesToBigInt(bytes));
  return Object.fromEntries(
    storage.map(({ slot, value }) => [quantity(slot), value === null ? null : quantity(value)]),
  );
}

/** Marks, in a difference, an account of a fork that was never written locally. */
const ELSEWHERE = 'fork';

/** Reads the lines of a {@link StateWriter}. */
export class StateReader {
  readonly #codes = new Map<string, Code>([[hexKey(EMPTY_CODE.hash), EMPTY_CODE]]);

  /** Adds code that later states refer to. */
  addCode(bytes: Uint8Array): void {
    const code = codeOf(bytes);
    this.#codes.set(hexKey(code.hash), code);
  }

  /** Returns the state after the differences. Throws an `InvalidDumpError`. */
  *apply(before: WorldState, differences: StrictValue, pieces: WorkPieces): Task<WorldState> {
    const { elsewhere } = before;
    const names = differences.names();
    if (elsewhere !== null) {
      const work = () => ACCOUNT_WORK;
      const read = yield* mapInPieces(names, pieces, work, (name) =>
        this.#localDifference(differences, name),
      );
      return yield* withLocalDifferences(before, elsewhere, read, pieces);
    }
    const updated: AccountUpdate[] = [];
    const deleted: Uint8Array[] = [];
    for (const name of names) {
      const turn = pieces.spend(ACCOUNT_WORK);
      if (turn !== undefined) yield turn;
      const value = differences.field(name);
      const address = readAddress(name, differences);
      if (value.isNothing) deleted.push(address);
      else updated.push(yield* this.#update(before, address, value, pieces));
    }
    return yield* applyInPieces(before, { updated, deleted }, pieces);
  }

  *#update(
    before: WorldState,
    address: Uint8Array,
    value: StrictValue,
    pieces: WorkPieces,
  ): Task<AccountUpdate> {
    const storage = value.field('storage');
    return {
      address,
      nonce: value.field('nonce').quantity(64),
      balance: value.field('balance').quantity(),
      code: this.#code(value.field('codeHash')) ?? before.account(address)?.code ?? EMPTY_CODE,
      clearsStorage: false,
      storage: storage.isNothing ? [] : yield* readStorage(storage, pieces),
    };
  }

  #localDifference(differences: StrictValue, name: string): LocalDifference {
    const address = readAddress(name, differences);
    const value = differences.field(name);
    if (value.isNothing) return { address, becomes: 'gone' };
    if (value.json === ELSEWHERE) return { address, becomes: 'elsewhere' };
    const storage = value.field('storage');
    return {
      address,
      becomes: {
        nonce: value.field('nonce').quantity(64),
        balance: value.field('balance').quantity(),
        code: this.#code(value.field('codeHash')),
        isOverElsewhere: value.field('isOverFork').orNull((isOver) => isOver.flag()) ?? false,
        storage: storage.isNothing ? [] : readLocalStorage(storage),
      },
    };
  }

  #code(value: StrictValue): Code | null {
    return value.orNull(
      (hash) => this.#codes.get(hexKey(hash.bytes(32))) ?? hash.refuse('the hash of a code that came before'),
    );
  }
}

/** The address that the name of a field of `owner` spells. */
export function readAddress(name: string, owner: StrictValue): Uint8Array {
  const address = name.length === 42 ? readPadded(name, 20) : undefined;
  return address ?? owner.refuse(`addresses as names, not ${JSON.stringify(name.slice(0, 80))}`);
}

function readSlot(name: string, storage: StrictValue): Uint8Array {
  return readPadded(name, 32) ?? storage.refuse(`slots as names, not ${JSON.stringify(name.slice(0, 80))}`);
}

function readLocalStorage(storage: StrictValue): LocalSlot[] {
  return storage.names().map((name) => ({
    slot: readSlot(name, storage),
    value: storage.field(name).orNull((value) => bigIntToBytes(value.quantity())),
  }));
}

/** The slots and values of an object that has a field for each slot; both in DATA or QUANTITY of up to 32 bytes. */
export function* readStorage(storage: StrictValue, pieces: WorkPieces): Task<StorageChange[]> {
  return yield* mapInPieces(
    storage.names(),
    pieces,
    () => SLOT_WORK,
    (name) => ({ slot: readSlot(name, storage), value: bigIntToBytes(storage.field(name).quantity()) }),
  );
}
