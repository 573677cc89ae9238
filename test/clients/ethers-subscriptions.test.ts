import { WebSocketProvider } from 'ethers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { deploy, write } from '../support/ethers.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';

describe('ethers over WebSocket', () => {
  let node: RunningNode;
  let provider: WebSocketProvider;

  beforeAll(async () => {
    node = await startNode();
    provider = new WebSocketProvider(node.webSocketUrl, undefined, { cacheTimeout: -1 });
  });

  afterAll(async () => {
    await provider.destroy();
    await node.stop();
  });

  it('receives blocks, pending transactions and logs', async () => {
    const signer = await provider.getSigner(0);
    const counter = await deploy(signer, 'cancun', 'Counter');
    const other = await deploy(signer, 'cancun', 'Counter');
    const blocks: number[] = [];
    const pending: string[] = [];
    await provider.on('block', (number: number) => blocks.push(number));
    await provider.on('pending', (hash: string) => pending.push(hash));
    const heard = new Promise<unknown[]>((resolve) => {
      counter.on('Increased', (...event: unknown[]) => resolve(event.slice(0, 3)));
    });
    const head = await provider.getBlockNumber();
    const receipts = [await write(other, 'increase', 1n), await write(counter, 'increase', 2n)];
    expect(await heard).toEqual([signer.address, 2n, 2n]);
    await vi.waitFor(() => {
      expect(blocks).toEqual([head + 1, head + 2]);
      expect(pending).toEqual(receipts.map(({ hash }) => hash));
    });

    await provider.removeAllListeners();
    await counter.removeAllListeners();
    await write(counter, 'increase', 3n);
    expect(blocks).toHaveLength(2);
  });
});
