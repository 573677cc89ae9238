// States in the JSON of dumps, as differences.

import { hexKey } from '../../primitives/hex.ts';
import { hexInSteps, type Steps } from '../../primitives/steps.ts';
import {
  type AccountUpdate,
  type Code,
  codeOf,
  EMPTY_CODE,
  type StorageChange,
} from '../../state/account.ts';
import type { AccountDifference } from '../../state/account-differences.ts';
import { applyChanges } from '../../state/apply-changes.ts';
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

interface CodeLine {
  readonly code: string;
}

/** A state difference as JSON (`null` for an unknown state) with the code lines that precede it. */
interface WrittenState {
  readonly codes: readonly CodeLine[];
  readonly state: Json | null;
}

/** Writes states as differences. Each code is written once, in a line before its first reference. */
export class StateWriter {
  readonly #written: Set<string>;

  /** `written` are the hashes of the codes that were written before. */
  constructor(written: Iterable<string> = []) {
    this.#written = new Set(written);
  }

  /** The hashes of the written codes, in order. */
  get written(): ReadonlySet<string> {
    return this.#written;
  }

  /** Returns the difference between two states, with lines for codes that were not written yet. */
  *difference(before: WorldState, after: WorldState): Steps<WrittenState> {
    if (!after.isKnown) return { codes: [], state: null };
    if (!after.isPartial) {
      // An account can have very many slots, so they are enumerated during writing.
      const slotsOf = ({ address }: AccountDifference): Iterable<StorageChange> =>
        after.slotsOtherThanIn(before, address);
      return yield* this.#whole(after.differencesFrom(before, 1), slotsOf);
    }
    const codes: CodeLine[] = [];
    const hashOf = this.#hashes(codes);
    const state = yield* accountsJson(localDifferences(before, after), function* ({ becomes }) {
      if (typeof becomes === 'string') return becomes === 'gone' ? null : UNWRITTEN;
      const { code, isOverSource, storage } = becomes;
      return accountJson(DUMP_ACCOUNT, {
        ...becomes,
        codeHash: yield* hashOf(code),
        isOverFork: isOverSource,
        storage: storage.length === 0 ? undefined : yield* storageJson(DUMP_FORK_STORAGE, storage),
      });
    });
    return { codes, state };
  }

  /** Like {@link difference}, for known differences of states without a source. */
  known(differences: readonly AccountDifference[]): Steps<WrittenState> {
    return this.#whole(differences, ({ becomes }) => becomes?.storage ?? []);
  }

  *#whole(
    differences: Iterable<AccountDifference>,
    slotsOf: (difference: AccountDifference) => Iterable<StorageChange>,
  ): Steps<WrittenState> {
    const codes: CodeLine[] = [];
    const hashOf = this.#hashes(codes);
    const state = yield* accountsJson(differences, function* (difference) {
      const { becomes } = difference;
      if (becomes === null) return null;
      const { code, storage } = becomes;
      return accountJson(DUMP_ACCOUNT, {
        ...becomes,
        codeHash: yield* hashOf(code),
        isOverFork: false,
        storage: storage.length === 0 ? undefined : yield* storageJson(DUMP_STORAGE, slotsOf(difference)),
      });
    });
    return { codes, state };
  }

  /** Returns a function that returns a code's hash and adds a line for a new code. */
  #hashes(codes: CodeLine[]): (code: Code | null) => Steps<Uint8Array | null> {
    const isNew = (code: Code): boolean => this.#isNew(code);
    return function* (code) {
      if (code !== null && isNew(code)) codes.push({ code: yield* hexInSteps(code.bytes) });
      return code?.hash ?? null;
    };
  }

  #isNew({ bytes, hash }: Code): boolean {
    const key = hexKey(hash);
    if (bytes.length === 0 || this.#written.has(key)) return false;
    this.#written.add(key);
    return true;
  }
}

/** Marks an account of a fork that was never written locally. */
const UNWRITTEN = 'fork';

/** Reads the lines of a {@link StateWriter}. */
export class StateReader {
  readonly #codes = new Map<string, Code>([[hexKey(EMPTY_CODE.hash), EMPTY_CODE]]);

  /** The hashes of the added codes, in order. The first one is the hash of empty code. */
  get codes(): ReadonlyMap<string, Code> {
    return this.#codes;
  }

  /** Adds code that later states refer to. */
  addCode(bytes: Uint8Array): void {
    const code = codeOf(bytes);
    this.#codes.set(hexKey(code.hash), code);
  }

  /** Returns the state after the differences. Throws an `InvalidDumpError`. */
  *apply(before: WorldState, differences: StrictValue): Steps<WorldState> {
    const { source } = before;
    if (source !== null) {
      const read = yield* readAccounts(differences, (address, value) =>
        this.#localDifference(address, value),
      );
      return yield* withLocalDifferences(before, source, read);
    }
    const deleted: Uint8Array[] = [];
    const updates = yield* readAccounts(differences, (address, value) => this.#update(address, value));
    const updated: AccountUpdate[] = [];
    for (const { address, update } of updates) {
      if (update === null) deleted.push(address);
      else updated.push(update);
    }
    return yield* applyChanges(before, { updated, deleted });
  }

  *#update(
    address: Uint8Array,
    value: StrictValue,
  ): Steps<{ readonly address: Uint8Array; readonly update: AccountUpdate | null }> {
    if (value.isNothing) return { address, update: null };
    const { nonce, balance, codeHash } = readAccount(DUMP_ACCOUNT, value);
    const code = this.#code(codeHash, value);
    const storage = yield* readStorage(DUMP_STORAGE, value.field('storage'));
    return { address, update: { address, nonce, balance, code, clearsStorage: false, storage } };
  }

  *#localDifference(address: Uint8Array, value: StrictValue): Steps<LocalDifference> {
    if (value.isNothing) return { address, becomes: 'gone' };
    if (value.json === UNWRITTEN) return { address, becomes: 'unwritten' };
    const { nonce, balance, codeHash, isOverFork } = readAccount(DUMP_ACCOUNT, value);
    const code = this.#code(codeHash, value);
    const storage = yield* readStorage(DUMP_FORK_STORAGE, value.field('storage'));
    return { address, becomes: { nonce, balance, code, isOverSource: isOverFork, storage } };
  }

  #code(hash: Uint8Array | null, account: StrictValue): Code | null {
    if (hash === null) return null;
    return (
      this.#codes.get(hexKey(hash)) ??
      account.field('codeHash').refuse('the hash of contract code on an earlier line')
    );
  }
}
