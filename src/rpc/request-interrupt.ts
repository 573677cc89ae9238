import type { WallClock } from '../primitives/clock.ts';
import type { CheckInterrupt } from '../primitives/interrupt.ts';
import type { Connection } from './connection.ts';
import { CallerGoneError, CallTimeoutError } from './errors.ts';

/**
 * The check of one request, from now on: it throws {@link CallerGoneError} when the caller has closed the connection,
 * {@link CallTimeoutError} when the answer takes longer than `timeout` seconds (0 for any time).
 */
export function requestInterrupt(
  connection: Pick<Connection, 'isClosed'>,
  clock: WallClock,
  timeout: number,
): CheckInterrupt {
  // Looked at now and then instead of timed: a timer for each request would cost more than most requests.
  const deadline = timeout === 0 ? Number.POSITIVE_INFINITY : clock.now() + timeout * 1_000;
  return () => {
    if (connection.isClosed) throw new CallerGoneError();
    if (clock.now() > deadline) throw new CallTimeoutError(timeout);
  };
}
