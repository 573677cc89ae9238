/** The messages and times of the signal guard, for both of its threads. */

/** In milliseconds. */
export interface GuardTimes {
  /** Time to answer after the first signal. */
  readonly first: number;
  /** Time to answer after a later signal. */
  readonly later: number;
  /** Pause before the next question while the node closes. */
  readonly pause: number;
  /** Signals within this time count as one. npx forwards the Ctrl-C that the terminal has already sent to both. */
  readonly same: number;
}

/** The second thread is watching. */
export const WATCHING = 'watching';
/** The event loop must answer. */
export const QUESTION = 'are you running?';
/** The answer of the event loop. */
export const RUNNING = 'running';
