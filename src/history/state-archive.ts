// Old states as off-heap bytes.

import { bigIntToBytes, bytesToBigInt, padLeft, stripLeadingZeros } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import {
  type Account,
  type Code,
  EMPTY_CODE,
  encodeAccount,
  encodeStorageEntry,
  type StorageEntry,
} from '../state/account.ts';
import { loaded, type TrieLink } from '../state/trie/trie-node.ts';
import { WorldState } from '../state/world-state.ts';
import { Arena } from './arena.ts';
import {
  type Archived,
  type ArchivedValues,
  type Archiving,
  NOWHERE,
  TrieArchive,
  type ValueBefore,
} from './trie-archive.ts';

/** A code that records refer to, and the lowest index of these records' states. */
interface IndexedCode {
  readonly code: Code;
  lowest: number;
}

/** The distinct codes of accounts. State records refer to them by index; 0 means no code. */
export class CodeIndex {
  readonly #codes: (IndexedCode | undefined)[] = [{ code: EMPTY_CODE, lowest: Number.NEGATIVE_INFINITY }];
  readonly #indexes = new Map<string, number>([[hexKey(EMPTY_CODE.hash), 0]]);
  /** Indexes of dropped codes, for reuse. */
  readonly #free: number[] = [];
  /** The index of the state whose record is being written. */
  index = 0;

  /** Returns the index of a code for the record of the state at {@link index}. */
  indexOf(code: Code): number {
    if (code === EMPTY_CODE) return 0;
    const key = hexKey(code.hash);
    const known = this.#indexes.get(key);
    const indexed = known === undefined ? undefined : this.#codes[known];
    if (known !== undefined && indexed !== undefined) {
      indexed.lowest = Math.min(indexed.lowest, this.index);
      return known;
    }
    const index = this.#free.pop() ?? this.#codes.length;
    this.#codes[index] = { code, lowest: this.index };
    this.#indexes.set(key, index);
    return index;
  }

  /** Throws a `RangeError` for an unknown index. */
  at(index: number): Code {
    const code = this.#codes[index]?.code;
    if (code === undefined) throw new RangeError(`no code at index ${index}`);
    return code;
  }

  /** Returns a copy for further changes. This index keeps its codes for the states that use it. */
  copy(): CodeIndex {
    const copy = new CodeIndex();
    for (const [index, indexed] of this.#codes.entries()) {
      copy.#codes[index] = indexed && { ...indexed };
      if (indexed !== undefined) copy.#indexes.set(hexKey(indexed.code.hash), index);
    }
    copy.#free.push(...this.#free);
    return copy;
  }

  /** Drops the codes that only states from this index use. These states must not be read any more. */
  dropFrom(state: number): void {
    for (const [index, indexed] of this.#codes.entries()) {
      if (indexed === undefined || indexed.lowest < state) continue;
      this.#codes[index] = undefined;
      this.#indexes.delete(hexKey(indexed.code.hash));
      this.#free.push(index);
    }
  }
}

const ADDRESS_SIZE = 20;
const SLOT_SIZE = 32;
const INTEGER_SIZE = 4;

/** Writes at most 255 bytes with a length byte. Returns the end offset. */
function writeShort(target: Buffer, offset: number, bytes: Uint8Array): number {
  target[offset] = bytes.length;
  target.set(bytes, offset + 1);
  return offset + 1 + bytes.length;
}

/** Returns the bytes of {@link writeShort}. They take one byte more than the result's length. */
function readShort(source: Buffer, offset: number): Uint8Array {
  return new Uint8Array(source.subarray(offset + 1, offset + 1 + (source[offset] ?? 0)));
}

const STORAGE_ENTRIES: ArchivedValues<StorageEntry> = {
  encode: encodeStorageEntry,
  write(target, offset, { slot, value }) {
    return writeShort(target, writeShort(target, offset, stripLeadingZeros(slot)), value);
  },
  read(source, offset) {
    const digits = readShort(source, offset);
    const slot = padLeft(digits, SLOT_SIZE);
    return { key: keccak256(slot), value: { slot, value: readShort(source, offset + 1 + digits.length) } };
  },
};

/** The record of an account: address, place of the storage, index of the code, nonce, balance. */
class ArchivedAccounts implements ArchivedValues<Account> {
  readonly encode = encodeAccount;
  readonly #codes: CodeIndex;
  readonly #storages: TrieArchive<StorageEntry>;

