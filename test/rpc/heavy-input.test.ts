import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { codeTemplate } from '../../src/artifacts/code-template.ts';
import { codeKey } from '../../src/artifacts/contract-index.ts';
import { jsonBytes } from '../../src/persistence/anvil/write-anvil-state.ts';
import { CodedError } from '../../src/primitives/coded-error.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { encodeRlpList } from '../../src/primitives/rlp.ts';
import { METHODS } from '../../src/rpc/method-table.ts';
import { plainResult } from '../../src/rpc/views/log-list.ts';
import { blockTransactionsView } from '../../src/rpc/views/otterscan.ts';
import { afterMicrotasks, Scheduler } from '../../src/scheduling/scheduler.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';
import { answerMessage } from '../../src/server/envelope.ts';
import { defaultServerOptions } from '../../src/server/options.ts';
import { Blockchain } from '../../src/storage/blockchain.ts';
import { LogRecord } from '../../src/storage/log-record.ts';
import { createFakeTime } from '../support/fake-time.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import {
  ALICE,
  createChainWith,
  nodeOf,
  TEST_DEFAULTS,
  TEST_START,
  testDependencies,
} from '../support/test-chain.ts';
import { countTurns } from '../support/turns.ts';
import { word } from '../support/words.ts';
import { exampleOf } from './method-examples.ts';
import { testConnection, testService } from './rpc-harness.ts';

const CONTRACT = `0x${'c0'.repeat(20)}`;
const addressOf = (index: number): string => `0x${(index + 0x1000).toString(16).padStart(40, '0')}`;

/**
 * A node whose calls take and return JSON text. Each check of the monotonic clock advances it by `tick` ms,
 * so slices end at the same instructions on every machine. With `tick: 0`, only counted work causes a yield.
 */
async function createNode({
  tick = 1,
  ...options
}: {
  tick?: number;
  gasLimit?: bigint;
  ruleSet?: 'rootstock' | 'prague';
  dataDirectory?: string;
} = {}) {
  const time = createFakeTime(TEST_START);
  let milliseconds = 0;
  const scheduler = new Scheduler({
    clock: { now: () => (milliseconds += tick) },
    defer: (action) => void setImmediate(action),
    afterMicrotasks,
  });
  const chain = await createChainWith(
    { ...TEST_DEFAULTS, ...options },
    { ...testDependencies(time), scheduler },
  );
  const service = testService(chain, time);
  const serverOptions = {
    ...defaultServerOptions,
    hooks: {
      onInternalError: (error: unknown) => {
        throw error;
      },
    },
  };
  const answer = async (text: string): Promise<string> =>
    String(await answerMessage(text, service, testConnection(), serverOptions));
  const ask = async (text: string): Promise<Record<string, unknown>> => JSON.parse(await answer(text));
  const call = async (method: string, params: readonly unknown[] = []): Promise<unknown> => {
    const { result, error } = await ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    if (error !== undefined) throw new Error(JSON.stringify(error).slice(0, 300));
    return result;
  };
  return { chain, service, answer, ask, call };
}

type Node = Awaited<ReturnType<typeof createNode>>;

/** RLP lists nested to the given depth. */
function nestedRlp(levels: number): string {
  let inner: Uint8Array = encodeRlpList([]);
  for (let level = 1; level < levels; level++) inner = encodeRlpList([inner]);
  return toHex(inner);
}

/** Calls itself to the maximum depth, then ends. */
const RECURSION = '0x5f5f5f5f5f305af100';
/** Emits empty logs until only the gas to end remains. */
const LOGS = '0x5b5f5fa0620100005a1160005700';
/** Emits logs of 32 kB until only the gas to end remains. */
const LONG_LOGS = '0x5b6180005fa0620500005a1160005700';

const typedData = (length: number) => ({
  types: { List: [{ name: 'items', type: 'uint8[]' }] },
  primaryType: 'List',
  domain: {},
  message: { items: Array.from({ length }, (_, index) => index % 256) },
});

