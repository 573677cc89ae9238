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
 * changed anything when it throws {@link StateElsewhere}. Rejects when something cannot be had.
 */
export async function fetchingState<Result>(read: () => Result | Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof StateElsewhere)) throw error;
      await error.fetch();
    }
  }
}
