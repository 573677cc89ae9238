/**
 * Sets up the base chain of a Hardhat run, in a Hardhat process whose network is the base chain. The script
 * exports a function or, like scripts for `hardhat run`, does its work on import.
 */

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isRecord } from './answers.ts';
import { SETUP_VARIABLE } from './hardhat-project.ts';
import { setupIn } from './run.ts';
import { announcedFacts } from './run-facts.ts';
import { laneAt } from './test-lane.ts';

const path = process.env[SETUP_VARIABLE] ?? '';

/** Imports a script. Hardhat 2 transpiles TypeScript only for `require`. */
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
