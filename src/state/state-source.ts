// States that are fetched on demand: the source, the error for a missing value, and the retry loop.

import { type Awaitable, isPromise } from '../primitives/awaitable.ts';
import type { Account, StorageSource } from './account.ts';

/** A call of a contract that only the chain of a state source can execute. */
export interface SourceCall {
  readonly data: Uint8Array;
  /** The sender (20 bytes) and the wei of the call; absent if the result depends on neither. */
  readonly sent?: { readonly from: Uint8Array; readonly value: bigint };
}

/** A contract that only the chain of a state source can execute, because its state is unknown here. */
export interface SourceContract {
  /** True if the contract's storage was written since, so that results of the source are outdated. */
  readonly isChanged: boolean;
  /** Returns the output of a call in the source's state. Throws `MissingStateError` if it must be fetched. */
  call(call: SourceCall): Uint8Array;
}

/** Marks the contract's storage as written. */
export function changedContract(contract: SourceContract): SourceContract {
  return { isChanged: true, call: (call) => contract.call(call) };
}

/** The parts of a message that determine which state it reads. */
export interface PredictableMessage {
  /** 20 bytes. */
  readonly sender: Uint8Array;
  /** 20 bytes; `null` for a creation. */
  readonly to: Uint8Array | null;
  readonly data: Uint8Array;
  /** Wei. */
  readonly value: bigint;
}

/** A complete immutable state outside this process, for example the parent state of a fork. */
export interface StateSource extends StorageSource {
  /** Returns the account (20-byte address). Throws `MissingStateError` if it must be fetched first. */
  account(address: Uint8Array): Account | undefined;
  /**
   * Returns the hash (32 bytes) of a block for BLOCKHASH, up to the block of this state. Throws
   * `MissingStateError` if it must be fetched first.
   */
  blockHash(number: number): Uint8Array;
  /** Returns a contract (20-byte address) that only the source's chain can execute, or `null`. */
  contract?(address: Uint8Array): SourceContract | null;
  /**
   * Fetches values that the message will probably read. `local` are the accounts that were written since. Resolves at
   * the end, and never rejects.
   */
  predict?(message: PredictableMessage, local: Iterable<Account>): Promise<void>;
}

/**
 * Thrown by a read if the value has not been fetched yet. The reader awaits {@link MissingStateError.fetch}
 * and reads again. The value then stays in memory for all states with the same stamp, because an engine reads
 * it from one of them only.
 */
export class MissingStateError extends Error {
  override readonly name = 'MissingStateError';
  /** Fetches the value. Rejects if the fetch fails. */
  readonly fetch: () => Promise<void>;
  /** True if another reader is fetching the value already. */
  readonly isPending: boolean;

  constructor(fetch: () => Promise<void>, isPending = false) {
    super('this part of the state has not been fetched yet');
    this.fetch = fetch;
    this.isPending = isPending;
  }
}

/** Settles like `awaited`, or rejects earlier if the wait is cancelled. */
export interface FetchWait {
  readonly during?: (<Result>(awaited: Promise<Result>) => Promise<Result>) | undefined;
}

/**
 * Runs `read`, and restarts it after each fetch of a missing value. Therefore `read` must not change anything
 * before it throws {@link MissingStateError}. Synchronous if nothing must be fetched. Rejects if a fetch
 * fails, and with any error of `wait`.
 */
export function fetchingState<Result>(
  read: () => Awaitable<Result>,
  wait: FetchWait = {},
): Awaitable<Result> {
  try {
    const result = read();
    if (!isPromise(result)) return result;
    return result.catch((error: unknown) => fetchAndRead(error, read, wait));
  } catch (error) {
    return fetchAndRead(error, read, wait);
  }
}

/** Fetches the missing value of the error, and reads again. Throws any other error. */
function fetchAndRead<Result>(
  error: unknown,
  read: () => Awaitable<Result>,
  wait: FetchWait,
): Promise<Result> {
  if (!(error instanceof MissingStateError)) throw error;
  const fetched = error.fetch();
  return (wait.during?.(fetched) ?? fetched).then(() => fetchingState(read, wait));
}
