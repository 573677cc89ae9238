import { beforeAll, describe, expect, it } from 'vitest';
import { createForkScene } from '../../fork/fork-scene.ts';
import { ScriptedUpstream } from '../../fork/scripted-upstream.ts';
import { BOB } from '../../support/test-chain.ts';
import { word } from '../../support/words.ts';
import { createExampleChain, EXAMPLE } from '../example-chain.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { type DeployedContract, deploy, SENDER } from './contract.ts';

const UNKNOWN = `0x${'12'.repeat(32)}`;
const ALL = ['trace', 'vmTrace', 'stateDiff'];
const SLOT_0 = `0x${'00'.repeat(32)}`;

interface Replay {
  readonly output: string;
  readonly trace: readonly Readonly<Record<string, unknown>>[];
  readonly vmTrace: { readonly code: string; readonly ops: readonly { readonly op: string }[] } | null;
  readonly stateDiff: Readonly<
    Record<string, { readonly storage: Readonly<Record<string, unknown>>; readonly nonce: unknown }>
  > | null;
  readonly transactionHash?: string;
}

let harness: RpcHarness;
let counter: DeployedContract;
/**
 * Block 1: the counter. Block 2: it counts to 42, followed by another transaction. Block 3: a failing count.
 */
const hashes: string[] = [];

beforeAll(async () => {
  harness = await createRpcHarness();
  counter = await deploy(harness, 'Counter');
  const send = async (fields: object) =>
    void hashes.push(
      String(await harness.call('eth_sendTransaction', [{ from: SENDER, gas: 100_000, ...fields }])),
    );
  harness.chain.miner.setMode({ automine: false, blockTime: null });
  await send({ to: counter.address, data: counter.data('increase', 42n) });
  await send({ to: counter.address, data: counter.data('increment') });
  await harness.call('evm_mine');
  harness.chain.miner.setMode({ automine: true, blockTime: null });
  await send({ to: counter.address, data: counter.data('increase', 2n ** 256n - 1n) });
});

async function replay(method: string, ...params: readonly unknown[]): Promise<Replay> {
  return (await harness.call(method, params)) as Replay;
}

const slotChange = (from: number, to: number) => ({ [SLOT_0]: { '*': { from: word(from), to: word(to) } } });
const increment = () => ({ from: SENDER, to: counter.address, data: counter.data('increment') });
const count = () => ({ to: counter.address, data: counter.data('count') });

describe('trace_replayTransaction', () => {
  it('trace_replayTransaction runs the transaction on its original state', async () => {
    const first = await replay('trace_replayTransaction', hashes[0], ALL);
    const second = await replay('trace_replayTransaction', hashes[1], ALL);
    expect(first.stateDiff?.[counter.address]?.storage).toEqual(slotChange(0, 42));
    expect(second.stateDiff?.[counter.address]?.storage).toEqual(slotChange(42, 43));
    expect(first.vmTrace?.code).toBe(await harness.call('eth_getCode', [counter.address, 'latest']));
  });

  it('trace_replayTransaction returns the frames of trace_transaction without block fields', async () => {
    const { trace } = await replay('trace_replayTransaction', hashes[2], ALL);
    const [listed] = (await harness.call('trace_transaction', [hashes[2]])) as Record<string, unknown>[];
    const { blockHash, blockNumber, transactionHash, transactionPosition, ...bare } = listed ?? {};
    expect(trace).toEqual([bare]);
    expect(bare).toMatchObject({ error: 'Reverted', result: null });
  });

  it('trace_replayTransaction returns null for an unknown transaction', async () => {
    expect(await harness.call('trace_replayTransaction', [UNKNOWN, ALL])).toBeNull();
  });

  it.each([
    [['state'], /params: traceTypes\[0\]:.*one of trace, vmTrace, stateDiff/],
    ['trace', /params: traceTypes:.*an array of trace, vmTrace, stateDiff/],
    [undefined, /params: traceTypes:/],
  ])('rejects the trace types %j and lists the valid ones', async (parts, message) => {
    await expect(harness.call('trace_replayTransaction', [hashes[0], parts])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(message),
    });
  });
});

