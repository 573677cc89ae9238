import { bigIntToBytes, bytesToBigInt, EMPTY_BYTES, equalBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import type { RlpItem } from '../../primitives/rlp.ts';
import {
  type Account,
  type Code,
  EMPTY_CODE,
  encodeAccount,
  encodeStorageEntry,
  type StorageEntry,
} from '../account.ts';
import { MissingRecordError, StateRecordError } from '../errors.ts';
import { trieRoot } from '../trie/trie-node.ts';
import { WorldState } from '../world-state.ts';
import { type RecordStore, TrieStore } from './trie-store.ts';

function codeKey(hash: Uint8Array): string {
  return `c${hexKey(hash)}`;
}

/** Code that is read on first access. */
class StoredCode implements Code {
  readonly hash: Uint8Array;
  readonly #records: RecordStore;
  #bytes: Uint8Array | undefined;

  constructor(hash: Uint8Array, records: RecordStore) {
    this.hash = hash;
    this.#records = records;
  }

  /** Throws a {@link MissingRecordError}. */
  get bytes(): Uint8Array {
    this.#bytes ??= this.#records.getSync(codeKey(this.hash));
    if (this.#bytes === undefined) throw new MissingRecordError('code', this.hash);
    return this.#bytes;
  }
}

/** The codes of contracts in a store, by their hashes. */
class CodeStore {
  readonly #records: RecordStore;
  /** Codes that are known to be stored. */
  readonly #stored = new WeakSet<Code>([EMPTY_CODE]);

  constructor(records: RecordStore) {
    this.#records = records;
  }

  /** Puts the code unless the store has it. */
  keep(code: Code): void {
    if (this.#stored.has(code)) return;
    this.#stored.add(code);
    if (code.bytes.length > 0) this.#records.put(codeKey(code.hash), code.bytes);
  }

  /** Returns the code with that hash; the empty code for `null`. */
  open(hash: Uint8Array | null): Code {
    if (hash === null) return EMPTY_CODE;
    const code = new StoredCode(hash, this.#records);
    this.#stored.add(code);
    return code;
  }
}

const EMPTY_ROOT = trieRoot(null, () => EMPTY_BYTES);

function fieldsOf(item: RlpItem): readonly Uint8Array[] {
  if (item instanceof Uint8Array) throw new StateRecordError('a value is bytes where it should be a list');
  return item.map((field) => {
    if (field instanceof Uint8Array) return field;
    throw new StateRecordError('a value has a list where bytes belong');
  });
}

/**
 * States in a store. Keeping one puts only what is missing: after a block, the nodes on the paths to its changes. An
 * opened state reads its nodes on access and then keeps them in memory. Nothing is ever deleted, as it is not known
 * which nodes other states need.
 */
export class StateStore {
  readonly #codes: CodeStore;
  readonly #storages: TrieStore<StorageEntry>;
  readonly #accounts: TrieStore<Account>;

  constructor(records: RecordStore) {
    this.#codes = new CodeStore(records);
    this.#storages = new TrieStore(records, {
      encode: encodeStorageEntry,
      keep: ({ slot, value }) => [slot, value],
      open: (item) => readStorageEntry(item),
    });
    this.#accounts = new TrieStore(records, {
      encode: encodeAccount,
      keep: (account) => this.#keepAccount(account),
      open: (item) => this.#openAccount(item),
    });
  }

  /**
   * Puts the missing parts of the state; returns the root (32 bytes) to open it with. Throws an `UnknownStateError`.
   */
  keep(state: WorldState): Uint8Array {
    return this.#accounts.keep(state.trie);
  }

  /**
   * Returns the state with that root, which must have been kept. Reading a missing part throws a `MissingRecordError`.
   */
  open(root: Uint8Array): WorldState {
    return equalBytes(root, EMPTY_ROOT) ? WorldState.empty() : WorldState.of(this.#accounts.open(root));
  }

  #keepAccount({ address, nonce, balance, code, storage }: Account): RlpItem {
    this.#codes.keep(code);
    return [
      address,
      bigIntToBytes(nonce),
      bigIntToBytes(balance),
      storage === null ? EMPTY_BYTES : this.#storages.keep(storage),
      equalBytes(code.hash, EMPTY_CODE.hash) ? EMPTY_BYTES : code.hash,
    ];
  }

  #openAccount(item: RlpItem): { readonly key: Uint8Array; readonly value: Account } {
    const [address, nonce, balance, root, codeHash] = fieldsOf(item);
    if (!address || !nonce || !balance || !root || !codeHash) {
      throw new StateRecordError('an account ends too early');
    }
    const value = {
      address,
      nonce: bytesToBigInt(nonce),
      balance: bytesToBigInt(balance),
      code: this.#codes.open(codeHash.length === 0 ? null : codeHash),
      storage: root.length === 0 ? null : this.#storages.open(root).node,
    };
    return { key: keccak256(address), value };
  }
}

function readStorageEntry(item: RlpItem): { readonly key: Uint8Array; readonly value: StorageEntry } {
  const [slot, value] = fieldsOf(item);
  if (slot === undefined || value === undefined)
    throw new StateRecordError('an entry of storage ends too early');
  return { key: keccak256(slot), value: { slot, value } };
}
