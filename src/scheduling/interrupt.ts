// Interrupting long work whose caller is gone, and sharing the event loop meanwhile.

import { SLICE_MILLISECONDS, type Turns } from './scheduler.ts';

/** Resolves in the next turn of the event loop, after all other events that are due. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Called now and then by long work; throws, and so ends the work, when its result is no longer needed. */
export interface CheckInterrupt {
  (): void;
  /**
   * The check for work that awaits something: settles like `awaited`, or rejects with what the check throws,
   * whichever is first. Absent when the work cannot be interrupted while it waits.
   */
  readonly during?: (<Result>(awaited: Promise<Result>) => Promise<Result>) | undefined;
  /** The turns that the work takes among other work. When absent, the work yields to all other work each time. */
  readonly turns?: Turns;
}

/** For work that is never interrupted. */
export const uninterrupted: CheckInterrupt = () => {};

/** Settles like `awaited`, or rejects earlier when the waiting work is interrupted. */
export function unlessInterrupted<Result>(
  awaited: Promise<Result>,
  checkInterrupt: CheckInterrupt = uninterrupted,
): Promise<Result> {
  return checkInterrupt.during === undefined ? awaited : checkInterrupt.during(awaited);
}

/**
 * Must be called between the steps of long work: yields to other work when the event loop has been held for a slice of
 * time. Rejects with what the check throws.
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
 * Returns the check for work that other work waits for, such as a change of a chain: it takes turns, but does not wait
 * for admission, because admitted work may wait for it.
 */
export function withoutAdmission(checkInterrupt: CheckInterrupt): CheckInterrupt {
  const { during, turns } = checkInterrupt;
  if (turns === undefined) return checkInterrupt;
  return Object.assign(() => checkInterrupt(), {
    turns: { held: () => turns.held(), wait: () => turns.wait() },
    ...(during === undefined ? {} : { during }),
  });
}
