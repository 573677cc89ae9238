import { describe, expect, it } from 'vitest';
import type { LocalNode } from '../../src/index.ts';
import { FIRST_ACCOUNT, SECOND_ACCOUNT } from '../support/dev-accounts.ts';
import { resultAt } from '../support/json-rpc.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { kept, start } from './started-node.ts';

const TRANSFER = {
  method: 'eth_sendTransaction',
  params: [{ from: FIRST_ACCOUNT, to: SECOND_ACCOUNT, value: '0x1' }],
};

async function blockNumber(node: LocalNode): Promise<number> {
  return Number(await node.request({ method: 'eth_blockNumber' }));
}

describe('LocalNode.fork', () => {
  it('a fork starts from the current chain, and later changes affect only one of the nodes', async () => {
    const node = await start();
    await node.request(TRANSFER);
    const fork = kept(await node.fork());
    await fork.request(TRANSFER);
    expect([await blockNumber(node), await blockNumber(fork)]).toEqual([1, 2]);
  });

  it('a fork starts from a given block', async () => {
    const node = await start();
    await node.request(TRANSFER);
    expect(await blockNumber(kept(await node.fork({ block: 0n })))).toBe(0);
    await expect(node.fork({ block: 2 })).rejects.toThrow('Block 2 not found');
  });

  it('a fork has its own banned addresses', async () => {
    const node = await start();
    const fork = kept(await node.fork());
    await fork.request({ method: 'sco_banAddress', params: ['203.0.113.7'] });
    expect(await fork.request({ method: 'sco_bannedAddresses' })).toEqual(['203.0.113.7']);
    expect(await node.request({ method: 'sco_bannedAddresses' })).toEqual([]);
  });

  it('a fork has its own events, and stays open after the original is closed', async () => {
    const node = await start();
    const fork = await node.fork();
    kept(fork);
    const told: string[] = [];
    for (const [name, one] of [
      ['node', node],
      ['fork', fork],
    ] as const) {
      one.on('message', () => told.push(name));
      await one.request({ method: 'eth_subscribe', params: ['newHeads'] });
    }
    await node.request(TRANSFER);
    await node.close();
    await fork.request(TRANSFER);
    await fork.request(TRANSFER);
    expect(told).toEqual(['node', 'fork', 'fork']);
    await expect(node.fork()).rejects.toMatchObject({ code: 4900 });
  });
});

describe('LocalNode.snapshot', () => {
  it('a snapshot can be reverted to any number of times', async () => {
    const node = await start();
    const snapshot = await node.snapshot();
    for (let round = 0; round < 3; round++) {
      await node.request(TRANSFER);
      await node.request(TRANSFER);
      await snapshot.revert();
      expect(await blockNumber(node)).toBe(0);
    }
  });

  it('a snapshot is released when the node reverts to an earlier one', async () => {
    const node = await start();
    const early = await node.snapshot();
    const late = await node.snapshot();
    await early.revert();
    await expect(late.revert()).rejects.toThrow('snapshot not found: the snapshot was released');
    await early.revert();
  });

  it('a snapshot can be forked', async () => {
    const node = await start();
    await node.request(TRANSFER);
    const snapshot = await node.snapshot();
    await node.request(TRANSFER);
    expect(await blockNumber(kept(await snapshot.fork()))).toBe(1);
    expect(await blockNumber(node)).toBe(2);
  });

  it('a snapshot replaces no named one, is not listed, and is not kept in the data directory', async () => {
    const dataDir = await temporaryDirectory();
    const node = await start({ dataDir });
    for (const name of ['in process 1', 'in process 2'])
      await node.request({ method: 'evm_snapshot', params: [name] });
    const listed = await node.request({ method: 'evm_listSnapshots' });
    await node.request(TRANSFER);
    const snapshot = await node.snapshot();
    await node.request(TRANSFER);
    expect(await node.request({ method: 'evm_listSnapshots' })).toEqual(listed);
    await snapshot.revert();
    expect(await blockNumber(node)).toBe(1);
    expect(await node.request({ method: 'evm_revert', params: ['in process 1'] })).toBe(true);
    expect(await blockNumber(node)).toBe(0);
    await node.close();
    const again = await start({ dataDir });
    expect(await again.request({ method: 'evm_listSnapshots' })).toMatchObject([{ id: 'in process 1' }]);
  });

  it('a snapshot can be released, more than once', async () => {
    const node = await start();
    const early = await node.snapshot();
    const late = await node.snapshot();
    await early.release();
    await early.release();
    await expect(early.revert()).rejects.toThrow('snapshot not found: the snapshot was released');
    await expect(early.fork()).rejects.toThrow('snapshot not found: the snapshot was released');
    await node.request(TRANSFER);
    await late.revert();
    expect(await blockNumber(node)).toBe(0);
  });

  it('a snapshot is released when the node is closed', async () => {
    const node = await start();
    const snapshot = await node.snapshot();
    await node.close();
    await expect(snapshot.release()).resolves.toBeUndefined();
    await expect(snapshot.revert()).rejects.toMatchObject({ code: 4900 });
    await expect(snapshot.fork()).rejects.toMatchObject({ code: 4900 });
  });
});

describe('LocalNode.listen', () => {
  it('a server serves the chain on a free port until it is closed', async () => {
    const node = await start();
    const server = await node.listen();
    await node.request(TRANSFER);
    expect(await resultAt(server.url, 'eth_blockNumber')).toBe('0x1');
    expect(server.webSocketUrl).toBe(`ws://127.0.0.1:${server.port}`);
    await server.close();
    await expect(fetch(server.url)).rejects.toThrow();
    expect(await blockNumber(node)).toBe(1);
  });

  it('a server serves lanes if they are requested', async () => {
    const node = await start();
    const { url } = await node.listen({ lanes: true, laneLimit: 1 });
    await node.request(TRANSFER);
    await resultAt(`${url}/a`, TRANSFER.method, TRANSFER.params);
    expect(await resultAt(`${url}/a`, 'eth_blockNumber')).toBe('0x2');
    expect(await resultAt(url, 'eth_blockNumber')).toBe('0x1');
    await expect(resultAt(`${url}/b`, 'eth_blockNumber')).rejects.toThrow('lane');
    expect(await resultAt(url, 'lane_list')).toEqual([{ key: 'a', blockNumber: '0x2' }]);
    await node.close();
    await expect(fetch(url)).rejects.toThrow();
  });

  it('a server has no lanes by default', async () => {
    const node = await start();
    const { url } = await node.listen();
    await resultAt(`${url}/a`, TRANSFER.method, TRANSFER.params);
    expect(await blockNumber(node)).toBe(1);
    await expect(node.request({ method: 'lane_list' })).rejects.toMatchObject({
      code: -32601,
      message: 'lanes are off; start the node with --lanes',
    });
  });

  it('listen fails with the reason if the port is in use', async () => {
    const node = await start();
    const { port } = await node.listen();
    await expect(node.listen({ port })).rejects.toThrow('already in use');
  });
});
