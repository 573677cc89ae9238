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

describe.each(COMPATS)("log ranges beyond the head under Ethereum's rules, compat mode %s", (compat) => {
  it.each(BEYOND)('eth_getLogs rejects %j with -32602', async (filter, end) => {
    const { call } = await chainOfFive('osaka', compat);

    await expect(call('eth_getLogs', [filter])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(
        new RegExp(`filter\\.${end}: expected at most 5, the number of the head block`),
      ),
    });
  });

  it.each(BEYOND)(
    'eth_getFilterLogs rejects %j with -32602 until the chain reaches the range',
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

describe("log ranges within the chain under Ethereum's rules", () => {
  it.each(WITHIN)('eth_getLogs and eth_getFilterLogs find the logs of %j', async (filter, count) => {
    const { call } = await chainOfFive('osaka');

    expect(await call('eth_getLogs', [filter])).toHaveLength(count);
    const id = await call('eth_newFilter', [filter]);
    expect(await call('eth_getFilterLogs', [id])).toHaveLength(count);
  });
});

describe("future log ranges under Ethereum's rules", () => {
  it('eth_newFilter reports the logs of a future range', async () => {
    const harness = await chainOfFive('osaka');
    const { call } = harness;
    const id = await call('eth_newFilter', [{ fromBlock: '0x7', toBlock: '0x8' }]);

    for (let block = 6; block <= 9; block++) await emit(harness);

    expect(await call('eth_getFilterChanges', [id])).toMatchObject([
      { blockNumber: '0x7' },
      { blockNumber: '0x8' },
    ]);
  });

  it('eth_subscribe accepts a future range', async () => {
    const harness = await chainOfFive('osaka');
    const connection = testConnection('websocket');

    const filter = { fromBlock: '0x9', toBlock: '0xa' };
    expect(await harness.call('eth_subscribe', ['logs', filter], connection)).toMatch(/^0x/);
  });
});

describe("log ranges beyond the head under Rootstock's rules", () => {
  it.each([
    [{ fromBlock: '0x6' }, 0],
    [{ fromBlock: '0x6', toBlock: '0x9' }, 0],
    [{ fromBlock: '0x2', toBlock: '0x6' }, 4],
  ])('eth_getLogs returns the existing logs for %j', async (filter, count) => {
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

  it.each(REVERSED)('trace_filter rejects an inverted range, regardless of the head: %j', async (filter) => {
    for (const { call } of [rootstock, ethereum])
      await expect(call('trace_filter', [filter])).rejects.toMatchObject({
        code: -32602,
        message: 'fromBlock cannot be greater than toBlock',
      });
  });

  it('trace_filter returns an empty list for a range beyond the head', async () => {
    for (const { call } of [rootstock, ethereum])
      expect(await call('trace_filter', [{ fromBlock: '0x6', toBlock: '0x9' }])).toEqual([]);
  });

  it.each([{ fromBlock: '0x6' }, { fromBlock: '0x6', toBlock: 'latest' }])(
    'trace_filter with a start beyond the head is empty on Rootstock and rejected under Ethereum rules: %j',
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
  ])('eth_newFilter and eth_getLogs reject an inverted range: %j', async (filter) => {
    for (const rules of ['rootstock', 'osaka'] as const) {
      const { call } = await chainOfFive(rules);
      for (const method of ['eth_getLogs', 'eth_newFilter'])
        await expect(call(method, [filter])).rejects.toMatchObject({ code: -32602 });
    }
  });
});
