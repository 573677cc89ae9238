import { type CheckInterrupt, uninterrupted, unlessInterrupted } from '../primitives/interrupt.ts';
import { type Awaitable, perform, type Steps, settled } from '../primitives/steps.ts';
import type { Account, StorageSource } from './account.ts';

/** A whole state that is kept elsewhere and never changes there: what a chain begins with that goes on from another. */
export interface StateSource extends StorageSource {
  /** The account of an address (20 bytes), `undefined` for none. Throws `StateElsewhere` when it must be fetched first. */
  account(address: Uint8Array): Account | undefined;
  /**
   * The hash (32 bytes) of the block with that number, up to the one after which the state was: code can ask for those.
   * Throws `StateElsewhere` when it must be fetched first.
   */
  blockHash(number: number): Uint8Array;
}

/**
 * Thrown by a read of a state when what was asked for is kept elsewhere and has not been fetched yet. Who reads awaits
 * {@link StateElsewhere.fetch} and reads again: the answer is then at hand, and stays so for all states with the same
 * stamp, since an engine that knows it from one of them does not ask the others.
 */
export class StateElsewhere extends Error {
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
 * changed anything when it throws {@link StateElsewhere}. Comes at once when all is at hand; a promise rejects when
 * something cannot be had, or with what `checkInterrupt` throws while it is fetched.
 */
export function fetchingState<Result>(
  read: () => Awaitable<Result>,
  checkInterrupt = uninterrupted,
): Awaitable<Result> {
  return perform(readFetching(read, checkInterrupt));
}

function* readFetching<Result>(read: () => Awaitable<Result>, checkInterrupt: CheckInterrupt): Steps<Result> {
  for (;;) {
    try {
      return yield* settled(read());
    } catch (error) {
      if (!(error instanceof StateElsewhere)) throw error;
      yield* settled(unlessInterrupted(error.fetch(), checkInterrupt));
    }
  }
}
