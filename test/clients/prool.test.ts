import { execFile } from 'node:child_process';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { install } from './tool-project.ts';

const MAX_INSTALL_TIME = 600_000;
const run = promisify(execFile);

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

// prool does not run with Node 20.
beforeAll(async () => {
  await install('hardhat/node-22');
  await install('prool', 'hardhat/node-22');
}, MAX_INSTALL_TIME);

it('prool starts one node for each worker, as it starts Anvil', async () => {
  const PATH = [pathOf('hardhat/node-22/node_modules/.bin'), process.env.PATH].join(delimiter);
  const NODE_CLI = process.env.NODE_CLI ?? pathOf('../../bin/node-cli.js');
  const { stdout } = await run('node', ['pool.js'], {
    cwd: pathOf('prool'),
    env: { ...process.env, PATH, NODE_CLI },
  });
  expect(JSON.parse(stdout)).toEqual({
    accounts: 3,
    chainId: '0x21',
    heights: ['0x3', '0x0'],
    heightsAfterRestart: ['0x0', '0x0'],
    isHeard: true,
  });
});
