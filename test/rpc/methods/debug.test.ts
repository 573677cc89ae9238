import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { keccak256 } from '../../../src/primitives/keccak.ts';
import { BOB } from '../../support/test-chain.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { deploy, receiptOf, SENDER } from './contract.ts';

const UNKNOWN = `0x${'12'.repeat(32)}`;

const TRACERS = [
  'callTracer',
  'prestateTracer',
  '4byteTracer',
  'flatCallTracer',
  'noopTracer',
  'rskTracer',
] as const;

/** The hashes of a transfer, a failed transaction and a creation. */
async function sendSamples(
  harness: RpcHarness,
): Promise<{ transfer: unknown; failure: unknown; creation: unknown }> {
  const factory = await deploy(harness, 'Factory');
  const failures = await deploy(harness, 'Failures');
  const send = (fields: object) =>
    harness.call('eth_sendTransaction', [{ from: SENDER, gas: 800_000, ...fields }]);
  return {
    transfer: await send({ to: BOB, value: '0x1' }),
    failure: await send({ to: failures.address, data: failures.data('reason') }),
    creation: await send({ to: factory.address, data: factory.data('create', 7n) }),
  };
}

describe('debug_traceTransaction', () => {
  it('returns struct logs by default, with the gas of the receipt', async () => {
    const harness = await createRpcHarness();
    const { creation } = await sendSamples(harness);
    const trace = (await harness.call('debug_traceTransaction', [creation])) as {
      gas: number;
      structLogs: { op: string; depth: number }[];
    };
    const { gasUsed } = await receiptOf(harness, creation);
    expect(trace).toMatchObject({ gas: Number(gasUsed), failed: false });
    expect(trace.structLogs.map(({ op }) => op)).toContain('CREATE');
    expect(trace.structLogs.some(({ depth }) => depth === 2)).toBe(true);
    expect(trace.structLogs.at(-1)).not.toHaveProperty('memory');
  });

  it.each([
    [{ enableMemory: true }],
    [{ disableMemory: false }],
    [{ tracerConfig: { enableMemory: 'true' } }],
  ])('returns memory with options %j', async (options) => {
    const harness = await createRpcHarness();
    const { creation } = await sendSamples(harness);
    const { structLogs } = (await harness.call('debug_traceTransaction', [creation, options])) as {
      structLogs: { memory: string[] }[];
    };
    expect(structLogs.at(-1)?.memory[0]).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    [{ disableMemory: true, disableStack: 'true' }],
    [{ tracerConfig: { disableMemory: true, disableStack: true } }],
    [{ enableMemory: false, disableStack: true, unknownOption: 1 }],
  ])('reads options at the top level and in tracerConfig, as booleans or strings: %j', async (options) => {
    const harness = await createRpcHarness();
    const { failure } = await sendSamples(harness);
    const { structLogs } = (await harness.call('debug_traceTransaction', [failure, options])) as {
      structLogs: object[];
    };
    expect(structLogs.length).toBeGreaterThan(10);
    for (const log of structLogs) {
      expect(log).not.toHaveProperty('memory');
      expect(log).not.toHaveProperty('stack');
    }
  });

  it('returns storage unless the options disable it', async () => {
    const harness = await createRpcHarness();
    const counter = await deploy(harness, 'Counter');
    const hash = await harness.call('eth_sendTransaction', [
      { from: SENDER, to: counter.address, data: counter.data('increase', 2n) },
    ]);
    const storages = async (options: object) =>
      (
        (await harness.call('debug_traceTransaction', [hash, options])) as { structLogs: object[] }
      ).structLogs.filter((log) => 'storage' in log);
    expect(await storages({ limit: 0 })).not.toEqual([]);
    expect(await storages({ disableStorage: true })).toEqual([]);
  });

  it('callTracer returns inner calls and the revert reason', async () => {
    const harness = await createRpcHarness();
    const { failure, creation } = await sendSamples(harness);
    expect(await harness.call('debug_traceTransaction', [failure, { tracer: 'callTracer' }])).toMatchObject({
      type: 'CALL',
      error: 'execution reverted',
      revertReason: 'not today',
      output: expect.stringMatching(/^0x08c379a0/),
    });
    const options = { tracer: 'callTracer', tracerConfig: { withLog: true } };
    const trace = await harness.call('debug_traceTransaction', [creation, options]);
    const { logs } = await receiptOf(harness, creation);
    expect(trace).toMatchObject({
      calls: [{ type: 'CREATE', logs: [{ index: '0x0', position: '0x0' }] }],
      logs: [{ index: '0x1', position: '0x1' }],
    });
    expect(trace).toHaveProperty('logs.0.data', (logs as { data: string }[])[1]?.data);
    const top = await harness.call('debug_traceTransaction', [creation, { ...options, onlyTopCall: true }]);
    expect(top).not.toHaveProperty('calls');
    expect(top).toHaveProperty('logs.length', 1);
  });

  it.each(TRACERS)('%s traces each kind of transaction', async (tracer) => {
    const harness = await createRpcHarness();
    for (const hash of Object.values(await sendSamples(harness))) {
      const trace = await harness.call('debug_traceTransaction', [hash, { tracer }]);
      const upper = await harness.call('debug_traceTransaction', [hash, { tracer: tracer.toUpperCase() }]);
      const mux = { tracer: 'muxTracer', tracerConfig: { [tracer]: null } };
      expect(typeof trace).toBe('object');
      expect(upper).toEqual(trace);
      expect(await harness.call('debug_traceTransaction', [hash, mux])).toEqual({ [tracer]: trace });
    }
  });

  it('muxTracer passes each tracer its own options', async () => {
    const harness = await createRpcHarness();
    const { creation } = await sendSamples(harness);
    const tracerConfig = { callTracer: { onlyTopCall: true }, prestateTracer: { diffMode: true } };
    const trace = await harness.call('debug_traceTransaction', [
      creation,
      { tracer: 'muxTracer', tracerConfig },
    ]);
    expect(trace).not.toHaveProperty('callTracer.calls');
    expect(Object.keys((trace as { prestateTracer: object }).prestateTracer)).toEqual(['post', 'pre']);
  });

  it('rejects an unknown hash with its value', async () => {
    const { call } = await createRpcHarness();
    await expect(call('debug_traceTransaction', [UNKNOWN])).rejects.toMatchObject({
      code: -32000,
      message: `transaction ${UNKNOWN} not found`,
    });
  });

  it.each([
    [{ tracer: 'fastTracer' }, /params: options.tracer:.*callTracer.*prestateTracer.*muxTracer/],
    [{ tracer: 7 }, /params: options.tracer:/],
    [{ disableMemory: 1 }, /params: options.disableMemory: expected true or false, got 1/],
    [{ tracer: 'callTracer', tracerConfig: { withLog: 'yes' } }, /params: options.tracerConfig.withLog:/],
    [{ tracerConfig: 'x' }, /params: options.tracerConfig:/],
    [{ limit: -1 }, /params: options.limit:/],
    [{ tracer: 'muxTracer', tracerConfig: { muxTracer: {} } }, /params: options.tracerConfig:.*"muxTracer"/],
    [
      { tracer: 'muxTracer', tracerConfig: { callTracer: { withLog: 2 } } },
      /params: options.tracerConfig.callTracer.withLog:/,
    ],
    [{ tracer: 'muxTracer', tracerConfig: { callTracer: 3 } }, /params: options.tracerConfig.callTracer:/],
    ['callTracer', /params: options:/],
  ])('rejects the options %j and reports the option', async (options, message) => {
    const { call } = await createRpcHarness();
    await expect(call('debug_traceTransaction', [UNKNOWN, options])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(message),
    });
  });
});

