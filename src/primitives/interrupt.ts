import { SLICE_MILLISECONDS, type Turns } from './scheduler.ts';

/** Lets the event loop see to everything else that is due. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Called now and then by long work; throws when nobody waits for the end of it any more, and so ends it. */
export interface CheckInterrupt {
  (): void;
  /**
   * The same for work that waits for somebody else: comes to what `awaited` comes to, or rejects with what the check
   * throws, as soon as it does. Absent where nothing ends the work while it waits.
   */
  readonly during?: <Result>(awaited: Promise<Result>) => Promise<Result>;
  /** The turns that the work takes among other work. Where they are absent it lets all others be heard each time. */
  readonly turns?: Turns;
}

/** For work that nothing ends before its time. */
export const uninterrupted: CheckInterrupt = () => {};

/** What `awaited` comes to, unless the work that waits for it is ended before. */
export function unlessInterrupted<Result>(
  awaited: Promise<Result>,
  checkInterrupt: CheckInterrupt = uninterrupted,
): Promise<Result> {
  return checkInterrupt.during === undefined ? awaited : checkInterrupt.during(awaited);
}

/**
 * Must be called between the steps of long work: lets others be heard when the event loop has been held for a slice of
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
 * Returns the check for work that holds up others while it goes on, such as a change of a chain: it takes turns, but is
 * not to wait for admission, as those who have it may wait for this work.
 */
export function withoutAdmission(checkInterrupt: CheckInterrupt): CheckInterrupt {
  const { during, turns } = checkInterrupt;
  if (turns === undefined) return checkInterrupt;
  return Object.assign(() => checkInterrupt(), {
    turns: { held: () => turns.held(), wait: () => turns.wait() },
    ...(during === undefined ? {} : { during }),
  });
}
