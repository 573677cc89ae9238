// Interrupts long tasks whose client has disconnected, and shares the event loop.

import { defer } from '../primitives/clock.ts';
import type { Yielder } from './scheduler.ts';
import { SLICE_MILLISECONDS } from './slice-length.ts';

/** Resolves in the next iteration of the event loop, after all due events. */
export function nextIteration(): Promise<void> {
  return new Promise((resolve) => defer(resolve));
}

/** Called regularly by long tasks. It throws to end the task if its result is no longer needed. */
export interface CancelCheck {
  (): void;
  /**
   * For a task that awaits a promise: settles like `awaited`, or rejects with the check's error, whichever
   * comes first. Absent if the task cannot be interrupted while it waits.
   */
  readonly during?: (<Result>(awaited: Promise<Result>) => Promise<Result>) | undefined;
  /** The time slices of the task. If absent, the task yields to all other work each time. */
  readonly yielder?: Yielder;
}

/** For tasks that are never interrupted. */
export const neverCancelled: CancelCheck = () => {};

/** Settles like `awaited`, or rejects earlier if the task is interrupted. */
export function unlessCancelled<Result>(
  awaited: Promise<Result>,
  checkCancelled: CancelCheck = neverCancelled,
): Promise<Result> {
  return checkCancelled.during === undefined ? awaited : checkCancelled.during(awaited);
}

/**
 * Call it between the steps of a long task. It yields if the event loop was blocked for a time slice. Rejects
 * with the check's error.
 */
export async function yieldToOthers(checkCancelled: CancelCheck): Promise<void> {
  const { yielder } = checkCancelled;
  if (yielder === undefined) await nextIteration();
  else if (yielder.blockedFor() >= SLICE_MILLISECONDS) {
    await yielder.admission?.();
    await yielder.wait();
  }
  checkCancelled();
}

/**
 * Returns the check for a task that other tasks wait for, such as a change of a chain. It takes time slices
 * without admission, because admitted tasks may wait for it.
 */
export function withoutAdmission(checkCancelled: CancelCheck): CancelCheck {
  const { during, yielder } = checkCancelled;
  if (yielder === undefined) return checkCancelled;
  return Object.assign(() => checkCancelled(), {
    yielder: { blockedFor: () => yielder.blockedFor(), wait: () => yielder.wait() },
    ...(during === undefined ? {} : { during }),
  });
}
