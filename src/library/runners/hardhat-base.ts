/**
 * The program that sets the base chain of a run of Hardhat up, in a process of Hardhat whose network is the base chain. The script
 * that does it may export a function, or do its work as it is loaded, as scripts for `hardhat run` do.
 */

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isRecord } from './answers.ts';
import { SETUP_VARIABLE } from './hardhat-project.ts';
import { setupIn } from './run.ts';
import { announcedFacts } from './run-facts.ts';
import { laneAt } from './test-lane.ts';

const path = process.env[SETUP_VARIABLE] ?? '';

/** Imports a script. Hardhat 2 makes JavaScript of TypeScript for `require` alone. */
async function load(): Promise<unknown> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    if (!isRecord(error) || error.code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error;
    return { default: createRequire(import.meta.url)(path) };
  }
}

const action = setupIn(await load());
if (typeof action === 'function') await action(laneAt(announcedFacts(process.env).url, null));