const slots = (length: number) =>
  Object.fromEntries(Array.from({ length }, (_, index) => [word(index), word(index + 1)]));

const traced = (tracer: string, tracerConfig = {}) => [
  { from: ALICE, to: CONTRACT },
  'latest',
  { tracer, tracerConfig, stateOverrides: { [CONTRACT]: { code: RECURSION } } },
];

const manyAccounts = {
  accounts: Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [addressOf(index), { nonce: 0, balance: '0x1' }]),
  ),
};
const manySlots = { accounts: { [CONTRACT]: { nonce: 0, balance: '0x1', storage: slots(10_000) } } };
const load = (state: unknown) => (node: Node) => node.call('anvil_loadState', [JSON.stringify(state)]);

const call = { from: ALICE, to: CONTRACT };
const words = (count: number, first = 0) => Array.from({ length: count }, (_, index) => word(first + index));

describe('time slices of heavy messages', () => {
  it('answering a batch of 1,000 rejected requests yields', async () => {
    const { answer } = await createNode();
    const requests = Array.from({ length: 1_000 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: `eth_nothing${id}`,
    }));
    const { result, turns } = await countTurns(() => answer(JSON.stringify(requests)));
    expect(JSON.parse(result)).toHaveLength(1_000);
    expect(turns).toBeGreaterThan(10);
  });

  it('answering a 300,000-item message yields and keeps a large id', async () => {
    const { answer } = await createNode();
    const items = JSON.stringify(Array.from({ length: 300_000 }, (_, index) => index));
    const text = `{"id":9007199254740993,"method":"web3_sha3","params":["0x00",${items}]}`;
    const { result, turns } = await countTurns(() => answer(text));
    expect(result).toMatch(/^\{"jsonrpc":"2\.0","id":9007199254740993,"error":\{"code":-32602,/);
    expect(turns).toBeGreaterThan(5);
  });
});

it('a precompile transaction that takes several slices pays for its gas once', async () => {
  const { call } = await createNode({ ruleSet: 'prague' });
  const balance = async (): Promise<bigint> =>
    BigInt(String(await call('eth_getBalance', [ALICE, 'latest'])));
  const size = word(512).slice(2);
  const data = `0x${size.repeat(3)}${'ff'.repeat(3 * 512)}`;
  const to = `0x${'5'.padStart(40, '0')}`;
  const sent = { from: ALICE, to, data, gas: '0xe4e1c0', gasPrice: '0x2540be400' };
  const before = await balance();
  const { result: hash, turns } = await countTurns(() => call('eth_sendTransaction', [sent]));
  expect(turns).toBeGreaterThan(5);
  const { gasUsed, status } = (await call('eth_getTransactionReceipt', [hash])) as Record<string, string>;
  expect(status).toBe('0x1');
  expect(before - (await balance())).toBe(BigInt(gasUsed ?? 0) * 10n ** 10n);
});

it('fingerprinting a long code yields', async () => {
  const template = codeTemplate({ object: '5b'.repeat(2 ** 21) });
  const { turns, result } = await countTurns(async () => runTask(codeKey(template), new TimeSlice()));
  expect(result).toMatchObject({ length: 2 ** 21, isMasked: true });
  // The code is read twice, with and without the filled-in ranges, at 2^18 bytes per slice.
  expect(turns).toBeGreaterThanOrEqual(16);
});

it('loading a dump over its own chain on a disk replaces at most 128 states between yields', async () => {
  const { chain, call } = await createNode({ tick: 0, dataDirectory: await temporaryDirectory() });
  onTestFinished(() => chain.close());
  await call('evm_mine_detailed', [{ blocks: 500 }]);
  const dump = await call('anvil_dumpState');
  await call('evm_mine');
  const { replaceState } = Blockchain.prototype;
  const replaced: number[] = [];
  const spy = vi.spyOn(Blockchain.prototype, 'replaceState').mockImplementation(function (
    this: Blockchain,
    number,
    state,
  ) {
    // Counts the states replaced before the event loop turns.
    if (replaced.at(-1) === undefined || hasTurned) replaced.push(0);
    replaced.push((replaced.pop() ?? 0) + 1);
    hasTurned = false;
    setImmediate(() => {
      hasTurned = true;
    });
    replaceState.call(this, number, state);
  });
  let hasTurned = false;
  onTestFinished(() => spy.mockRestore());
  await call('anvil_loadState', [dump]);
  expect(chain.head().header.number).toBe(500);
  expect(replaced.reduce((sum, count) => sum + count)).toBe(501);
  expect(Math.max(...replaced)).toBeLessThanOrEqual(128);
});

it('returning the transactions of a simulated block yields', async () => {
  const { answer } = await createNode({ tick: 0 });
  const turnsWith = async (returnFullTransactions: boolean): Promise<number> => {
    const blocks = [
      { blockOverrides: { gasLimit: '0x17d78400' }, calls: Array(2_000).fill({ ...call, gas: '0x5208' }) },
    ];
    const params = [{ returnFullTransactions, blockStateCalls: blocks }];
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_simulateV1', params });
    const { result, turns } = await countTurns(() => answer(text));
    expect(result).toMatch(/^.{24}"result"/);
    return turns;
  };
  // Writing 2,000 transactions of 500 characters as JSON takes at least 14 yields.
  expect(await turnsWith(true)).toBeGreaterThan((await turnsWith(false)) + 14);
});

it('a page of transactions reads only its own receipts', async () => {
  const { chain, call: ask } = await createNode({ tick: 0 });
  await ask('evm_setAutomine', [false]);
  for (let index = 0; index < 20; index++) await ask('eth_sendTransaction', [{ ...call, gas: '0x5208' }]);
  await ask('evm_mine');
  let reads = 0;
  const block = chain.head();
  const receipts = block.receipts.map((receipt) => ({
    ...receipt,
    get gasUsed() {
      reads++;
      return receipt.gasUsed;
    },
  }));
  const options = {
    fieldNames: 'service',
    rules: chain.ruleSet,
    compat: { namesFailedCreations: false, otterscanOfAnvil: false },
  } as const;
  const page = await runTask(
    blockTransactionsView({ ...block, receipts }, { number: 1, size: 3 }, options),
    new TimeSlice(),
  );
  expect(page).toHaveProperty('receipts.length', 3);
  expect(reads).toBe(3);
});

it('sending many logs to subscribers yields, and each subscriber receives all logs in order', async () => {
  const { service, call: ask } = await createNode({ tick: 0 });
  const connections = [testConnection('websocket'), testConnection('websocket')];
  for (const connection of connections) await service.call('eth_subscribe', ['logs', {}], connection);
  await ask('hardhat_setCode', [CONTRACT, LOGS]);
  for (const gas of ['0x989680', '0x30d40']) await ask('eth_sendTransaction', [{ ...call, gas }]);
  const lengths = new Set<number>();
  const isComplete = (): boolean =>
    connections.every(({ sent }) => JSON.stringify(sent.at(-1) ?? null).includes('"blockNumber":"0x2"'));
  while (!isComplete()) {
    for (const { sent } of connections) lengths.add(sent.length);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  expect(lengths.size).toBeGreaterThan(20);
  const receipts = [await ask('eth_getBlockReceipts', ['0x1']), await ask('eth_getBlockReceipts', ['0x2'])];
  const total = JSON.stringify(receipts).match(/"logIndex"/g)?.length;
  for (const { sent } of connections) {
    expect(sent).toHaveLength(total ?? 0);
    const text = JSON.stringify(sent);
    expect(text.lastIndexOf('"blockNumber":"0x1"')).toBeLessThan(text.indexOf('"blockNumber":"0x2"'));
  }
});

it.each([
  ['newHeads', []],
  ['logs', [{}]],
  ['newPendingTransactions', []],
  ['transactionReceipts', []],
])('notifying 2,000 subscriptions to %s yields', async (kind, filter) => {
  const { service, call: ask } = await createNode();
  await ask('hardhat_setCode', [CONTRACT, '0x5f5fa0']);
  const connections = [testConnection('websocket'), testConnection('websocket')];
  for (const connection of connections)
    for (let count = 0; count < 1_000; count++)
      await service.call('eth_subscribe', [kind, ...filter], connection);
  const sentBefore: number[] = [];
  const sent = (): number => connections.reduce((sum, connection) => sum + connection.sent.length, 0);

  await ask('eth_sendTransaction', [call]);
  do {
    sentBefore.push(sent());
    await new Promise<void>((resolve) => setImmediate(resolve));
  } while (sent() < 2_000);

  const slices = [...sentBefore, sent()].map((count, at, all) => count - (all[at - 1] ?? 0));
  expect(Math.max(...slices)).toBeLessThan(500);
});

describe('time slices of a dump', () => {
  // Compression is off because it runs on another thread, and the yields of that thread would be counted.
  it('writing a dump yields between lines', async () => {
    const node = await createNode();
    await load(manyAccounts)(node);
    const { turns } = await countTurns(() =>
      nodeOf(node.chain).dump.write({ isCompressed: false, withKeys: false }),
    );
    expect(turns).toBeGreaterThan(10);
  });

  it('writing a dump yields between the states of its blocks', async () => {
    const node = await createNode();
    await node.call('evm_mine_detailed', [{ blocks: 300 }]);
    const { turns } = await countTurns(() =>
      nodeOf(node.chain).dump.write({ isCompressed: false, withKeys: false }),
    );
    expect(turns).toBeGreaterThan(30);
  });

  it('while its JSON is made', async () => {
    const { turns } = await countTurns(async () => runTask(jsonBytes(manySlots), new TimeSlice()));
    expect(turns).toBeGreaterThan(3);
    const bytes = await runTask(jsonBytes(manySlots), new TimeSlice());
    expect(Buffer.from(bytes).toString()).toBe(JSON.stringify(manySlots));
  });
});

describe('a message with an object of many members', () => {
  it('an object of more than 100,000 members is rejected', async () => {
    const { answer } = await createNode();
    const members = (count: number) =>
      JSON.stringify(Object.fromEntries(words(count).map((name) => [name, 0])));
    const text = (count: number) => `{"id":1,"method":"web3_clientVersion","params":[${members(count)}]}`;
    expect(await answer(text(100_000))).toMatch(/-32602/);
    expect(await answer(text(100_001))).toBe(
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: an object of the message has more than 100000 members"}}',
    );
  });
});

describe('a message with many values', () => {
  it('a message of more than 1,048,576 values is rejected', async () => {
    const { answer } = await createNode();
    // The message, its id, its method and its list of parameters are values too.
    const text = (count: number) =>
      `{"id":1,"method":"web3_clientVersion","params":[${'0,'.repeat(count - 5)}0]}`;
    expect(await answer(text(2 ** 20))).toMatch(/-32602/);
    expect(await answer(text(2 ** 20 + 1))).toBe(
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: the message has more than 1048576 values"}}',
    );
  });
});

describe('flatCallTracer of nested calls', () => {
  it('flatCallTracer returns the trace address of each nested frame', async () => {
    const { call } = await createNode();
    const frames = (await call('debug_traceCall', traced('flatCallTracer'))) as { traceAddress: number[] }[];
    expect(frames.length).toBeGreaterThan(300);
    frames.forEach(({ traceAddress }, depth) => void expect(traceAddress).toHaveLength(depth));
  });
});

describe('heavy parameter values', () => {
  const values: Readonly<Record<string, unknown>> = {
    'RLP nested 12,000 deep': nestedRlp(12_000),
    'RLP of 130,000 items': toHex(encodeRlpList(Array.from({ length: 130_000 }, () => Uint8Array.of(1)))),
    'an array of 130,000 items': Array.from({ length: 130_000 }, () => '0x01'),
    'an object of 10,000 members': slots(10_000),
    'arrays nested 99 deep': JSON.parse('['.repeat(99) + ']'.repeat(99)),
    'typed data nested 500 deep': {
      ...typedData(0),
      types: { List: [{ name: 'items', type: `uint8${'[]'.repeat(500)}` }] },
    },
  };

  /** The paths of all parameters, members and items. */
  function placesIn(value: unknown, path: readonly (string | number)[] = []): (string | number)[][] {
    const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    const own = path.length === 0 ? [] : [[...path]];
    return [...own, ...inner.flatMap(([name, member]) => placesIn(member, [...path, name]))];
  }

  /** The same parameters with another value at the path. */
  function withValueAt(
    root: unknown,
    [name, ...rest]: readonly (string | number)[],
    value: unknown,
  ): unknown {
    if (name === undefined) return value;
    const copy = (Array.isArray(root) ? [...root] : { ...(root as object) }) as Record<string, unknown>;
    copy[name] = withValueAt(copy[name], rest, value);
    return copy;
  }

  it.each(Object.entries(values))('a heavy value causes no internal error: %s', async (_, value) => {
    const { service } = await createNode();
    for (const { name, params } of METHODS) {
      const example = params.map((_param, at) => exampleOf(name).params[at] ?? null);
      for (const place of placesIn(example)) {
        const given = withValueAt(example, place, value) as unknown[];
        try {
          plainResult(await service.call(name, given, testConnection()));
        } catch (error) {
          expect(error, `${name}, ${place.join('.')}`).toBeInstanceOf(CodedError);
        }
      }
    }
  });
});

describe('results and logs of many calls in one request', () => {
  const message = { ...call, gas: '0x1c00000' };
  /** Return, revert with or log N bytes repeatedly, within 3 MiB of memory. */
  const CODES = {
    return: '0x623000005ff3',
    'revert with': '0x623000005ffd',
    log: LOGS,
  };
  const overrides = (code: string) => ({ [CONTRACT]: { code } });

  it.each(Object.entries(CODES))(
    'a request whose calls exceed the result limit is rejected: %s',
    async (_, code) => {
      const { call: ask } = await createNode({ tick: 0, gasLimit: 30_000_000n });
      const refusal = /-32000.*results too large: .* exceed 33554432 bytes; send fewer calls per request/;
      const bundle = { transactions: Array.from({ length: 20 }, () => message) };
      // eth_callMany returns no logs.
      if (code !== LOGS)
        await expect(ask('eth_callMany', [[bundle], null, overrides(code)])).rejects.toThrow(refusal);
      const blocks = Array.from({ length: 20 }, () => ({ calls: [message] }));
      blocks[0] = { ...blocks[0], stateOverrides: overrides(code) } as (typeof blocks)[0];
      for (const traceTransfers of [false, true])
        await expect(ask('eth_simulateV1', [{ blockStateCalls: blocks, traceTransfers }])).rejects.toThrow(
          refusal,
        );
      const few = { transactions: [message] };
      expect(await ask('eth_callMany', [[few], null, overrides(code)])).toHaveLength(1);
    },
  );
});

describe('outputs of many mined transactions', () => {
  const RETURNED = 0x300000;
  /** Number of outputs that fit in 32 MiB. */
  const FITTING = 10;

  /** A node with `count` transactions of large output in the pool, followed by one with empty output. */
  async function waiting(count: number, code = '0x623000005ff3') {
    const node = await createNode({ tick: 0, gasLimit: 30_000_000n });
    await node.call('anvil_setCode', [CONTRACT, code]);
    await node.call('evm_setAutomine', [false]);
    for (let sent = 0; sent < count; sent++)
      await node.call('eth_sendTransaction', [{ ...call, gas: '0x1c00000' }]);
    await node.call('eth_sendTransaction', [{ from: ALICE, to: ALICE, gas: '0x5208' }]);
    return node;
  }

  it('evm_mine_detailed omits the outputs that exceed the result limit', async () => {
    const { call: ask, chain } = await waiting(FITTING + 2);
    const blocks = (await ask('evm_mine_detailed', [{ blocks: FITTING + 3 }])) as {
      transactions: { hash: string; output?: string }[];
    }[];
    const mined = blocks.flatMap(({ transactions }) => transactions);
    const lengths = mined.map(({ output }) => output?.length);
    const fitting = Array.from({ length: FITTING }, () => 2 + 2 * RETURNED);
    expect(lengths).toEqual([...fitting, undefined, undefined, 2]);
    expect(mined.every(({ hash }) => hash.startsWith('0x'))).toBe(true);
    expect(chain.head().header.number).toBe(FITTING + 3);
    expect(chain.pool.size).toBe(0);
  });

  it('evm_mine_detailed omits the output and the reason of a revert above the result limit', async () => {
    const { call: ask } = await waiting(FITTING + 1, '0x623000005ffd');
    const blocks = (await ask('evm_mine_detailed', [{ blocks: FITTING + 1 }])) as {
      transactions: object[];
    }[];
    const last = blocks[FITTING]?.transactions[0];
    expect(last).toHaveProperty('hash');
    expect(last).not.toHaveProperty('output');
    expect(last).not.toHaveProperty('revertReason');
  });
});

describe('eth_getLogs of more JSON than the limit', () => {
  it('eth_getLogs rejects 64 MiB of logs in few blocks and reports both limits', async () => {
    const { chain, call } = await createNode({ tick: 0 });
    await call('hardhat_setCode', [CONTRACT, LONG_LOGS]);
    for (let block = 0; block < 10; block++)
      await call('eth_sendTransaction', [{ from: ALICE, to: CONTRACT, gas: '0x1c9c380' }]);
    expect(chain.head().header.number).toBe(10);
    await expect(call('eth_getLogs', [{ fromBlock: '0x0' }])).rejects.toThrow(
      /-32012.*2000 blocks or 10000 logs, and 67108864 bytes of JSON;/,
    );
    expect(await call('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x1' }])).not.toHaveLength(0);
  });
});

