import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { createNode } from '../../src/index.ts';
import { install } from './tool-project.ts';

const MAX_INSTALL_TIME = 600_000;
const MAX_RUN_TIME = 120_000;
const FOLDER = fileURLToPath(new URL('flashbots/', import.meta.url));
const run = promisify(execFile);
/** The keys of the first two default accounts. */
const KEYS = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
];

beforeAll(() => install('flashbots'), MAX_INSTALL_TIME);

it(
  "Flashbots' and MEV-Share's clients simulate, send, wait for and cancel bundles",
  async () => {
    const node = await createNode({ hardfork: 'osaka' });
    const { url, close } = await node.listen();
    try {
      const { stdout } = await run(process.execPath, ['send.js'], {
        cwd: FOLDER,
        env: { ...process.env, NODE_URL: url, KEYS: KEYS.join(',') },
      });
      const transfer = { gasUsed: 21_000, value: '0x' };
      expect(JSON.parse(stdout)).toEqual({
        simulation: {
          totalGasUsed: 42_000,
          results: [transfer, transfer],
          hasPriorityFees: true,
          hash: true,
        },
        blocks: [
          [0, 1],
          [0, 1],
        ],
        failure: -32000,
        nonceAfterFailure: 0,
        included: true,
        cancelled: 1,
        private: true,
        privateCancelled: true,
        event: { hasDoubleHash: true, to: true },
        bundleHash: 66,
        backrun: true,
        simBundle: { success: true, profit: true, gasUsed: 21_000, stateBlock: 0 },
      });
    } finally {
      await close();
      await node.close();
    }
  },
  MAX_RUN_TIME,
);
