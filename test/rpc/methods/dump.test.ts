import { describe, expect, it } from 'vitest';
import { fromHex } from '../../../src/primitives/hex.ts';
import { nodeOf } from '../../support/test-chain.ts';
import { createRpcHarness, type RpcHarness, testConnection } from '../rpc-harness.ts';
import { deploy, SENDER } from './contract.ts';

const STRANGER = `0x${'5a'.repeat(20)}`;

/** A chain with a contract that has logged, and a funded account. */
async function createSample(compat: 'service' | 'anvil' | 'hardhat' = 'service') {
  const harness = await createRpcHarness({ compat });
  const counter = await deploy(harness, 'Counter');
  const data = counter.data('increment');
  await harness.call('eth_sendTransaction', [{ from: SENDER, to: counter.address, data }]);
  await harness.call('anvil_setBalance', [STRANGER, '0x7']);
  return { harness, counter };
}

async function facts({ call, chain }: RpcHarness): Promise<unknown> {
  return {
    head: await call('eth_getBlockByNumber', ['latest', true]),
    balance: await call('eth_getBalance', [STRANGER, 'latest']),
    balanceBefore: await call('eth_getBalance', [STRANGER, '0x1']),
    logs: await call('eth_getLogs', [{ fromBlock: '0x0' }]),
    first: chain.snapshots.list(),
  };
}

describe.each(['anvil', 'hardhat', 'ganache'] as const)('%s_dumpState and %s_loadState', (prefix) => {
  it.each(['service', 'anvil', 'hardhat'] as const)(
    'a dump restores a chain in compat mode %s',
    async (compat) => {
      const { harness } = await createSample(compat);
      const before = await facts(harness);
      const dump = await harness.call(`${prefix}_dumpState`);
      expect(dump).toMatch(/^0x1f8b08([0-9a-f]{2})+$/);
      await harness.call('anvil_setBalance', [STRANGER, '0x9']);
      await harness.call('evm_mine', [{ blocks: 3 }]);
      expect(await harness.call(`${prefix}_loadState`, [dump])).toBe(true);
      expect(await facts(harness)).toEqual(before);
      const other = await createRpcHarness({ compat }, { genesisTimestamp: 5 });
      expect(await other.call(`${prefix}_loadState`, [dump])).toBe(true);
      expect(await facts(other)).toEqual(before);
    },
  );
});

describe('anvil_loadState', () => {
  const accounts = { [STRANGER]: { nonce: 3, balance: '0x5', code: '0x6001', storage: { '0x1': '0x2' } } };

  it.each([
    ['an object', { accounts }],
    ['a text', JSON.stringify({ accounts })],
    ['bytes', `0x${Buffer.from(JSON.stringify({ accounts })).toString('hex')}`],
  ])('loads the accounts of an Anvil state file passed as %s', async (_, state) => {
    const { call } = await createRpcHarness();
    expect(await call('anvil_loadState', [state])).toBe(true);
    expect(await call('eth_getBalance', [STRANGER, 'latest'])).toBe('0x5');
    expect(await call('eth_getTransactionCount', [STRANGER, 'latest'])).toBe('0x3');
    expect(await call('eth_getCode', [STRANGER, 'latest'])).toBe('0x6001');
    expect(BigInt(String(await call('eth_getStorageAt', [STRANGER, '0x1', 'latest'])))).toBe(2n);
  });

  it('notifies filters and subscriptions of removed and added logs and heads', async () => {
    const { harness, counter } = await createSample();
    const { call } = harness;
    const dump = await call('anvil_dumpState');
    const data = counter.data('increment');
    await call('evm_snapshot');
    await call('anvil_rollback', [1]);
    const heads = testConnection('websocket');
    const logs = testConnection('websocket');
    await call('eth_subscribe', ['newHeads'], heads);
    await call('eth_subscribe', ['logs'], logs);
    const filter = await call('eth_newFilter', [{}]);
    await call('eth_sendTransaction', [{ from: SENDER, to: counter.address, data, gas: '0x30d41' }]);
    await call('eth_getFilterChanges', [filter]);
    await call('anvil_loadState', [dump]);
    const removed = [{ removed: false }, { removed: true }, { removed: false }];
    expect(logs.sent.map(({ params }) => params)).toMatchObject(removed.map((result) => ({ result })));
    expect(heads.sent.map(({ params }) => params)).toMatchObject(
      ['0x2', '0x2'].map((number) => ({ result: { number } })),
    );
    expect(await call('eth_getFilterChanges', [filter])).toMatchObject([
      { removed: true },
      { removed: false },
    ]);
  });

  it('rejects a value that is not a dump', async () => {
    const { call } = await createRpcHarness();
    for (const state of ['0x', '0x12', 'state', 7, [], {}, '{"accounts":', '0x1f8b08']) {
      await expect(call('anvil_loadState', [state])).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('invalid params: state'),
      });
    }
  });
});

describe('anvil_dumpState', () => {
  it('the dump does not include private keys', async () => {
    const { call, chain } = await createRpcHarness();
    const dump = String(await call('anvil_dumpState'));
    const other = await createRpcHarness({}, { devAccounts: [] });
    await nodeOf(other.chain).dump.load(fromHex(dump));
    expect(other.chain.wallet.addresses()).toEqual([]);
    expect(chain.wallet.addresses()).toHaveLength(3);
  });
});
