/**
 * Sets the base chain up in a process of its own. Where the tests run in the process that starts the node, they would share modules
 * with the setup, which have read the URL of the base chain.
 */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { TestRunError } from './answers.ts';

/** Runs the module that sets up the base chain of the environment. Rejects with a {@link TestRunError} when it fails. */
export function setUpApart(path: string): Promise<void> {
  const program = fileURLToPath(new URL('mocha-base.js', import.meta.url));
  return runSetup(path, [program, path], process.env);
}

/** Runs Node with those words, which set the base chain up by that path. Rejects with a {@link TestRunError} when that fails. */
export async function runSetup(
  path: string,
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, ...words], {
    stdio: 'inherit',
    env: environment,
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new TestRunError(`setup failed: ${path} ended with ${code}`);
}