describe('debug_traceBlock', () => {
  it('debug_traceBlock accepts a reserved block, whose hash differs from its header hash', async () => {
    const { call } = await createRpcHarness();
    await call('hardhat_mine', ['0x400']);
    const raw = await call('debug_getRawBlock', ['0x200']);
    expect(await call('debug_traceBlock', [raw])).toEqual([]);
  });

  it.each(['0x', '0x01', '0xc0', '0xf8'])('debug_traceBlock rejects %s', async (raw) => {
    const { call } = await createRpcHarness();
    await expect(call('debug_traceBlock', [raw])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^Invalid input: /),
    });
  });
});

describe.each(['debug_traceBlock', 'debug_traceBlockByHash', 'debug_traceBlockByNumber'] as const)(
  '%s',
  (method) => {
    async function blockWithTwo(harness: RpcHarness): Promise<{ selector: unknown; hashes: unknown[] }> {
      const counter = await deploy(harness, 'Counter');
      harness.chain.miner.setMode({ automine: false, blockTime: null });
      const send = () =>
        harness.call('eth_sendTransaction', [
          { from: SENDER, to: counter.address, data: counter.data('increase', 2n) },
        ]);
      const hashes = [await send(), await send()];
      await harness.call('evm_mine');
      const block = (await harness.call('eth_getBlockByNumber', ['latest', false])) as Record<
        string,
        unknown
      >;
      expect(block.transactions).toEqual(hashes);
      const raw = await harness.call('debug_getRawBlock', ['latest']);
      const selectors = { debug_traceBlock: raw, debug_traceBlockByHash: block.hash };
      return { selector: Reflect.get(selectors, method) ?? block.number, hashes };
    }

    it('returns the same trace for each transaction as debug_traceTransaction', async () => {
      const harness = await createRpcHarness();
      const { selector, hashes } = await blockWithTwo(harness);
      const options = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } };
      const expected = await Promise.all(
        hashes.map(async (hash) => ({
          txHash: hash,
          result: await harness.call('debug_traceTransaction', [hash, options]),
        })),
      );
      expect(await harness.call(method, [selector, options])).toEqual(expected);
      expect(expected[0]?.result).not.toEqual(expected[1]?.result);
    });

    it('rskTracer returns a list of bare traces', async () => {
      const harness = await createRpcHarness();
      const { selector } = await blockWithTwo(harness);
      const traces = await harness.call(method, [selector, { tracer: 'rskTracer' }]);
      expect(traces).toMatchObject([{ reverted: false }, { reverted: false }]);
      expect(traces).not.toHaveProperty('0.txHash');
    });

    it('returns no traces for the genesis and rejects an unknown block', async () => {
      const { call } = await createRpcHarness();
      const elsewhere = await createRpcHarness({}, { minimumGasPrice: 1n });
      const genesis = (await call('eth_getBlockByNumber', ['0x0', false])) as Record<string, unknown>;
      const selectors = {
        debug_traceBlock: await Promise.all(
          [call, elsewhere.call].map((asked) => asked('debug_getRawBlock', ['earliest'])),
        ),
        debug_traceBlockByHash: [genesis.hash, UNKNOWN],
        debug_traceBlockByNumber: ['earliest', '0x99'],
      };
      const [first, unknown] = selectors[method];
      expect(await call(method, [first])).toEqual([]);
      await expect(call(method, [unknown])).rejects.toMatchObject({ code: -32600 });
    });
  },
);

