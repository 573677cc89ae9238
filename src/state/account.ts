// The content of a world state: accounts, code, delegations (EIP-7702), storage, their trie encodings, and
// changes.

import { bigIntToBytes, concatBytes, EMPTY_BYTES } from '../primitives/bytes.ts';
import { KECCAK_EMPTY, keccak256 } from '../primitives/keccak.ts';
import { prependListPrefix, prependRlp, prependRlpInteger, rlpLength } from '../primitives/rlp.ts';
import { type TrieNode, trieRoot } from './trie/trie-node.ts';

/** The code of a contract with its Keccak-256 hash (32 bytes). */
export interface Code {
  readonly bytes: Uint8Array;
  readonly hash: Uint8Array;
}

export const EMPTY_CODE: Code = { bytes: EMPTY_BYTES, hash: KECCAK_EMPTY };

/** Returns {@link EMPTY_CODE} for no bytes. */
export function codeOf(bytes: Uint8Array): Code {
  return bytes.length === 0 ? EMPTY_CODE : { bytes, hash: keccak256(bytes) };
}

/** A nonzero slot of a contract's storage. */
export interface StorageEntry {
  /** 32 bytes. */
  readonly slot: Uint8Array;
  /** 1 to 32 bytes without leading zeros. */
  readonly value: Uint8Array;
}

/** A contract's storage: entries by slot hash; `null` if every slot is zero. */
export type StorageTrie = TrieNode<StorageEntry> | null;

export interface Account {
  /** 20 bytes. */
  readonly address: Uint8Array;
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  readonly code: Code;
  readonly storage: StorageTrie;
  /**
   * The source of slots without an entry in `storage`, for an account from a state source. An empty entry in
   * `storage` then marks a slot that was set to zero.
   */
  readonly storageSource?: StorageSource;
  /** True for the marker of a deleted account of the state source. */
  readonly isGone?: true;
}

/** Immutable storage outside this process, for example upstream of a fork. */
export interface StorageSource {
  /** Returns a slot's value without leading zeros. Throws `MissingStateError` if it must be fetched. */
  storageAt(address: Uint8Array, slot: Uint8Array): Uint8Array;
}

/** Returns the root hash (32 bytes) of a contract's storage. */
export function storageRoot(storage: StorageTrie): Uint8Array {
  return trieRoot(storage, encodeStorageEntry);
}

const MAX_VALUE_LENGTH = 32;
/** Buffers for encoded values, by length. Allocating an array takes as long as hashing it. */
const ENCODED_VALUES = Array.from(
  { length: 1 + MAX_VALUE_LENGTH + 1 },
  (_, length) => new Uint8Array(length),
);

/** Returns the RLP of the slot's value for the storage trie. The result is valid until the next call. */
export function encodeStorageEntry({ value }: StorageEntry): Uint8Array {
  const encoded = ENCODED_VALUES[rlpLength(value)];
  if (encoded === undefined) throw new RangeError(`a slot cannot have ${value.length} bytes`);
  prependRlp(encoded, encoded.length, value);
  return encoded;
}

/** Maximum bytes of an encoded account with a balance of 32 bytes. */
const ACCOUNT_SIZE = 2 + 4 * 33;
const ENCODED_ACCOUNT = new Uint8Array(ACCOUNT_SIZE);

/**
 * Returns the RLP list of nonce, balance, storage root and code hash for the state trie. The result is valid
 * until the next call.
 */
export function encodeAccount({ nonce, balance, storage, code }: Account): Uint8Array {
  const root = storageRoot(storage);
  const balanceBytes = bigIntToBytes(balance);
  // Balances set through the RPC can be longer than a word.
  const isLong = balanceBytes.length > MAX_VALUE_LENGTH;
  const encoded = isLong ? new Uint8Array(ACCOUNT_SIZE + balanceBytes.length) : ENCODED_ACCOUNT;
  const end = encoded.length;
  let start = prependRlp(encoded, prependRlp(encoded, end, code.hash), root);
  start = prependRlpInteger(encoded, prependRlp(encoded, start, balanceBytes), nonce);
  start = prependListPrefix(encoded, start, end);
  return encoded.subarray(start, end);
}

export interface StorageChange {
  /** 32 bytes. */
  readonly slot: Uint8Array;
  /** Without leading zeros. An empty value sets the slot to zero. */
  readonly value: Uint8Array;
}

/** An account after a change. The change creates the account if it does not exist. */
export interface AccountUpdate {
  /** 20 bytes. */
  readonly address: Uint8Array;
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  /** `null` if the code is unchanged; a new account then has no code. */
  readonly code: Code | null;
  /** True to remove all earlier storage: the account was created again, or its storage was cleared. */
  readonly clearsStorage: boolean;
  /** The written slots, applied after the clearing. No slot occurs twice. */
  readonly storage: Iterable<StorageChange>;
}

/** The difference between two states. No account is in both lists. */
export interface StateChanges {
  readonly updated: Iterable<AccountUpdate>;
  /** The addresses (20 bytes) of deleted accounts. Their code and storage are deleted too. */
  readonly deleted: Iterable<Uint8Array>;
}

const PREFIX = Uint8Array.of(0xef, 0x01, 0x00);
const DELEGATION_LENGTH = 23;

/** Returns the code that delegates to an account (20 bytes). */
export function delegationTo(address: Uint8Array): Uint8Array {
  return concatBytes(PREFIX, address);
}

export function isDelegation(code: Uint8Array): boolean {
  return code.length === DELEGATION_LENGTH && PREFIX.every((byte, index) => code[index] === byte);
}

/** Returns the account (20 bytes) that the code delegates to; `null` for other code. */
export function delegateOf(code: Uint8Array): Uint8Array | null {
  return isDelegation(code) ? code.subarray(PREFIX.length) : null;
}

/** Returns an object of a fixed shape, because V8 deoptimizes code that reads objects of several shapes. */
export function ownFields({ nonce, balance, code }: Account): Pick<Account, 'nonce' | 'balance' | 'code'> {
  return { nonce, balance, code };
}

/** Returns the account; `undefined` for the marker of a deleted one. */
export function present(account: Account | undefined): Account | undefined {
  return account?.isGone === true ? undefined : account;
}