describe('trace_replayBlockTransactions', () => {
  it('trace_replayBlockTransactions returns the replay of each transaction with its hash', async () => {
    const replays = (await harness.call('trace_replayBlockTransactions', ['0x2', ALL])) as Replay[];
    const each = await Promise.all(
      hashes.slice(0, 2).map((hash) => replay('trace_replayTransaction', hash, ALL)),
    );
    expect(replays).toEqual(each.map((one, index) => ({ ...one, transactionHash: hashes[index] })));
  });

  it('trace_replayBlockTransactions is empty for the genesis and null for an unknown block', async () => {
    expect(await harness.call('trace_replayBlockTransactions', ['earliest', ALL])).toEqual([]);
    expect(await harness.call('trace_replayBlockTransactions', ['0x99', ALL])).toBeNull();
  });
});

describe('trace_call', () => {
  it('trace_call runs on the state after the block and changes nothing', async () => {
    const past = await replay('trace_call', increment(), ['stateDiff'], '0x1');
    expect(past.stateDiff?.[counter.address]?.storage).toEqual({
      [SLOT_0]: { '*': { from: word(0), to: word(1) } },
    });
    const now = await replay('trace_call', increment(), ['stateDiff']);
    expect(now.stateDiff?.[counter.address]?.storage).toEqual(slotChange(43, 44));
    expect(await replay('trace_call', count(), [])).toEqual({
      output: word(43),
      stateDiff: null,
      trace: [],
      vmTrace: null,
    });
  });

  it('trace_call accepts state and block overrides', async () => {
    const state = { [counter.address]: { stateDiff: { [SLOT_0]: word(7) } } };
    expect((await replay('trace_call', count(), [], 'latest', state)).output).toBe(word(7));
    const code = '0x425f5260205ff3';
    const returnsTime = { [BOB]: { code } };
    const params = [{ to: BOB }, [], 'latest', returnsTime, { time: '0x77777777' }];
    expect((await replay('trace_call', ...params)).output).toBe(word(0x77777777));
  });

  it('trace_call rejects an unknown block', async () => {
    await expect(replay('trace_call', count(), [], '0x99')).rejects.toMatchObject({ code: -32600 });
  });
});

describe('trace_callMany', () => {
  it('trace_callMany runs each call on the state after the previous calls', async () => {
    const calls = [
      [increment(), ['stateDiff']],
      [increment(), ['stateDiff']],
      [count(), ['trace']],
    ];
    const [first, second, third] = (await harness.call('trace_callMany', [calls])) as Replay[];
    expect(first?.stateDiff?.[counter.address]?.storage).toEqual(slotChange(43, 44));
    expect(second?.stateDiff?.[counter.address]?.storage).toEqual(slotChange(44, 45));
    expect(second?.stateDiff?.[SENDER]?.nonce).toEqual({ '*': { from: '0x5', to: '0x6' } });
    expect(third).toMatchObject({ output: word(45), stateDiff: null, trace: [{ type: 'call' }] });
    expect((await replay('trace_call', count(), [])).output).toBe(word(43));
  });

  it('trace_callMany reports the path of an invalid call', async () => {
    const calls = [
      [count(), []],
      [{ to: '0x12' }, []],
    ];
    await expect(harness.call('trace_callMany', [calls])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params: calls\[1\]\[0\]\.to:/),
    });
    await expect(
      harness.call('trace_callMany', [[[{ ...count(), maxFeePerGas: '0x1' }, []]]]),
    ).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params: calls\[0\]\[0\]\.maxFeePerGas:/),
    });
  });
});

