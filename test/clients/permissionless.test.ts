import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Abi, type Address, createPublicClient, createWalletClient, type Hex, http } from 'viem';
import { entryPoint08Address } from 'viem/account-abstraction';
import { beforeAll, expect, it } from 'vitest';
import { startNode } from '../support/node-process.ts';
import { install } from './tool-project.ts';

const MAX_INSTALL_TIME = 600_000;
const MAX_RUN_TIME = 120_000;
const FOLDER = fileURLToPath(new URL('permissionless/', import.meta.url));
const run = promisify(execFile);

beforeAll(() => install('permissionless'), MAX_INSTALL_TIME);

/** Creates a contract of ERC-4337 from its artifact. Resolves to its address. */
async function create(url: string, name: string): Promise<Address> {
  const artifact = createRequire(FOLDER)(`@account-abstraction/contracts/artifacts/${name}.json`);
  const wallet = createWalletClient({ transport: http(url) });
  const [account] = await wallet.getAddresses();
  const abi = artifact.abi as Abi;
  const takesEntryPoint = abi.some((item) => item.type === 'constructor' && item.inputs.length > 0);
  const hash = await wallet.deployContract({
    account: account ?? null,
    chain: null,
    abi,
    bytecode: artifact.bytecode as Hex,
    args: takesEntryPoint ? [entryPoint08Address] : [],
  });
  const receipt = await createPublicClient({ transport: http(url) }).getTransactionReceipt({ hash });
  return receipt.contractAddress ?? expect.unreachable();
}

it(
  'permissionless.js creates accounts, sends batches, reports failures and delegates (EIP-7702)',
  async () => {
    const node = await startNode('--hardfork', 'latest');
    try {
      const [FACTORY, IMPLEMENTATION] = [
        await create(node.url, 'SimpleAccountFactory'),
        await create(node.url, 'Simple7702Account'),
      ];
      const { stdout } = await run(process.execPath, ['send.js'], {
        cwd: FOLDER,
        env: { ...process.env, NODE_URL: node.url, FACTORY, IMPLEMENTATION },
      });
      expect(JSON.parse(stdout)).toEqual({
        created: { status: 'success', received: [1, 2] },
        again: { status: 'success', received: [1, 2] },
        success: true,
        refused: expect.stringContaining('reverted'),
        delegation: true,
        code: `0xef0100${IMPLEMENTATION.slice(2)}`,
      });
    } finally {
      await node.stop();
    }
  },
  MAX_RUN_TIME,
);
