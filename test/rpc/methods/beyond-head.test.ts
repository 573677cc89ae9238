import { beforeAll, describe, expect, it } from 'vitest';
import type { RuleSetName } from '../../../src/protocol/hardforks/registry.ts';
import { createRpcHarness, type RpcHarness, testConnection } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

/** Creation code that emits a log without topics. */
const EMIT = '0x5f5fa0';
const COMPATS = ['service', 'anvil', 'hardhat'] as const;

async function chainOfFive(
  ruleSet: RuleSetName,
  compat: (typeof COMPATS)[number] = 'service',
): Promise<RpcHarness> {
  const harness = await createRpcHarness({ compat }, { ruleSet });
  for (let block = 1; block <= 5; block++) await emit(harness);
  return harness;
}

function emit({ call }: RpcHarness): Promise<unknown> {
  return call('eth_sendTransaction', [{ from: SENDER, data: EMIT }]);
}

const BEYOND = [
  [{ fromBlock: '0x6' }, 'fromBlock'],
  [{ fromBlock: '0x6', toBlock: '0x9' }, 'fromBlock'],
  [{ fromBlock: '0x2', toBlock: '0x6' }, 'toBlock'],
  [{ toBlock: '0x6' }, 'toBlock'],
  [{ fromBlock: 'earliest', toBlock: 99 }, 'toBlock'],
] as const;

const WITHIN = [
  [{}, 1],
  [{ fromBlock: '0x5' }, 1],
  [{ fromBlock: '0x1', toBlock: '0x5' }, 5],
  [{ fromBlock: 'earliest', toBlock: 'latest' }, 5],
  [{ fromBlock: 'earliest', toBlock: 'pending' }, 5],
] as const;

describe.each(COMPATS)("a range of logs beyond the head under Ethereum's rules, with compat %s", (compat) => {
  it.each(BEYOND)('is -32602 in eth_getLogs, for %j', async (filter, end) => {
    const { call } = await chainOfFive('osaka', compat);

    await expect(call('eth_getLogs', [filter])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(
        new RegExp(`filter\\.${end}: expected at most 5, the number of the head block`),
      ),
    });
  });

  it.each(BEYOND)(
    'is -32602 in eth_getFilterLogs until the chain reaches it, for %j',
    async (filter, end) => {
      const harness = await chainOfFive('osaka', compat);
      const { call } = harness;
      const id = await call('eth_newFilter', [filter]);

      await expect(call('eth_getFilterLogs', [id])).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining(`params: filterId.${end}:`),
      });

      await call('hardhat_mine', ['0x64']);
      expect(await call('eth_getFilterLogs', [id])).toBeInstanceOf(Array);
    },
  );
});

describe("a range of logs within the chain under Ethereum's rules", () => {
  it.each(WITHIN)('finds its logs, for %j', async (filter, count) => {
    const { call } = await chainOfFive('osaka');

    expect(await call('eth_getLogs', [filter])).toHaveLength(count);
    const id = await call('eth_newFilter', [filter]);
    expect(await call('eth_getFilterLogs', [id])).toHaveLength(count);
  });
});

describe("a filter or subscription that starts in the future under Ethereum's rules", () => {
  it('reports the logs of its range when they come', async () => {
    const harness = await chainOfFive('osaka');
    const { call } = harness;
    const id = await call('eth_newFilter', [{ fromBlock: '0x7', toBlock: '0x8' }]);

    for (let block = 6; block <= 9; block++) await emit(harness);

    expect(await call('eth_getFilterChanges', [id])).toMatchObject([
      { blockNumber: '0x7' },
      { blockNumber: '0x8' },
    ]);
  });

  it('is created by eth_subscribe, whose filter may name a range', async () => {
    const harness = await chainOfFive('osaka');
    const connection = testConnection('websocket');

    const filter = { fromBlock: '0x9', toBlock: '0xa' };
    expect(await harness.call('eth_subscribe', ['logs', filter], connection)).toMatch(/^0x/);
  });
});

describe("a range of logs beyond the head under Rootstock's rules", () => {
  it.each([
    [{ fromBlock: '0x6' }, 0],
    [{ fromBlock: '0x6', toBlock: '0x9' }, 0],
    [{ fromBlock: '0x2', toBlock: '0x6' }, 4],
  ])('has the logs that exist, for %j', async (filter, count) => {
    const { call } = await chainOfFive('rootstock');

    expect(await call('eth_getLogs', [filter])).toHaveLength(count);
  });
});

const REVERSED = [
  { fromBlock: '0x3', toBlock: '0x2' },
  { fromBlock: '0x63', toBlock: '0x2' },
  { fromBlock: '0x63', toBlock: '0x62' },
  { fromBlock: 'latest', toBlock: '0x2' },
  { fromBlock: '0x1', toBlock: 'earliest' },
  { fromBlock: '0x63', toBlock: 'earliest' },
  { fromBlock: 'pending', toBlock: 'latest' },
] as const;

describe('trace_filter', () => {
  let rootstock: RpcHarness;
  let ethereum: RpcHarness;

  beforeAll(async () => {
    [rootstock, ethereum] = [await chainOfFive('rootstock'), await chainOfFive('osaka')];
  });

  it.each(REVERSED)('rejects a range that starts above its end, wherever the head is: %j', async (filter) => {
    for (const { call } of [rootstock, ethereum])
      await expect(call('trace_filter', [filter])).rejects.toMatchObject({
        code: -32602,
        message: 'fromBlock cannot be greater than toBlock',
      });
  });

  it('finds nothing in a range beyond the head', async () => {
    for (const { call } of [rootstock, ethereum])
      expect(await call('trace_filter', [{ fromBlock: '0x6', toBlock: '0x9' }])).toEqual([]);
  });

  it.each([{ fromBlock: '0x6' }, { fromBlock: '0x6', toBlock: 'latest' }])(
    'follows the head on Rootstock, and rejects a start beyond it under Ethereum rules: %j',
    async (filter) => {
      expect(await rootstock.call('trace_filter', [filter])).toEqual([]);
      await expect(ethereum.call('trace_filter', [filter])).rejects.toMatchObject({ code: -32602 });
    },
  );
});

describe('eth_newFilter and eth_getLogs', () => {
  it.each([
    { fromBlock: '0x3', toBlock: '0x2' },
    { fromBlock: '0x63', toBlock: '0x2' },
  ])('reject a range that starts above its end: %j', async (filter) => {
    for (const rules of ['rootstock', 'osaka'] as const) {
      const { call } = await chainOfFive(rules);
      for (const method of ['eth_getLogs', 'eth_newFilter'])
        await expect(call(method, [filter])).rejects.toMatchObject({ code: -32602 });
    }
  });
});
