import { type CheckInterrupt, uninterrupted, unlessInterrupted } from '../primitives/interrupt.ts';
import { type Awaitable, runTask, type Task, waitFor } from '../primitives/task.ts';
import type { Account, StorageSource } from './account.ts';

/** A whole state that is kept elsewhere and never changes there: what a chain begins with that goes on from another. */
export interface StateSource extends StorageSource {
  /** The account of an address (20 bytes), `undefined` for none. Throws `MissingStateError` when it must be fetched first. */
  account(address: Uint8Array): Account | undefined;
  /**
   * The hash (32 bytes) of the block with that number, up to the one after which the state was: code can ask for those.
   * Throws `MissingStateError` when it must be fetched first.
   */
  blockHash(number: number): Uint8Array;
}

/**
 * Thrown by a read of a state when what was asked for is kept elsewhere and has not been fetched yet. Who reads awaits
 * {@link MissingStateError.fetch} and reads again: the answer is then at hand, and stays so for all states with the same
 * stamp, since an engine that knows it from one of them does not ask the others.
 */
export class MissingStateError extends Error {
  override readonly name = 'StateElsewhere';
  /** Brings what was asked for; rejects when it cannot be had. */
  readonly fetch: () => Promise<void>;

  constructor(fetch: () => Promise<void>) {
    super('this part of the state has not been fetched yet');
    this.fetch = fetch;
  }
}

/**
 * What `read` gives once everything that it needs is at hand: after each fetch it is begun again. So it must not have
 * changed anything when it throws {@link MissingStateError}. Comes at once when all is at hand; a promise rejects when
 * something cannot be had, or with what `checkInterrupt` throws while it is fetched.
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