  constructor(codes: CodeIndex, storages: TrieArchive<StorageEntry>) {
    this.#codes = codes;
    this.#storages = storages;
  }

  *archiveBelow({ storage }: Account, before: ValueBefore<Account>): Archiving<number> {
    return storage === null ? NOWHERE : yield* this.#storages.archive(storage, storageOf(before));
  }

  write(target: Buffer, offset: number, account: Account, storage: number): number {
    target.set(account.address, offset);
    // Offset by one, because 0 means no storage.
    let at = target.writeUInt32LE(storage + 1, offset + ADDRESS_SIZE);
    at = target.writeUInt32LE(this.#codes.indexOf(account.code), at);
    at = writeShort(target, at, bigIntToBytes(account.nonce));
    return writeShort(target, at, bigIntToBytes(account.balance));
  }

  read(source: Buffer, offset: number): { readonly key: Uint8Array; readonly value: Account } {
    const address = new Uint8Array(source.subarray(offset, offset + ADDRESS_SIZE));
    const below = source.readUInt32LE(offset + ADDRESS_SIZE);
    const code = this.#codes.at(source.readUInt32LE(offset + ADDRESS_SIZE + INTEGER_SIZE));
    const numbers = offset + ADDRESS_SIZE + 2 * INTEGER_SIZE;
    const nonce = readShort(source, numbers);
    const balance = readShort(source, numbers + 1 + nonce.length);
    const value = {
      address,
      nonce: bytesToBigInt(nonce),
      balance: bytesToBigInt(balance),
      code,
      storage: below === 0 ? null : loaded(this.#storages.open(below - 1)),
    };
    return { key: keccak256(address), value };
  }
}

/** Returns the storage of an account from its value or its bytes. */
function storageOf(before: ValueBefore<Account>): Archived<StorageEntry> {
  if (before === null) return null;
  if ('value' in before) return before.value.storage;
  const below = before.bytes.readUInt32LE(before.offset + ADDRESS_SIZE);
  return below === 0 ? null : below - 1;
}

/** The state and storage nodes that stay objects. */
interface PinnedNodes {
  readonly accounts: TrieLink<Account>[];
  readonly storages: TrieLink<StorageEntry>[];
}

/**
 * States of one chain as off-heap bytes. Common parts of two states are stored once. The nodes that a block
 * adds take a tenth of the memory of objects and no garbage collection. A state is decoded on access, at
 * about one microsecond per node.
 */
export class StateArchive {
  readonly #arena: Arena;
  readonly #pinned: PinnedNodes;
  readonly #accounts: TrieArchive<Account>;

  private constructor(arena: Arena, codes: CodeIndex, pinned: PinnedNodes) {
    this.#arena = arena;
    this.#pinned = pinned;
    const storages = new TrieArchive(arena, STORAGE_ENTRIES, pinned.storages);
    this.#accounts = new TrieArchive(arena, new ArchivedAccounts(codes, storages), pinned.accounts);
  }

  /** Returns an empty archive. The code index can be shared with other users. */
  static empty(codes: CodeIndex): StateArchive {
    return new StateArchive(Arena.empty(), codes, { accounts: [], storages: [] });
  }

  /** The present end, for {@link until}. */
  get end(): number {
    return this.#arena.end;
  }

  /** Bytes of off-heap memory. */
  get size(): number {
    return this.#arena.size;
  }

  /**
   * Archives a complete state and returns its place. Yields after every few nodes. `before` is the place of
   * the previously archived state, or a full state. Nodes of a full state are referenced, not archived.
   * `null` means neither.
   */
  archive(state: WorldState, before: number | WorldState | null): Archiving<number> {
    const other = before instanceof WorldState ? before.trie : before;
    return this.#accounts.archive(state.trie, other === NOWHERE ? null : other);
  }

  open(place: number): WorldState {
    return place === NOWHERE ? WorldState.empty() : WorldState.of(this.#accounts.open(place));
  }

  /**
   * Returns an archive that continues from an earlier {@link end} with a copy of the code index. Later
   * content is freed with this archive.
   */
  until(end: number, codes: CodeIndex): StateArchive {
    return new StateArchive(this.#arena.until(end), codes, this.#pinned);
  }
}