describe('trace_rawTransaction', () => {
  it('trace_rawTransaction traces a signed transaction without sending it', async () => {
    const transaction = { ...increment(), gas: 100_000, gasPrice: 0, nonce: 4 };
    const raw = await harness.call('eth_signTransaction', [transaction]);
    const signed = typeof raw === 'string' ? raw : (raw as { raw: string }).raw;
    const { stateDiff, trace } = await replay('trace_rawTransaction', signed, ['stateDiff', 'trace']);
    expect(stateDiff?.[counter.address]?.storage).toEqual(slotChange(43, 44));
    expect(trace).toMatchObject([{ action: { from: SENDER, to: counter.address } }]);
    expect(await harness.call('eth_blockNumber')).toBe('0x3');
    expect(await harness.call('txpool_status')).toEqual({ pending: 0, queued: 0 });
  });

  it('trace_rawTransaction rejects bytes that are not a transaction', async () => {
    await expect(replay('trace_rawTransaction', '0xc0', ['trace'])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/transaction/),
    });
  });
});

describe('trace_transactionOpcodeGas and trace_blockOpcodeGas', () => {
  it('opcode gas methods count the executed opcodes and the gas of the code', async () => {
    const [trace] = (await replay('trace_replayTransaction', hashes[0], ['trace'])).trace;
    const counted = (await harness.call('trace_transactionOpcodeGas', [hashes[0]])) as {
      readonly transactionHash: string;
      readonly opcodeGas: readonly { readonly opcode: string; readonly gasUsed: number }[];
    };
    expect(counted.transactionHash).toBe(hashes[0]);
    expect(counted.opcodeGas[0]?.opcode).toBe('SSTORE');
    const sum = counted.opcodeGas.reduce((total, { gasUsed }) => total + gasUsed, 0);
    expect(trace).toMatchObject({ result: { gasUsed: `0x${sum.toString(16)}` } });
    const second = await harness.call('trace_transactionOpcodeGas', [hashes[1]]);
    const { hash } = (await harness.call('eth_getBlockByNumber', ['0x2', false])) as { hash: string };
    expect(await harness.call('trace_blockOpcodeGas', ['0x2'])).toEqual({
      blockHash: hash,
      blockNumber: 2,
      transactions: [counted, second],
    });
  });

  it('opcode gas methods return null for unknown transactions and blocks', async () => {
    expect(await harness.call('trace_transactionOpcodeGas', [UNKNOWN])).toBeNull();
    expect(await harness.call('trace_blockOpcodeGas', ['0x99'])).toBeNull();
  });
});

describe('replays on a fork', () => {
  it('the upstream replays blocks before the fork, and the node replays later blocks', async () => {
    const asked: string[] = [];
    const node = await createExampleChain();
    const upstream = new ScriptedUpstream((method, params) => {
      asked.push(method);
      return node.call(method, params);
    });
    const fork = await createForkScene(upstream);
    const before = await fork.call('trace_replayTransaction', [EXAMPLE.increaseHash, ['stateDiff']]);
    expect(before).toEqual(await node.call('trace_replayTransaction', [EXAMPLE.increaseHash, ['stateDiff']]));
    expect(await fork.call('trace_replayBlockTransactions', ['0x3', []])).toHaveLength(1);
    await fork.call('trace_call', [{ to: EXAMPLE.counter, data: '0x06661abd' }, [], '0x1']);
    expect(asked.filter((method) => method.startsWith('trace_'))).toEqual([
      'trace_replayTransaction',
      'trace_replayBlockTransactions',
      'trace_call',
    ]);
    // The counter and its slot are fetched from the upstream.
    const call = { from: SENDER, to: EXAMPLE.counter, data: '0xd09de08a' };
    const own = (await fork.call('trace_call', [call, ['stateDiff', 'vmTrace']])) as Replay;
    expect(own.stateDiff?.[EXAMPLE.counter]?.storage).toEqual(slotChange(42, 43));
    const hash = await fork.call('eth_sendTransaction', [call]);
    const mined = (await fork.call('trace_replayTransaction', [hash, ['stateDiff', 'vmTrace']])) as Replay;
    expect(mined.stateDiff?.[EXAMPLE.counter]?.storage).toEqual(slotChange(42, 43));
    expect(mined.vmTrace).toEqual(
      own.vmTrace === null ? null : expect.objectContaining({ code: own.vmTrace.code }),
    );
    expect(asked.filter((method) => method.startsWith('trace_'))).toHaveLength(3);
  });
});
