import { beforeAll, describe, expect, it } from 'vitest';
import { BOB } from '../../support/test-chain.ts';
import { word } from '../../support/words.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { type DeployedContract, deploy, SENDER } from './contract.ts';

const CALLS = { tracer: 'callTracer' };

interface Frame {
  readonly output?: string;
}

let harness: RpcHarness;
let counter: DeployedContract;
/** Block 2 has three transactions, which count to 5, 10 and 15. */
beforeAll(async () => {
  harness = await createRpcHarness();
  counter = await deploy(harness, 'Counter');
  harness.chain.miner.setMode({ automine: false, blockTime: null });
  for (let sent = 0; sent < 3; sent++) {
    const data = counter.data('increase', 5n);
    await harness.call('eth_sendTransaction', [{ from: SENDER, to: counter.address, data, gas: 100_000 }]);
  }
  await harness.call('evm_mine');
});

const count = () => ({ to: counter.address, data: counter.data('count') });
const increment = () => ({ from: SENDER, to: counter.address, data: counter.data('increment') });

async function traceMany(...params: readonly unknown[]): Promise<Frame[][]> {
  return (await harness.call('debug_traceCallMany', params)) as Frame[][];
}

describe('txIndex of debug_traceCall', () => {
  const counted = async (options: object): Promise<number> => {
    const trace = await harness.call('debug_traceCall', [count(), '0x2', { ...CALLS, ...options }]);
    return Number((trace as Frame).output);
  };

  it('txIndex runs the call before the transaction with that index', async () => {
    expect([await counted({}), await counted({ txIndex: 0 })]).toEqual([15, 0]);
    expect([await counted({ txIndex: '0x1' }), await counted({ txIndex: 2 })]).toEqual([5, 10]);
  });

  it('txIndex works with overrides and with decoding', async () => {
    const stateOverrides = { [counter.address]: { stateDiff: { [word(0)]: word(7) } } };
    expect(await counted({ txIndex: 1, stateOverrides })).toBe(7);
    const code = '0x425f5260205ff3';
    const options = {
      ...CALLS,
      txIndex: 1,
      stateOverrides: { [BOB]: { code } },
      blockOverrides: { time: '0x77' },
      tracerConfig: { decode: true },
    };
    const trace = await harness.call('debug_traceCall', [{ to: BOB }, '0x2', options]);
    expect(trace).toMatchObject({ output: word(0x77), decoded: { failure: null } });
  });

  it('txIndex is rejected if the block has no such transaction', async () => {
    await expect(counted({ txIndex: 3 })).rejects.toMatchObject({
      code: -32000,
      message: 'transaction index 3 out of range: block 2 has 3 transactions',
    });
    await expect(counted({ txIndex: -1 })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params: options\.txIndex:/),
    });
  });
});

describe('debug_traceCallMany', () => {
  it('debug_traceCallMany runs each call on the state after the previous calls, across bundles', async () => {
    const bundles = [{ transactions: [increment(), count()] }, { transactions: [increment(), count()] }];
    const [first, second] = await traceMany(bundles, null, CALLS);
    expect([first?.[1], second?.[1]].map((frame) => Number(frame?.output))).toEqual([16, 17]);
    expect(Number(await harness.call('eth_call', [count(), 'latest']))).toBe(15);
  });

  it('debug_traceCallMany starts at the end of a block or before one of its transactions', async () => {
    const counted = async (context: object | null): Promise<number> => {
      const [[frame] = []] = await traceMany([{ transactions: [count()] }], context, CALLS);
      return Number(frame?.output);
    };
    expect(await counted({ blockNumber: '0x1' })).toBe(0);
    expect(await counted({ blockNumber: '0x2', transactionIndex: 1 })).toBe(5);
    expect(await counted({ blockNumber: '0x2', transactionIndex: -1 })).toBe(15);
  });

  it('debug_traceCallMany returns struct logs by default, and applies overrides', async () => {
    const [[steps] = []] = await traceMany([{ transactions: [count()] }]);
    expect(steps).toMatchObject({ failed: false, structLogs: expect.any(Array) });
    const stateOverrides = { [BOB]: { code: '0x425f5260205ff3' } };
    const bundles = [5, 6].map((time) => ({ transactions: [{ to: BOB }], blockOverride: { time } }));
    const traces = await traceMany(bundles, null, { ...CALLS, stateOverrides });
    expect(traces.flat().map(({ output }) => Number(output))).toEqual([5, 6]);
  });

  it.each([
    ['time', '42', 7, [7, 8, 9]],
    ['number', '43', '0x64', [100, 101, 102]],
  ])('keeps an override of the %s for later bundles, each one block and one second later', async (...row) => {
    const [field, opcode, value, expected] = row;
    const stateOverrides = { [BOB]: { code: `0x${opcode}5f5260205ff3` } };
    const transactions = [{ to: BOB }];
    const bundles = [{ transactions, blockOverride: { [field]: value } }, { transactions }, { transactions }];

    const traces = await traceMany(bundles, null, { ...CALLS, stateOverrides });

    expect(traces.flat().map(({ output }) => Number(output))).toEqual(expected);
  });

  it('debug_traceCallMany rejects a transaction index out of range, even without calls', async () => {
    const beyond = { blockNumber: '0x2', transactionIndex: 99 };
    for (const bundles of [[], [{ transactions: [] }], [{ transactions: [count()] }]])
      await expect(traceMany(bundles, beyond, CALLS)).rejects.toMatchObject({
        message: expect.stringMatching(/99/),
      });
  });

  it('debug_traceCallMany reports the path of an invalid call', async () => {
    await expect(
      traceMany([{ transactions: [] }, { transactions: [{ ...count(), maxFeePerGas: 1 }] }]),
    ).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params: bundles\[1\]\.transactions\[0\]\.maxFeePerGas:/),
    });
    await expect(traceMany([], null, { stateOverrides: 7 })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params: options\.stateOverrides:/),
    });
  });
});

describe('erc7562Tracer', () => {
  it('erc7562Tracer can be used alone and in muxTracer, with its own options', async () => {
    const options = { tracer: 'erc7562Tracer', tracerConfig: { ignoredOpcodes: ['0x54', 0x55] } };
    const trace = await harness.call('debug_traceCall', [increment(), 'latest', options]);
    expect(trace).toMatchObject({
      type: 'CALL',
      accessedSlots: { reads: { [word(0)]: [word(15)] }, writes: { [word(0)]: 1 } },
      outOfGas: false,
      keccak: [],
    });
    const { usedOpcodes } = trace as { usedOpcodes: object };
    expect(Object.keys(usedOpcodes)).toContain('0x56');
    expect(Object.keys(usedOpcodes)).not.toContain('0x55');
    const muxed = { tracer: 'muxTracer', tracerConfig: { erc7562Tracer: {}, callTracer: {} } };
    expect(await harness.call('debug_traceCall', [increment(), 'latest', muxed])).toMatchObject({
      erc7562Tracer: { usedOpcodes: { '0x55': 1 } },
      callTracer: { type: 'CALL' },
    });
    await expect(
      harness.call('debug_traceCall', [
        increment(),
        'latest',
        { ...options, tracerConfig: { ignoredOpcodes: 7 } },
      ]),
    ).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(/ignoredOpcodes/) });
  });
});