describe('debug_traceCall', () => {
  it('debug_traceCall traces a call on the state after the given block', async () => {
    const harness = await createRpcHarness();
    const counter = await deploy(harness, 'Counter');
    await harness.call('eth_sendTransaction', [
      { from: SENDER, to: counter.address, data: counter.data('increase', 5n) },
    ]);
    const asked = { to: counter.address, data: counter.data('count') };
    const count = async (block: string) => {
      const trace = await harness.call('debug_traceCall', [asked, block, { tracer: 'callTracer' }]);
      return counter.decode('count', (trace as { output: string }).output);
    };
    expect(await count('latest')).toBe(5n);
    expect(await count('0x1')).toBe(0n);
    expect(await harness.call('debug_traceCall', [asked])).toMatchObject({ failed: false });
  });

  it('debug_traceCall applies state and block overrides', async () => {
    const { call } = await createRpcHarness();
    const to = `0x${'77'.repeat(20)}`;
    const returning = (digits: string): string => `0x${digits}5f5260205ff3`;
    const output = async (options: object): Promise<bigint> =>
      BigInt(
        (
          (await call('debug_traceCall', [{ to }, 'latest', { tracer: 'callTracer', ...options }])) as {
            output: string;
          }
        ).output,
      );
    const slot = `0x${'0'.repeat(63)}1`;
    const value = `0x${'0'.repeat(62)}2a`;
    const account = (fields: object) => ({ stateOverrides: { [to]: fields } });
    expect(await output(account({ code: returning('600154'), stateDiff: { [slot]: value } }))).toBe(42n);
    expect(await output(account({ code: returning('600154'), state: { [slot]: value } }))).toBe(42n);
    expect(await output(account({ code: returning('47'), balance: '0x9' }))).toBe(9n);
    expect(await output({ ...account({ code: returning('42') }), blockOverrides: { time: '0x7b' } })).toBe(
      123n,
    );
    expect(await output({ ...account({ code: returning('43') }), blockOverrides: { number: 99 } })).toBe(99n);
    expect(await call('eth_getCode', [to, 'latest'])).toBe('0x');
  });

  it.each([
    [{ stateOverrides: { '0x12': {} } }, /params: options.stateOverrides:.*"0x12"/],
    [
      { stateOverrides: { [BOB]: { balance: 'x' } } },
      new RegExp(`params: options.stateOverrides.${BOB}.balance:`),
    ],
    [{ stateOverrides: { [BOB]: { state: {}, stateDiff: {} } } }, /only one of state and stateDiff/],
    [{ stateOverrides: { [BOB]: { movePrecompileToAddress: BOB } } }, /the address is not a precompile/],
    [{ stateOverrides: [] }, /params: options.stateOverrides:/],
    [{ blockOverrides: { time: -1 } }, /params: options.blockOverrides.time:/],
    [JSON.parse('{"stateOverrides":{"__proto__":{}}}'), /params: options.stateOverrides:.*__proto__/],
  ])('debug_traceCall rejects the overrides %j and reports the path', async (options, message) => {
    const { call } = await createRpcHarness();
    await expect(call('debug_traceCall', [{ to: BOB }, 'latest', options])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(message),
    });
  });
});

