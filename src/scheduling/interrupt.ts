// Interrupts long tasks whose client has disconnected, and shares the event loop.

import { SLICE_MILLISECONDS, type Turns } from './scheduler.ts';

/** Resolves in the next iteration of the event loop, after all due events. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Called regularly by long tasks. It throws to end the task if its result is no longer needed. */
export interface CheckInterrupt {
  (): void;
  /**
   * For a task that awaits a promise: settles like `awaited`, or rejects with the check's error, whichever
   * comes first. Absent if the task cannot be interrupted while it waits.
   */
  readonly during?: (<Result>(awaited: Promise<Result>) => Promise<Result>) | undefined;
  /** The time slices of the task. If absent, the task yields to all other work each time. */
  readonly turns?: Turns;
}

/** For tasks that are never interrupted. */
export const uninterrupted: CheckInterrupt = () => {};

/** Settles like `awaited`, or rejects earlier if the task is interrupted. */
export function unlessInterrupted<Result>(
  awaited: Promise<Result>,
  checkInterrupt: CheckInterrupt = uninterrupted,
): Promise<Result> {
  return checkInterrupt.during === undefined ? awaited : checkInterrupt.during(awaited);
}

/**
 * Call it between the steps of a long task. It yields if the event loop was blocked for a time slice. Rejects
 * with the check's error.
 */
export async function yieldToOthers(checkInterrupt: CheckInterrupt): Promise<void> {
  const { turns } = checkInterrupt;
  if (turns === undefined) await nextTurn();
  else if (turns.held() >= SLICE_MILLISECONDS) {
    await turns.admission?.();
    await turns.wait();
  }
  checkInterrupt();
}

/**
 * Returns the check for a task that other tasks wait for, such as a change of a chain. It takes time slices
 * without admission, because admitted tasks may wait for it.
 */
export function withoutAdmission(checkInterrupt: CheckInterrupt): CheckInterrupt {
  const { during, turns } = checkInterrupt;
  if (turns === undefined) return checkInterrupt;
  return Object.assign(() => checkInterrupt(), {
    turns: { held: () => turns.held(), wait: () => turns.wait() },
    ...(during === undefined ? {} : { during }),
  });
}
