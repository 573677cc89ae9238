// States that are fetched on demand: the source, the error of a read that needs a fetch, and the loop that retries the
// read.

import { type CheckInterrupt, uninterrupted, unlessInterrupted } from '../scheduling/interrupt.ts';
import { type Awaitable, runTask, type Task, waitFor } from '../scheduling/task.ts';
import type { Account, StorageSource } from './account.ts';

/** A call of a contract that only the chain of a state source can execute. */
export interface SourceCall {
  readonly data: Uint8Array;
  /** The sender (20 bytes) and the wei of the call; absent if the answer depends on neither. */
  readonly sent?: { readonly from: Uint8Array; readonly value: bigint };
}

/** A contract that only the chain of a state source can execute: its state is not known here. */
export interface SourceContract {
  /** True if storage of the contract was written since, so that the source's answers are outdated. */
  readonly isChanged: boolean;
  /** Returns the output of a call in the state of the source. Throws `MissingStateError` if it must be fetched first. */
  call(call: SourceCall): Uint8Array;
}

/** Returns the contract with storage that was written since. */
export function changedContract(contract: SourceContract): SourceContract {
  return { isChanged: true, call: (call) => contract.call(call) };
}

/** A whole state outside this process that never changes: the one that a forked chain starts from. */
export interface StateSource extends StorageSource {
  /**
   * Returns the account of an address (20 bytes), `undefined` for none. Throws `MissingStateError` when it must be
   * fetched first.
   */
  account(address: Uint8Array): Account | undefined;
  /**
   * Returns the hash (32 bytes) of the block with that number, up to the block that the state follows, for BLOCKHASH.
   * Throws `MissingStateError` when it must be fetched first.
   */
  blockHash(number: number): Uint8Array;
  /** Returns the contract at an address (20 bytes) that only the source's chain can execute; `null` for any other. */
  contract?(address: Uint8Array): SourceContract | null;
}

/**
 * Thrown by a read of a state when the value has not been fetched yet. The reader awaits
 * {@link MissingStateError.fetch} and reads again. From then on the value is in memory for all states with the same
 * stamp, because an engine that knows it from one of them does not ask the others.
 */
export class MissingStateError extends Error {
  override readonly name = 'MissingStateError';
  /** Fetches the value; rejects when that fails. */
  readonly fetch: () => Promise<void>;

  constructor(fetch: () => Promise<void>) {
    super('this part of the state has not been fetched yet');
    this.fetch = fetch;
  }
}

/**
 * Returns the result of `read` once every value that it needs has been fetched; `read` is started again after each
 * fetch, so it must not have changed anything when it throws {@link MissingStateError}. The result is returned at once
 * when nothing has to be fetched. A promise rejects when a fetch fails, or with what `checkInterrupt` throws meanwhile.
 */
export function fetchingState<Result>(
  read: () => Awaitable<Result>,
  checkInterrupt = uninterrupted,
): Awaitable<Result> {
  return runTask(readFetching(read, checkInterrupt));
}

function* readFetching<Result>(read: () => Awaitable<Result>, checkInterrupt: CheckInterrupt): Task<Result> {
  for (;;) {
    try {
      return yield* waitFor(read());
    } catch (error) {
      if (!(error instanceof MissingStateError)) throw error;
      yield* waitFor(unlessInterrupted(error.fetch(), checkInterrupt));
    }
  }
}
