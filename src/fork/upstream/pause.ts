import type { Timers } from '../../primitives/clock.ts';

/** Resolves after that many milliseconds, or as soon as the signal aborts; it leaves nothing behind on the signal. */
export function pause(milliseconds: number, timers: Timers, ending: AbortSignal): Promise<void> {
  if (ending.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      ending.removeEventListener('abort', end);
      resolve();
    };
    const timer = timers.after(milliseconds, end);
    ending.addEventListener('abort', end);
  });
}
