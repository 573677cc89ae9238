import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The path of an empty directory, which is gone when the test is. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'node-cli-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A copy of a directory as it is now: what a process leaves that is killed. */
export async function copyOf(directory: string): Promise<string> {
  const copy = await temporaryDirectory();
  await cp(directory, copy, { recursive: true });
  return copy;
}
