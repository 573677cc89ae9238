import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { startNode } from '../support/node-process.ts';
import { install } from './tool-project.ts';

const MAX_INSTALL_TIME = 600_000;
const MAX_RUN_TIME = 120_000;
const FOLDER = fileURLToPath(new URL('rsksmart/', import.meta.url));
const run = promisify(execFile);

beforeAll(() => install('rsksmart'), MAX_INSTALL_TIME);

it(
  'pmt-builder, bridges-core-sdk and rsk-precompiled-abis register a pegin and request a pegout',
  async () => {
    const node = await startNode('--parent-chain', '--no-federate');
    try {
      const env = { ...process.env, NODE_URL: node.url };
      const { stdout } = await run('node', ['peg.js'], { cwd: FOLDER, env });

      expect(JSON.parse(stdout)).toEqual({
        isAddress: true,
        addressSize: 21,
        chainId: 33,
        proven: 2,
        bestHeight: true,
        pegin: ['pegin_btc'],
        balance: '500000000000000000',
        processed: true,
        pegout: ['release_request_received'],
        queued: '1',
        fee: true,
        created: [
          'update_collections',
          'release_requested',
          'pegout_transaction_created',
          'batch_pegout_created',
        ],
      });
    } finally {
      await node.stop();
    }
  },
  MAX_RUN_TIME,
);
