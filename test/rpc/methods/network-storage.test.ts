import { ClassicLevel } from 'classic-level';
import { describe, expect, it, vi } from 'vitest';
import { createNode } from '../../../src/index.ts';
import { createForkScene } from '../../fork/fork-scene.ts';
import { ScriptedUpstream } from '../../fork/scripted-upstream.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { word } from '../../support/words.ts';
import { createExampleChain, EXAMPLE } from '../example-chain.ts';
import { createRpcHarness } from '../rpc-harness.ts';

const CONTRACT = `0x${'77'.repeat(20)}`;

describe('chain_getStorageBytesAt', () => {
  it.each(['chain_getStorageBytesAt', 'rsk_getStorageBytesAt'])(
    '%s returns the bytes without leading zeros, and 0x0 for an empty slot',
    async (method) => {
      const { call } = await createRpcHarness();
      await call('hardhat_setStorageAt', [CONTRACT, '0x1', word(0x1234)]);

      expect(await call(method, [CONTRACT, '0x1', 'latest'])).toBe('0x1234');
      expect(await call(method, [CONTRACT, '0x2', 'latest'])).toBe('0x0');
    },
  );

  it('rsk_getStorageBytesAt reads the upstream before the fork block and the chain after it', async () => {
    const node = await createExampleChain();
    const upstream = new ScriptedUpstream((method, params) => node.call(method, params));
    const { call } = await createForkScene(upstream);
    await call('hardhat_setStorageAt', [EXAMPLE.counter, '0x0', word(7)]);
    const ask = (block: string) => call('rsk_getStorageBytesAt', [EXAMPLE.counter, '0x0', block]);

    expect([await ask('latest'), await ask('0x3'), await ask('0x0')]).toEqual(['0x07', '0x2a', '0x0']);
    expect(upstream.count('rsk_getStorageBytesAt')).toBe(0);
  });
});

describe('eth_getBlocksByNumber on a fork', () => {
  it('eth_getBlocksByNumber lists upstream blocks before the fork and own blocks after it', async () => {
    const node = await createExampleChain();
    const upstream = new ScriptedUpstream((method, params) => node.call(method, params));
    const { call } = await createForkScene(upstream);
    await call('evm_mine');
    const own = (await call('eth_getBlockByNumber', ['0x5', false])) as { hash: string };

    const [before, after, above] = [
      await call('eth_getBlocksByNumber', ['0x1']),
      await call('eth_getBlocksByNumber', ['0x5']),
      await call('eth_getBlocksByNumber', ['0x6']),
    ];

    expect(before).toEqual(await node.call('eth_getBlocksByNumber', ['0x1']));
    expect(after).toMatchObject([{ hash: own.hash, inMainChain: true }]);
    expect(above).toEqual([]);
    expect(upstream.count('eth_getBlocksByNumber')).toBe(0);
  });
});

describe('chain_flush', () => {
  it.each(['chain_flush', 'rsk_flush'])('%s returns null without a data directory', async (method) => {
    const { call } = await createRpcHarness();

    expect(await call(method)).toBeNull();
  });

  it.each(['chain_flush', 'rsk_flush'])('%s syncs the data directory to disk', async (method) => {
    const node = await createNode({ dataDir: await temporaryDirectory(), noSync: true });
    const deleted = vi.spyOn(ClassicLevel.prototype, 'del');

    expect(await node.request({ method })).toBeNull();

    expect(deleted.mock.calls.map(([, options]) => options)).toEqual([{ sync: true }]);
    deleted.mockRestore();
    await node.close();
  });
});

describe('debug_accountTransactionQuota', () => {
  it('debug_accountTransactionQuota returns null, because this node has no quotas', async () => {
    const { call } = await createRpcHarness();

    expect(await call('debug_accountTransactionQuota', [CONTRACT])).toBeNull();
    await expect(call('debug_accountTransactionQuota', ['0x12'])).rejects.toMatchObject({ code: -32602 });
  });
});
