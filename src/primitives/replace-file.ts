import { rename } from 'node:fs/promises';
import { type Timers, waitedTimers } from './clock.ts';

/** Errors of Windows if another program, such as a virus scanner or an editor, has one of the files open. */
const BUSY = new Set(['EPERM', 'EACCES', 'EBUSY']);

/** Milliseconds before each new attempt; about 3 seconds in total. */
const PAUSES = [10, 20, 50, 100, 200, 500, 1_000, 1_000];

export interface ReplaceHost {
  readonly platform: NodeJS.Platform;
  readonly timers: Timers;
  rename(from: string, to: string): Promise<void>;
}

const SYSTEM: ReplaceHost = {
  platform: process.platform,
  timers: waitedTimers,
  // A reference to the function would load the module at each start.
  rename: (from, to) => rename(from, to),
};

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && BUSY.has(String(error.code));
}

/**
 * Renames a file and replaces an existing one atomically. Windows rejects this while a program has one of the files open,
 * so the function tries again for about 3 seconds there. Rejects with the error of the system.
 */
export async function replaceFile(from: string, to: string, host: ReplaceHost = SYSTEM): Promise<void> {
  const pauses = host.platform === 'win32' ? PAUSES : [];
  for (const pause of pauses) {
    try {
      return await host.rename(from, to);
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    await new Promise<void>((resolve) => void host.timers.after(pause, resolve));
  }
  await host.rename(from, to);
}