describe('debug_wireProtocolQueueSize', () => {
  it('debug_wireProtocolQueueSize is zero', async () => {
    const { call } = await createRpcHarness();
    expect(await call('debug_wireProtocolQueueSize')).toBe('0x0');
  });
});

it('struct logs return the full cost of a step that runs out of gas, including its memory', async () => {
  const { call } = await createRpcHarness({}, { ruleSet: 'prague' });
  const to = `0x${'c0'.repeat(20)}`;
  // Stores a word at 65,536.
  const stateOverrides = { [to]: { code: '0x60016201000052' } };
  const message = { to, gas: '0x5500' };
  const { structLogs } = (await call('debug_traceCall', [message, 'latest', { stateOverrides }])) as {
    structLogs: readonly { readonly op: string; readonly gasCost: number; readonly error?: string }[];
  };
  const words = (65_536 + 32) / 32;
  const memory = 3 * words + Math.floor(words ** 2 / 512);
  expect(structLogs.at(-1)).toMatchObject({ op: 'MSTORE', gasCost: 3 + memory });
  expect(structLogs.at(-1)?.error).toContain('out of gas');
});

describe('accounts and code of the debug namespace', () => {
  it('debug_accountInfoAt returns an account between two transactions of a block', async () => {
    const { call } = await createRpcHarness();
    const to = `0x${'5a'.repeat(20)}`;
    await call('evm_setAutomine', [false]);
    for (const value of ['0x1', '0x2']) await call('eth_sendTransaction', [{ from: SENDER, to, value }]);
    await call('evm_mine');

    expect(await call('debug_accountInfoAt', ['latest', '0x0', to])).toEqual({
      balance: '0x1',
      nonce: '0x0',
      code: '0x',
    });
    expect(await call('debug_accountInfoAt', ['latest', 1, to])).toMatchObject({ balance: '0x3' });
    await expect(call('debug_accountInfoAt', ['latest', 2, to])).rejects.toMatchObject({ code: -32000 });
  });

  it('debug_codeByHash and debug_dbGet find code by its hash', async () => {
    const { call } = await createRpcHarness();
    await call('anvil_setCode', [`0x${'5a'.repeat(20)}`, '0x6001']);
    const hash = toHex(keccak256(fromHex('0x6001')));

    expect(await call('debug_codeByHash', [hash])).toBe('0x6001');
    expect(await call('debug_codeByHash', [hash, '0x0'])).toBe('0x6001');
    expect(await call('debug_dbGet', [`0x63${hash.slice(2)}`])).toBe('0x6001');
    expect(await call('debug_codeByHash', [`0x${'11'.repeat(32)}`])).toBeNull();
    await expect(call('debug_dbGet', [hash])).rejects.toMatchObject({ code: -32602 });
  });
});
