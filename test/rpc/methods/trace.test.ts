import { beforeAll, describe, expect, it } from 'vitest';
import { matcherOf } from '../../../src/rpc/traces.ts';
import { BOB, CAROL } from '../../support/test-chain.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { type DeployedContract, deploy, receiptOf, SENDER } from './contract.ts';

const UNKNOWN = `0x${'12'.repeat(32)}`;

const CALL_ITSELF = '5f5f600136035f5f303661400002f150';
/** Code that calls itself twice with call data one byte shorter, and stops without call data. */
const NESTED_CODE = `0x3615602557${CALL_ITSELF}${CALL_ITSELF}5b00`;

interface Trace {
  readonly action: Readonly<Record<string, unknown>>;
  readonly blockNumber: number;
  readonly transactionHash: string;
  readonly transactionPosition: number;
  readonly type: string;
  readonly traceAddress: readonly number[];
}

let harness: RpcHarness;
let factory: DeployedContract;
/**
 * Block 1: the factory. Block 2: it creates a contract. Block 3: a failing creation. Block 4: two transfers.
 */
const hashes: string[] = [];

beforeAll(async () => {
  harness = await createRpcHarness();
  factory = await deploy(harness, 'Factory');
  const send = async (fields: object) =>
    void hashes.push(
      String(await harness.call('eth_sendTransaction', [{ from: SENDER, gas: 800_000, ...fields }])),
    );
  await send({ to: factory.address, data: factory.data('create', 7n) });
  await send({ to: factory.address, data: factory.data('create', 13n) });
  harness.chain.miner.setMode({ automine: false, blockTime: null });
  await send({ to: BOB, value: '0x1' });
  await send({ from: BOB, to: CAROL, value: '0x2' });
  await harness.call('evm_mine');
});

async function filtered(filter: object): Promise<Trace[]> {
  return (await harness.call('trace_filter', [filter])) as Trace[];
}

describe('trace_transaction', () => {
  it('trace_transaction lists the call and its inner creation with their input and output', async () => {
    const traces = (await harness.call('trace_transaction', [hashes[0]])) as Trace[];
    const { blockHash, logs } = await receiptOf(harness, hashes[0]);
    const child = `0x${(logs as { topics: string[] }[])[1]?.topics[1]?.slice(26)}`;
    const place = { blockHash, blockNumber: 2, transactionHash: hashes[0], transactionPosition: 0 };
    expect(traces).toMatchObject([
      {
        ...place,
        type: 'call',
        action: { callType: 'call', from: SENDER, to: factory.address, input: factory.data('create', 7n) },
        subtraces: 1,
        traceAddress: [],
        result: { output: `0x${child.slice(2).padStart(64, '0')}` },
      },
      {
        ...place,
        type: 'create',
        action: { creationMethod: 'create', from: factory.address, value: '0x0' },
        subtraces: 0,
        traceAddress: [0],
        result: { address: child, code: await harness.call('eth_getCode', [child, 'latest']) },
      },
    ]);
  });

  it('trace_transaction returns an error and no result for reverted frames', async () => {
    expect(await harness.call('trace_transaction', [hashes[1]])).toMatchObject([
      { type: 'call', error: 'Reverted', result: null },
      { type: 'create', error: 'Reverted', result: null },
    ]);
  });

  it('trace_transaction returns null for an unknown transaction', async () => {
    expect(await harness.call('trace_transaction', [UNKNOWN])).toBeNull();
  });
});

describe('trace_block', () => {
  it('trace_block lists the traces of all transactions of a block by number, tag or hash', async () => {
    const traces = (await harness.call('trace_block', ['0x4'])) as Trace[];
    expect(
      traces.map(({ transactionHash, transactionPosition }) => [transactionHash, transactionPosition]),
    ).toEqual([
      [hashes[2], 0],
      [hashes[3], 1],
    ]);
    const { hash } = (await harness.call('eth_getBlockByNumber', ['latest', false])) as { hash: string };
    expect(await harness.call('trace_block', ['latest'])).toEqual(traces);
    expect(await harness.call('trace_block', [hash])).toEqual(traces);
    const both = await Promise.all(hashes.slice(2).map((each) => harness.call('trace_transaction', [each])));
    expect(both.flat()).toEqual(traces);
  });

  it('trace_block is empty for the genesis, null for an unknown block, else rejected', async () => {
    expect(await harness.call('trace_block', ['earliest'])).toEqual([]);
    expect(await harness.call('trace_block', ['0x99'])).toBeNull();
    expect(await harness.call('trace_block', [UNKNOWN])).toBeNull();
    await expect(harness.call('trace_block', ['newest'])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params: block:/),
    });
  });
});

