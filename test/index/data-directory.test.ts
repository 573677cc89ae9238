import { expect, it } from 'vitest';
import { createNode, type LocalNode } from '../../src/index.ts';
import { copyOf, temporaryDirectory } from '../support/temporary-directory.ts';

const STRANGER = `0x${'ab'.repeat(20)}`;
const KEY = `0x${'17'.repeat(32)}`;

const call = (node: LocalNode, method: string, ...params: unknown[]): Promise<unknown> =>
  node.request({ method, params });

it('createNode writes every answered change to dataDir, and a later node continues from it', async () => {
  const dataDir = await temporaryDirectory();
  const node = await createNode({ dataDir, accounts: 1 });
  const [account] = JSON.parse(JSON.stringify(await call(node, 'eth_accounts')));
  const hash = await call(node, 'eth_sendTransaction', { from: account, to: STRANGER, value: '0x5' });
  await call(node, 'hardhat_impersonateAccount', STRANGER);
  await call(node, 'personal_importRawKey', KEY, 'secret');
  const accounts = await call(node, 'eth_accounts');

  // The copy has the same files as the disk now, as if the process had been killed.
  const other = await createNode({ dataDir: await copyOf(dataDir), accounts: 1 });
  expect(await call(other, 'eth_getTransactionReceipt', hash)).toEqual(
    await call(node, 'eth_getTransactionReceipt', hash),
  );
  expect(await call(other, 'eth_accounts')).toEqual(accounts);
  await call(other, 'eth_sendTransaction', { from: STRANGER, to: account, value: '0x1' });
  expect(await call(other, 'eth_getBalance', STRANGER, 'latest')).toBe('0x4');
  await expect(createNode({ dataDir })).rejects.toThrow(`--data-dir: ${dataDir} is in use by another node`);
  await other.close();
  await node.close();
});
