import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The path of an empty directory that is deleted after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'node-cli-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A copy of a directory in its current state, like after a killed process. */
export async function copyOf(directory: string): Promise<string> {
  const copy = await temporaryDirectory();
  await cp(directory, copy, { recursive: true });
  return copy;
}
