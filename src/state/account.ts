// The values that a world state holds: accounts, code and delegations to code (EIP-7702), storage, how the tries encode them, and changes to
// them.

import { bigIntToBytes, concatBytes, EMPTY_BYTES } from '../primitives/bytes.ts';
import { KECCAK_EMPTY, keccak256 } from '../primitives/keccak.ts';
import { encodeRlp, rlpLength, writeRlp } from '../primitives/rlp.ts';
import { type TrieNode, trieRoot } from './trie/trie-node.ts';

/** The code of a contract with its Keccak-256 hash (32 bytes). */
export interface Code {
  readonly bytes: Uint8Array;
  readonly hash: Uint8Array;
}

/** The code of an account that has none. */
export const EMPTY_CODE: Code = { bytes: EMPTY_BYTES, hash: KECCAK_EMPTY };

/** Returns the bytes as code; {@link EMPTY_CODE} itself when there are no bytes. */
export function codeOf(bytes: Uint8Array): Code {
  return bytes.length === 0 ? EMPTY_CODE : { bytes, hash: keccak256(bytes) };
}

/** One slot of a contract's storage that is not zero. */
export interface StorageEntry {
  /** 32 bytes. */
  readonly slot: Uint8Array;
  /** 1 to 32 bytes, the first not zero. */
  readonly value: Uint8Array;
}

/** A contract's storage: entries by the hash of their slot; `null` when every slot is zero. */
export type StorageTrie = TrieNode<StorageEntry> | null;

/** An account of a state, with its code and its storage. */
export interface Account {
  /** 20 bytes. */
  readonly address: Uint8Array;
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  readonly code: Code;
  readonly storage: StorageTrie;
  /**
   * The source of slots that have no entry in `storage`, for an account that was read from a state source. An entry of
   * `storage` without a value then marks a slot that was set to zero since.
   */
  readonly storageSource?: StorageSource;
  /** True for the marker of an account that the state source has and that was deleted since. */
  readonly isGone?: true;
}

/** Storage of accounts that lies outside this process's tries (upstream of a fork, for example) and never changes. */
export interface StorageSource {
  /**
   * Returns the value of a slot (32 bytes), without leading zeros. Throws `MissingStateError` when it must be fetched
   * first.
   */
  storageAt(address: Uint8Array, slot: Uint8Array): Uint8Array;
}

/** Returns the root hash (32 bytes) of a contract's storage. */
export function storageRoot(storage: StorageTrie): Uint8Array {
  return trieRoot(storage, encodeStorageEntry);
}

const LONGEST_VALUE = 32;
/** Room for encoded values, by their length: an array for each would take as long as hashing it. */
const ENCODED_VALUES = Array.from({ length: 1 + LONGEST_VALUE + 1 }, (_, length) => new Uint8Array(length));

/**
 * Returns the value that the storage trie holds for an entry: the RLP encoding of the slot's value, valid until the next one is encoded.
 */
export function encodeStorageEntry({ value }: StorageEntry): Uint8Array {
  const encoded = ENCODED_VALUES[rlpLength(value)];
  if (encoded === undefined) throw new RangeError(`a slot cannot have ${value.length} bytes`);
  writeRlp(encoded, 0, value);
  return encoded;
}

/**
 * Returns the value that the state trie holds for an account: the RLP list of nonce, balance, storage root and code
 * hash.
 */
export function encodeAccount(account: Account): Uint8Array {
  return encodeRlp([
    bigIntToBytes(account.nonce),
    bigIntToBytes(account.balance),
    storageRoot(account.storage),
    account.code.hash,
  ]);
}

/** A new value for a slot of a contract's storage. */
export interface StorageChange {
  /** 32 bytes. */
  readonly slot: Uint8Array;
  /** Without leading zeros; an empty value sets the slot to zero. */
  readonly value: Uint8Array;
}

/** An account after a change; the change creates it when the state did not hold it. */
export interface AccountUpdate {
  /** 20 bytes. */
  readonly address: Uint8Array;
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  /** `null` when the code stays what it was; a new account has none then. */
  readonly code: Code | null;
  /** True when all former storage is removed: the account was deleted and created again, or its storage was cleared. */
  readonly clearsStorage: boolean;
  /** The slots that were written, after the clearing if there was one. No slot occurs twice. */
  readonly storage: Iterable<StorageChange>;
}

/** The difference between two states. No account is in both lists. */
export interface StateChanges {
  readonly updated: Iterable<AccountUpdate>;
  /** The addresses (20 bytes) of deleted accounts; their code and storage are deleted with them. */
  readonly deleted: Iterable<Uint8Array>;
}

const PREFIX = Uint8Array.of(0xef, 0x01, 0x00);
const DELEGATION_LENGTH = 23;

/** Returns the code that delegates to an account (20 bytes). */
export function delegationTo(address: Uint8Array): Uint8Array {
  return concatBytes(PREFIX, address);
}

/** Returns true for code that delegates to an account. */
export function isDelegation(code: Uint8Array): boolean {
  return code.length === DELEGATION_LENGTH && PREFIX.every((byte, index) => code[index] === byte);
}

/** Returns the account (20 bytes) that the code delegates to; `null` for other code. */
export function delegateOf(code: Uint8Array): Uint8Array | null {
  return isDelegation(code) ? code.subarray(PREFIX.length) : null;
}

/**
 * Returns the fields of an account that are its own, without storage: an object of one shape, whatever state the account comes from, since
 * V8 compiles the readers of objects of several shapes anew.
 */
export function ownFields({ nonce, balance, code }: Account): Pick<Account, 'nonce' | 'balance' | 'code'> {
  return { nonce, balance, code };
}

/** Returns the account; `undefined` for the marker of a deleted one. */
export function present(account: Account | undefined): Account | undefined {
  return account?.isGone === true ? undefined : account;
}
