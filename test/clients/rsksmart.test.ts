import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { start } from '../cli/support/started-node.ts';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
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

it(
  'a wallet of ethers 5 sends type 2 under rootstock-next by itself, at no less than the minimum gas price',
  async () => {
    const node = await startNode('--hardfork', 'rootstock-next', '--min-gas-price', '60000000');
    try {
      const env = { ...process.env, NODE_URL: node.url, PRIVATE_KEY: DEV_ACCOUNTS[1].privateKey };
      const { stdout } = await run('node', ['ethers-5.js'], { cwd: FOLDER, env });
      const { price, ...sent } = JSON.parse(stdout);
      expect(sent).toEqual({ type: 2, status: 1 });
      expect(Number(price)).toBeGreaterThanOrEqual(60_000_000);
    } finally {
      await node.stop();
    }
  },
  MAX_RUN_TIME,
);

it(
  'bitcoin-core uses wallets, payments, proofs, batches and errors on the port of the parent chain',
  async () => {
    const node = await start(['--parent-chain', '--parent-port', '0']);
    try {
      const env = { ...process.env, PARENT_URL: / and (http:\S+)/.exec(node.host.written.output)?.[1] };
      const { stdout } = await run('node', ['bitcoin-core.js'], { cwd: FOLDER, env });
      expect(JSON.parse(stdout)).toEqual({
        balance: 1.5,
        confirmations: 1,
        isIncluded: true,
        batch: [102, true],
        unknown: { code: -32601, message: 'Method not found' },
        tooMuch: { code: -6, message: 'Insufficient funds' },
      });
    } finally {
      await node.end();
    }
  },
  MAX_RUN_TIME,
);
