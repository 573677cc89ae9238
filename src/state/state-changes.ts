import type { Code } from './account.ts';

/** A new value for a slot of a contract's storage. */
export interface StorageChange {
  /** 32 bytes. */
  readonly slot: Uint8Array;
  /** Without leading zeros; empty sets the slot to zero. */
  readonly value: Uint8Array;
}

/** An account as it stands after a change, created by it when the state did not hold it. */
export interface AccountUpdate {
  /** 20 bytes. */
  readonly address: Uint8Array;
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  readonly code: Code;
  /** True when all former storage is gone: the account was deleted and made again, or its storage cleared. */
  readonly clearsStorage: boolean;
  /** What was written to storage, after the clearing if there was one; no slot twice. */
  readonly storage: Iterable<StorageChange>;
}

/** The difference between two states. No account stands in both lists. */
export interface StateChanges {
  readonly updated: Iterable<AccountUpdate>;
  /** The addresses (20 bytes) of accounts that are gone, their code and storage with them. */
  readonly deleted: Iterable<Uint8Array>;
}
