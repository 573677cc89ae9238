import { JsonRpcProvider } from 'ethers';
import {
  createPublicClient,
  createWalletClient,
  http,
  InsufficientFundsError,
  InvalidInputRpcError,
  RpcRequestError,
} from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNode, type LocalNode, type LocalServer } from '../../src/index.ts';
import { localNetwork33 } from '../../src/viem.ts';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';

const [{ address: holder }, { address: recipient }] = DEV_ACCOUNTS;
const MORE_THAN_ALL = 2n ** 128n;

describe('error names in data under compat hardhat', () => {
  let node: LocalNode;
  let server: LocalServer;

  beforeAll(async () => {
    node = await createNode({ compat: 'hardhat' });
    server = await node.listen();
  });

  afterAll(async () => {
    await server.close();
    await node.close();
  });

  it('are readable in viem, which still recognises the errors', async () => {
    const transport = http(server.url, { retryCount: 0 });
    const reader = createPublicClient({ chain: localNetwork33, transport });
    const unknownBlock = await reader
      .getBalance({ address: holder, blockNumber: 99n })
      .catch((error: unknown) => error);
    expect(unknownBlock).toBeInstanceOf(InvalidInputRpcError);
    expect(
      (unknownBlock as InvalidInputRpcError).walk((error) => error instanceof RpcRequestError),
    ).toMatchObject({
      data: { name: 'BlockNotFound' },
    });

    const wallet = createWalletClient({ account: holder, chain: localNetwork33, transport });
    const poor = await wallet
      .sendTransaction({ to: recipient, value: MORE_THAN_ALL, gas: 21_000n })
      .catch((error: unknown) => error);
    expect(
      (poor as InvalidInputRpcError).walk((error) => error instanceof InsufficientFundsError),
    ).not.toBeNull();
  });

  it('are readable in ethers, which still recognises the errors', async () => {
    const provider = new JsonRpcProvider(server.url, undefined, { cacheTimeout: -1 });
    await expect(provider.send('eth_getBalance', [holder, '0x63'])).rejects.toMatchObject({
      error: { data: { name: 'BlockNotFound' } },
    });
    const signer = await provider.getSigner(holder);
    await expect(
      signer.sendTransaction({ to: recipient, value: MORE_THAN_ALL, gasLimit: 21_000 }),
    ).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' });
    provider.destroy();
  });
});