describe('executions above the memory limit', () => {
  const MUCH_GAS = '0x2540be400';
  const LIMITS =
    /out of memory: the limit is 384 MiB per execution \(less with --memory-limit\) and 24 MiB per frame/;

  it.each([
    // CODECOPY of 34 MiB, and endless logs.
    ['memory', '0x63022000005f5f3900'],
    ['logs', '0x5b5f5fa05f56'],
  ])(
    'an execution above the %s limit returns an error with the limits, and its transaction fails',
    async (_, runtime) => {
      const { call: ask, answer } = await createNode({ ruleSet: 'prague', tick: 0, gasLimit: 10n ** 10n });
      await ask('anvil_setCode', [CONTRACT, runtime]);
      const params = [{ ...call, gas: MUCH_GAS }, 'latest'];
      const refused = await answer(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }));
      expect(JSON.parse(refused)).toMatchObject({
        error: { code: -32015, message: expect.stringMatching(LIMITS) },
      });
      const hash = await ask('eth_sendTransaction', [{ ...call, gas: MUCH_GAS, gasPrice: '0x3b9aca00' }]);
      expect(await ask('eth_getTransactionReceipt', [hash])).toMatchObject({
        status: '0x0',
        gasUsed: MUCH_GAS,
      });
    },
  );
});

describe('the trace of a mined transaction with many logs', () => {
  it('debug_traceTransaction indexes logs without encoding the logs of the block again', async () => {
    const { call: ask } = await createNode({ tick: 0 });
    await ask('hardhat_setCode', [CONTRACT, LOGS]);
    const message = { from: ALICE, to: CONTRACT, gas: '0x4c4b40' };
    const hashes = [await ask('eth_sendTransaction', [message]), await ask('eth_sendTransaction', [message])];
    const made = vi.spyOn(LogRecord.prototype, 'ofTransaction');
    const tracerConfig = { withLog: true };
    const trace = await ask('debug_traceTransaction', [hashes[0], { tracer: 'callTracer', tracerConfig }]);
    const times = made.mock.calls.length;
    made.mockRestore();
    expect(trace).toMatchObject({
      logs: expect.arrayContaining([expect.objectContaining({ index: '0x0' })]),
    });
    expect(times).toBe(0);
  });
});
