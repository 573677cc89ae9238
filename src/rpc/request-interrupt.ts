import type { Timers, WallClock } from '../primitives/clock.ts';
import type { CheckInterrupt } from '../primitives/interrupt.ts';
import type { Connection } from './connection.ts';
import { CallerGoneError, CallTimeoutError } from './errors.ts';

/** How a request tells the time. */
export interface RequestTime {
  readonly clock: WallClock;
  readonly timers: Timers;
}

/** Comes to what `awaited` comes to; rejects with `late()` when that takes longer than `milliseconds`. */
function within<Result>(
  milliseconds: number,
  awaited: Promise<Result>,
  late: () => Error,
  timers: Timers,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = timers.after(milliseconds, () => reject(late()));
    awaited.finally(() => timer.cancel()).then(resolve, reject);
  });
}

/**
 * The check of one request, from now on: it throws {@link CallerGoneError} when the caller has closed the connection,
 * {@link CallTimeoutError} when the answer takes longer than `timeout` seconds (0 for any time).
 */
export function requestInterrupt(
  connection: Pick<Connection, 'isClosed'>,
  { clock, timers }: RequestTime,
  timeout: number,
): CheckInterrupt {
  // Looked at now and then instead of timed: a timer for each request would cost more than most requests.
  const deadline = timeout === 0 ? Number.POSITIVE_INFINITY : clock.now() + timeout * 1_000;
  const check: CheckInterrupt & { during?: CheckInterrupt['during'] } = () => {
    if (connection.isClosed) throw new CallerGoneError();
    if (clock.now() > deadline) throw new CallTimeoutError(timeout);
  };
  if (timeout === 0) return check;
  check.during = (awaited) =>
    within(Math.max(0, deadline - clock.now()), awaited, () => new CallTimeoutError(timeout), timers);
  return check;
}