describe('trace_filter', () => {
  it('trace_filter lists all traces of the chain by default', async () => {
    const traces = await filtered({});
    expect(traces.map(({ blockNumber, traceAddress }) => [blockNumber, traceAddress])).toEqual([
      [1, []],
      [2, []],
      [2, [0]],
      [3, []],
      [3, [0]],
      [4, []],
      [4, []],
    ]);
  });

  it('trace_filter selects transactions by sender and recipient, combined if both are given', async () => {
    const byRecipient = await filtered({ toAddress: [factory.address, CAROL] });
    expect(byRecipient.map(({ blockNumber }) => blockNumber)).toEqual([2, 2, 3, 3, 4]);
    const bySender = await filtered({ fromAddress: [BOB] });
    expect(bySender.map(({ transactionHash }) => transactionHash)).toEqual([hashes[3]]);
    expect(await filtered({ fromAddress: [BOB], toAddress: [factory.address] })).toEqual([]);
    expect(await filtered({ fromAddress: [], toAddress: [] })).toHaveLength(7);
  });

  it('trace_filter reads each of its addresses only once', async () => {
    let looks = 0;
    const counting = new Proxy(
      Array.from({ length: 100 }, (_, index) => new Uint8Array(20).fill(index + 100)),
      {
        get(target, key, receiver) {
          if (typeof key === 'string' && /^\d+$/.test(key)) looks++;
          return Reflect.get(target, key, receiver);
        },
      },
    );
    const isWanted = matcherOf({ fromAddress: counting, toAddress: null });
    const { transactions } = harness.chain.head();
    for (let count = 0; count < 50; count++) expect(transactions.some(isWanted)).toBe(false);
    expect(looks).toBe(100);
  });

  it('trace_filter applies the block range', async () => {
    expect(await filtered({ fromBlock: '0x2', toBlock: '0x2' })).toHaveLength(2);
    expect(await filtered({ fromBlock: '0x99' })).toEqual([]);
    expect(await filtered({ fromBlock: '0x4', toBlock: '0x99' })).toHaveLength(2);
    expect(await filtered({ fromBlock: 'latest', toBlock: 'latest' })).toHaveLength(2);
  });

  it('after and count apply to traces, not to transactions', async () => {
    const all = await filtered({});
    expect(await filtered({ after: 2, count: 2 })).toEqual(all.slice(2, 4));
    expect(await filtered({ after: '0x6' })).toEqual(all.slice(6));
    expect(await filtered({ count: 0 })).toEqual([]);
    expect(await filtered({ after: 10_000, count: 10_000 })).toEqual([]);
  });

  it.each([
    [{ count: 10_001 }, 'Count value too big. Maximum 10000 traces allowed.'],
    [{ after: -1 }, 'After value cannot be negative.'],
    [{ after: 10_001 }, 'After value too big. Maximum 10000 traces allowed.'],
    [{ fromBlock: '0x3', toBlock: '0x2' }, 'fromBlock cannot be greater than toBlock'],
    [null, 'Invalid trace_filter parameters.'],
  ])("rejects %j with Rootstock's message", async (filter, message) => {
    await expect(harness.call('trace_filter', [filter])).rejects.toMatchObject({ code: -32602, message });
  });

  it.each([
    [{ fromAddress: BOB }, /params: filter.fromAddress:/],
    [{ toAddress: ['0x12'] }, /params: filter.toAddress\[0\]:/],
    [{ after: 'many' }, /params: filter.after:/],
    [{ fromBlock: 'oldest' }, /params: filter.fromBlock:/],
    ['all', /params: filter:/],
  ])('rejects %j with the path of the invalid value', async (filter, message) => {
    await expect(harness.call('trace_filter', [filter])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(message),
    });
  });
});

describe('trace_get', () => {
  it('trace_get returns the trace at a path of indexes', async () => {
    const traces = (await harness.call('trace_transaction', [hashes[0]])) as Trace[];
    expect(traces.map(({ traceAddress }) => traceAddress)).toEqual([[], [0]]);
    expect(await harness.call('trace_get', [hashes[0], []])).toEqual(traces[0]);
    expect(await harness.call('trace_get', [hashes[0], ['0x0']])).toEqual(traces[1]);
    expect(await harness.call('trace_get', [hashes[0], [0]])).toEqual(traces[1]);
    expect(await harness.call('trace_get', [hashes[3], []])).toMatchObject({ transactionHash: hashes[3] });
  });

  it('trace_get accepts every path that trace_transaction lists', async () => {
    const deep = await createRpcHarness();
    const nest = `0x${'22'.repeat(20)}`;
    await deep.call('anvil_setCode', [nest, NESTED_CODE]);
    const hash = await deep.call('eth_sendTransaction', [
      { from: SENDER, to: nest, data: '0x000000', gas: '0x4c4b40' },
    ]);
    const traces = (await deep.call('trace_transaction', [hash])) as Trace[];
    expect(traces.length).toBeGreaterThan(10);
    for (const trace of traces) {
      expect(await deep.call('trace_get', [hash, trace.traceAddress])).toEqual(trace);
    }
  });

  it('trace_get returns null for unknown paths and transactions', async () => {
    expect(await harness.call('trace_get', [hashes[0], ['0x1']])).toBeNull();
    expect(await harness.call('trace_get', [hashes[0], ['0x0', '0x0']])).toBeNull();
    expect(await harness.call('trace_get', [hashes[0], ['0x0', '0x7']])).toBeNull();
    expect(await harness.call('trace_get', [UNKNOWN, ['0x0']])).toBeNull();
  });
});
