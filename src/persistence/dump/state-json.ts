// States in the JSON of dumps, written as differences.

import { hexKey, toHex } from '../../primitives/hex.ts';
import type { Task } from '../../primitives/task.ts';
import type { WorkPieces } from '../../primitives/work-pieces.ts';
import { type AccountUpdate, type Code, codeOf, EMPTY_CODE } from '../../state/account.ts';
import { applyInPieces } from '../../state/apply-in-pieces.ts';
import {
  type LocalDifference,
  localDifferences,
  withLocalDifferences,
} from '../../state/local-difference.ts';
import type { WorldState } from '../../state/world-state.ts';
import {
  accountJson,
  accountsJson,
  DUMP_ACCOUNT,
  DUMP_FORK_STORAGE,
  DUMP_STORAGE,
  readAccount,
  readAccounts,
  readStorage,
  storageJson,
} from '../../wire/account.ts';
import type { StrictValue } from '../../wire/strict-value.ts';
import type { Json } from '../../wire/values.ts';

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
  ): Task<{ readonly codes: Record<string, unknown>[]; readonly state: Json | null }> {
    const codes: Record<string, unknown>[] = [];
    if (!after.isKnown) return { codes, state: null };
    const hashOf = (code: Code | null): Uint8Array | null => {
      if (code !== null && this.#isNew(code)) codes.push({ code: toHex(code.bytes) });
      return code?.hash ?? null;
    };
    const state = after.isPartial
      ? yield* accountsJson(localDifferences(before, after), pieces, function* ({ becomes }) {
          if (typeof becomes === 'string') return becomes === 'gone' ? null : UNWRITTEN;
          const { code, isOverSource, storage } = becomes;
          return accountJson(DUMP_ACCOUNT, {
            ...becomes,
            codeHash: hashOf(code),
            isOverFork: isOverSource,
            storage:
              storage.length === 0 ? undefined : yield* storageJson(DUMP_FORK_STORAGE, storage, pieces),
          });
        })
      : yield* accountsJson(after.differencesFrom(before), pieces, function* ({ becomes }) {
          if (becomes === null) return null;
          const { code, storage } = becomes;
          return accountJson(DUMP_ACCOUNT, {
            ...becomes,
            codeHash: hashOf(code),
            isOverFork: false,
            storage: storage.length === 0 ? undefined : yield* storageJson(DUMP_STORAGE, storage, pieces),
          });
        });
    return { codes, state };
  }

  #isNew({ bytes, hash }: Code): boolean {
    const key = hexKey(hash);
    if (bytes.length === 0 || this.#written.has(key)) return false;
    this.#written.add(key);
    return true;
  }
}

/** Marks, in a difference, an account of a fork that was never written locally. */
const UNWRITTEN = 'fork';

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
    const { source } = before;
    if (source !== null) {
      const read = yield* readAccounts(differences, pieces, (address, value) =>
        this.#localDifference(address, value, pieces),
      );
      return yield* withLocalDifferences(before, source, read, pieces);
    }
    const deleted: Uint8Array[] = [];
    const updates = yield* readAccounts(differences, pieces, (address, value) =>
      this.#update(address, value, pieces),
    );
    const updated: AccountUpdate[] = [];
    for (const { address, update } of updates) {
      if (update === null) deleted.push(address);
      else updated.push(update);
    }
    return yield* applyInPieces(before, { updated, deleted }, pieces);
  }

  *#update(
    address: Uint8Array,
    value: StrictValue,
    pieces: WorkPieces,
  ): Task<{ readonly address: Uint8Array; readonly update: AccountUpdate | null }> {
    if (value.isNothing) return { address, update: null };
    const { nonce, balance, codeHash } = readAccount(DUMP_ACCOUNT, value);
    const code = this.#code(codeHash, value);
    const storage = yield* readStorage(DUMP_STORAGE, value.field('storage'), pieces);
    return { address, update: { address, nonce, balance, code, clearsStorage: false, storage } };
  }

  *#localDifference(address: Uint8Array, value: StrictValue, pieces: WorkPieces): Task<LocalDifference> {
    if (value.isNothing) return { address, becomes: 'gone' };
    if (value.json === UNWRITTEN) return { address, becomes: 'unwritten' };
    const { nonce, balance, codeHash, isOverFork } = readAccount(DUMP_ACCOUNT, value);
    const code = this.#code(codeHash, value);
    const storage = yield* readStorage(DUMP_FORK_STORAGE, value.field('storage'), pieces);
    return { address, becomes: { nonce, balance, code, isOverSource: isOverFork, storage } };
  }

  #code(hash: Uint8Array | null, account: StrictValue): Code | null {
    if (hash === null) return null;
    return (
      this.#codes.get(hexKey(hash)) ?? account.field('codeHash').refuse('the hash of a code that came before')
    );
  }
}
