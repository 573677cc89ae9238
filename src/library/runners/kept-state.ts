/** The state of a failed test, in a file of the project. It outlives a node in the process of the tests. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestLane } from './test-lane.ts';

/** The folder in the project. Tools do not commit or publish it. */
const FOLDER = join('node_modules', '.cache', 'node-cli');

/**
 * Writes the state of a lane to a file in the project `root`. Resolves to a line for the report of the test. The line
 * contains the command that opens the file, or the error of the node or of the system.
 */
export async function keepState(lane: TestLane, root: string, key: string): Promise<string> {
  const path = join(FOLDER, `${key}.json.gz`);
  try {
    const dump = String(await lane.request({ method: 'anvil_dumpState' }));
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), Buffer.from(dump.slice(2), 'hex'));
  } catch (error) {
    return `  state not saved: ${error instanceof Error ? error.message : String(error)}`;
  }
  return `  state ${path} (npx node-cli debug --load-state ${path})`;
}
