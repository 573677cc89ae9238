import { dirname } from 'node:path';
import type { FileSystem } from '../../config/file-system.ts';

/** A chain holds private keys: what nobody gave to others is for its owner alone. */
const PRIVATE_MODE = 0o600;

/**
 * Puts the bytes into the file, whole or not at all: at every moment the file has all of what it had or all of what it is
 * to have, even if the machine stops. A symbolic link stays, and so do the permissions of a file that was there. Rejects
 * with the system's error; the file is then as it was.
 */
export async function writeAtomically(files: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  const before = await files.stat(path);
  const target = before === null ? path : await files.realPath(path);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    await files.writeSynced(temporary, bytes, before?.mode ?? PRIVATE_MODE);
    await files.rename(temporary, target);
  } catch (error) {
    // The error that the caller is told of is the first one; what is left over is overwritten by the next attempt.
    await files.remove(temporary).catch(() => undefined);
    throw error;
  }
  await files.syncDirectory(dirname(target));
}
