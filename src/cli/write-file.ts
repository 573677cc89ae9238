import { constants } from 'node:fs';
import { type FileHandle, open, stat, writeFile } from 'node:fs/promises';
import type { Timers } from '../primitives/clock.ts';

/** Permissions of Unix for files with keys in them. */
const OWNER_ONLY = 0o600;

/** Milliseconds after which a pipe is looked at again that takes nothing for now. */
const PAUSE = 50;

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** Does what may fail with that code until it does not. */
async function retried<T>(action: () => Promise<T>, code: string, timers: Timers): Promise<T> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (codeOf(error) !== code) throw error;
      await new Promise<void>((resolve) => void timers.after(PAUSE, resolve));
    }
  }
}

/**
 * Writes to a named pipe once it has a reader, as fast as that reads. Opening and writing never block: a thread that
 * waits for a reader could not be ended, and would keep the process from ending.
 */
async function writePipe(path: string, text: string, timers: Timers): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_NONBLOCK;
  const pipe: FileHandle = await retried(() => open(path, flags), 'ENXIO', timers);
  try {
    let rest = Buffer.from(text);
    while (rest.length > 0) {
      const { bytesWritten } = await retried(() => pipe.write(rest), 'EAGAIN', timers);
      rest = rest.subarray(bytesWritten);
    }
  } finally {
    await pipe.close();
  }
}

/** Writes a file; one that was not there is made for its owner alone. Waits for the reader of a named pipe. */
export async function writeOwnFile(path: string, text: string, timers: Timers): Promise<void> {
  const facts = await stat(path).catch(() => null);
  if (facts?.isFIFO()) await writePipe(path, text, timers);
  else await writeFile(path, text, { mode: OWNER_ONLY });
}
