import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IpcSocketProvider } from 'ethers';
import { createPublicClient, createTestClient } from 'viem';
import { ipc } from 'viem/node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { IpcProvider } from 'web3-providers-ipc';
import { createNode, type LocalNode, type LocalServer } from '../../src/index.ts';
import { deploy, write } from '../support/ethers.ts';
import { defineNetwork33 } from '../support/viem.ts';
import { connectWeb3 } from '../support/web3.ts';

describe('IPC clients', () => {
  let folder: string;
  let node: LocalNode;
  let server: LocalServer;
  let path: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ipc-clients-'));
    path = join(folder, 'node.ipc');
    node = await createNode();
    server = await node.listen({ ipc: path, lanes: true });
  });

  afterAll(async () => {
    await server.close();
    await node.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('viem calls methods, reads batches and watches blocks over IPC', async () => {
    expect(server.ipcPath).toBe(path);
    const chain = defineNetwork33(server.url);
    const transport = ipc(path, { reconnect: false });
    const client = createPublicClient({ chain, transport, cacheTime: 0 });
    const miner = createTestClient({ chain, mode: 'anvil', transport });
    const heads: bigint[] = [];
    const errors: Error[] = [];
    const stop = client.watchBlockNumber({
      onBlockNumber: (number) => heads.push(number),
      onError: (error) => errors.push(error),
    });
    const first = await client.getBlockNumber();
    await miner.mine({ blocks: 2 });
    await vi.waitFor(() => expect(heads).toEqual([first + 1n, first + 2n]));
    const numbers = Array.from({ length: 20 }, (_, index) => BigInt(index % 2));
    const blocks = await Promise.all(numbers.map((blockNumber) => client.getBlock({ blockNumber })));
    expect(blocks.map(({ number }) => number)).toEqual(numbers);
    stop();
    expect(errors).toEqual([]);
    (await client.transport.getRpcClient()).close();
  });

  it('ethers sends transactions and receives events over IPC', async () => {
    const provider = new IpcSocketProvider(path, undefined, { cacheTimeout: -1 });
    const signer = await provider.getSigner(0);
    const counter = await deploy(signer, 'cancun', 'Counter');
    const heard = new Promise<unknown[]>((resolve) => {
      counter.on('Increased', (...event: unknown[]) => resolve(event.slice(0, 3)));
    });
    await provider.getBlockNumber();
    await write(counter, 'increase', 5n);
    expect(await heard).toEqual([signer.address, 5n, 5n]);
    await counter.removeAllListeners();
    provider.socket.destroy();
    await provider.destroy();
  });

  it('web3.js sends transactions and receives blocks over IPC', async () => {
    const provider = new IpcProvider(path, {}, { autoReconnect: false, delay: 0, maxAttempts: 0 });
    const web3 = connectWeb3(provider);
    const [from = ''] = await web3.eth.getAccounts();
    const blocks = await web3.eth.subscribe('newBlockHeaders');
    const heard = new Promise((resolve) => blocks.on('data', ({ number }) => resolve(number)));
    const { blockNumber } = await web3.eth.sendTransaction({ from, to: from, value: 1n });
    expect(await heard).toBe(blockNumber);
    const numbers = await Promise.all(Array.from({ length: 20 }, () => web3.eth.getBlockNumber()));
    expect(new Set(numbers)).toEqual(new Set([blockNumber]));
    await blocks.unsubscribe();
    provider.disconnect();
  });

  it('IPC and the URL / serve the same chain, and lanes are not affected', async () => {
    const provider = new IpcSocketProvider(path);
    const before = await node.request({ method: 'eth_blockNumber' });
    await provider.send('evm_mine', []);
    expect(await node.request({ method: 'eth_blockNumber' })).toBe(`0x${(Number(before) + 1).toString(16)}`);
    provider.socket.destroy();
    await provider.destroy();
  });
});
