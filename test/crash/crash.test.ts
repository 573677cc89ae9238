import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { crashAgainAndAgain } from './crash-rounds.ts';

const executable = process.env.NODE_CLI ?? fileURLToPath(new URL('../../bin/node-cli.js', import.meta.url));

it('a node that is killed under load has all acknowledged changes after each restart', async () => {
  const directory = join(await temporaryDirectory(), 'data');
  expect(await crashAgainAndAgain({ executable, directory, rounds: 5, seed: 7 })).toEqual([]);
});
