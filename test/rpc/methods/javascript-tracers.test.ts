import { getCreate2Address, getCreateAddress } from 'ethers';
import { keccak256 } from 'viem';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ChainOptions } from '../../../src/chain/settings/chain-options.ts';
import { BOB } from '../../support/test-chain.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { type DeployedContract, deploy, receiptOf, SENDER } from './contract.ts';

/** A tracer whose functions are methods of an object. Absent required functions do nothing. */
function tracer(members: string): string {
  const missing = ['fault', 'result'].filter((name) => !new RegExp(`\\b${name}\\s*[:(]`).test(members));
  return `{${[members, ...missing.map((name) => `${name}: function() {}`)].join(', ')}}`;
}

/** Counts opcodes like the example in geth's documentation. */
const OPCODE_COUNT = `{
  counts: {},
  step: function(log) {
    var name = log.op.toString();
    this.counts[name] = (this.counts[name] || 0) + 1;
  },
  fault: function() {},
  result: function() { return this.counts; }
}`;

/** Builds the same frames as callTracer. */
const CALLS = `{
  stack: [{ calls: [] }],
  enter: function(frame) {
    this.stack.push({
      type: frame.getType(),
      from: toHex(frame.getFrom()),
      to: toHex(frame.getTo()),
      input: toHex(frame.getInput()),
      gas: '0x' + frame.getGas().toString(16),
      value: frame.getValue() === undefined ? undefined : '0x' + frame.getValue().toString(16),
      calls: [],
    });
  },
  exit: function(result) {
    var call = this.stack.pop();
    call.gasUsed = '0x' + result.getGasUsed().toString(16);
    call.error = result.getError();
    if (result.getOutput().length > 0) call.output = toHex(result.getOutput());
    if (call.calls.length === 0) delete call.calls;
    if (call.error !== undefined && call.type.indexOf('CREATE') === 0) delete call.to;
    this.stack[this.stack.length - 1].calls.push(call);
  },
  fault: function() {},
  result: function(ctx) {
    var outer = {
      type: ctx.type,
      from: toHex(ctx.from),
      to: toHex(ctx.to),
      input: toHex(ctx.input),
      gas: '0x' + ctx.gas.toString(16),
      gasUsed: '0x' + ctx.gasUsed.toString(16),
      value: '0x' + ctx.value.toString(16),
    };
    if (ctx.output.length > 0) outer.output = toHex(ctx.output);
    if (ctx.error !== undefined) outer.error = ctx.error;
    if (this.stack[0].calls.length > 0) outer.calls = this.stack[0].calls;
    return outer;
  },
}`;

interface CallFrame {
  calls?: CallFrame[];
  revertReason?: string;
}

/** The frames without the decoded revert reason, which a JavaScript tracer cannot return. */
function withoutReasons({ revertReason: _, calls, ...frame }: CallFrame): CallFrame {
  return calls === undefined ? frame : { ...frame, calls: calls.map(withoutReasons) };
}

const ENGINES = ['wasm', 'reference'] as const;

interface Scene {
  readonly harness: RpcHarness;
  readonly factory: DeployedContract;
  readonly failures: DeployedContract;
  send(fields: object): Promise<unknown>;
  trace(hash: unknown, source: string, tracerConfig?: object): Promise<unknown>;
}

async function createScene(options: Partial<ChainOptions>): Promise<Scene> {
  const harness = await createRpcHarness({}, options);
  return {
    harness,
    factory: await deploy(harness, 'Factory'),
    failures: await deploy(harness, 'Failures'),
    send: (fields) => harness.call('eth_sendTransaction', [{ from: SENDER, gas: 900_000, ...fields }]),
    trace: (hash, source, tracerConfig) =>
      harness.call('debug_traceTransaction', [hash, { tracer: source, tracerConfig }]),
  };
}

/**
 * A scene for all tests of a `describe`, whose threads share one compiled QuickJS. The chain is reverted after
 * each test.
 */
function sharedScene(options: Partial<ChainOptions> = {}): () => Scene {
  let scene: Scene;
  let snapshot: unknown;
  beforeAll(async () => {
    scene = await createScene(options);
  });
  beforeEach(async () => {
    snapshot = await scene.harness.call('evm_snapshot');
  });
  afterEach(async () => {
    await scene.harness.call('evm_setAutomine', [true]);
    expect(await scene.harness.call('evm_revert', [snapshot])).toBe(true);
  });
  return () => scene;
}

/** Runs each code with one tracer on one thread. Returns the trace of each. */
async function tracesOf(
  { call }: RpcHarness,
  source: string,
  codes: readonly (readonly [code: string, gas: number])[],
): Promise<unknown> {
  const addressOf = (index: number): string => `0x${'0c'.repeat(19)}${(index + 16).toString(16)}`;
  const transactions = codes.map(([, gas], index) => ({ to: addressOf(index), gas }));
  const stateOverrides = Object.fromEntries(codes.map(([code], index) => [addressOf(index), { code }]));
  const options = { tracer: source, stateOverrides };
  const [traces] = (await call('debug_traceCallMany', [
    [{ transactions }],
    { blockNumber: 'latest' },
    options,
  ])) as unknown[];
  return traces;
}

describe.each(ENGINES)('JavaScript tracer on engine %s', (engine) => {
  const sceneOf = sharedScene({ engine });

  it('counts the same opcodes as the struct logs', async () => {
    const { harness, factory, send, trace } = sceneOf();
    const hash = await send({ to: factory.address, data: factory.data('create', 7n) });
    const { structLogs } = (await harness.call('debug_traceTransaction', [hash])) as {
      structLogs: { op: string }[];
    };
    const counts: Record<string, number> = {};
    for (const { op } of structLogs) counts[op] = (counts[op] ?? 0) + 1;
    expect(await trace(hash, OPCODE_COUNT)).toEqual(counts);
  });

  it('builds the frames of callTracer from enter, exit and result', async () => {
    const { harness, factory, failures, send } = sceneOf();
    await harness.call('evm_setAutomine', [false]);
    const hashes = [
      await send({ to: BOB, value: '0x1' }),
      await send({ to: factory.address, data: factory.data('createMany', 3n) }),
      await send({ to: factory.address, data: factory.data('create', 13n) }),
      await send({ to: factory.address, data: factory.data('createSalted', 5n, `0x${'5a'.repeat(32)}`) }),
      await send({ to: failures.address, data: failures.data('countAndCatch') }),
      await send({ to: failures.address, data: failures.data('invalidOpcode') }),
      await send({ to: `0x${'0'.repeat(39)}4`, data: '0x1234' }),
    ];
    await harness.call('evm_mine');
    // The transactions of a block share one thread.
    const traced = (tracer: string) => harness.call('debug_traceBlockByNumber', ['latest', { tracer }]);
    const frames = (await traced('callTracer')) as { txHash: string; result: CallFrame }[];
    expect(frames.map(({ txHash }) => txHash)).toEqual(hashes);
    expect(await traced(CALLS)).toEqual(
      frames.map(({ txHash, result }) => ({ txHash, result: withoutReasons(result) })),
    );
  });

  it('reads the state at each step and after the last step', async () => {
    const { factory, harness, send, trace } = sceneOf();
    const before = BigInt(String(await harness.call('eth_getBalance', [SENDER, 'latest'])));
    const hash = await send({ to: factory.address, data: factory.data('create', 7n), value: '0x5' });
    const { gasUsed } = await receiptOf(harness, hash);
    const source = tracer(`
      seen: [],
      watch: function(log, db) {
        var slot = toWord('0x0');
        var child = toContract(log.contract.getAddress(), 0);
        this.seen.push([
          db.getBalance(log.contract.getAddress()).toString(10),
          toHex(db.getState(log.contract.getAddress(), slot)).slice(-1),
          db.getNonce(log.contract.getAddress()),
          db.exists(child),
          db.getCode(child).length > 0,
        ]);
      },
      step: function(log, db) {
        if (log.getDepth() === 1 && (log.getPC() === 0 || log.op.toString() === 'STOP' || log.op.toString() === 'RETURN'))
          this.watch(log, db);
      },
      result: function(ctx, db) {
        return { seen: this.seen, sender: db.getBalance(ctx.from).toString(), nonce: db.getNonce(ctx.from) };
      }`);
    expect(await trace(hash, source)).toEqual({
      seen: [
        ['5', '0', expect.any(Number), false, false],
        ['0', '1', expect.any(Number), true, true],
      ],
      sender: (before - 5n).toString(),
      nonce: Number(await harness.call('eth_getTransactionCount', [SENDER, 'latest'])),
    });
    expect(BigInt(String(gasUsed))).toBeGreaterThan(0n);
  });

  it('gets a collision for the address of a contract destroyed earlier in the block', async () => {
    const { harness, send, trace } = sceneOf();
    // Creates, with CREATE2 and salt 0, a contract that destroys itself: CALLER, SELFDESTRUCT.
    const initcode = '6133ff5f526002601ef3';
    await harness.call('hardhat_setCode', [BOB, `0x69${initcode}5f525f600a60165ff500`]);
    const made = getCreate2Address(BOB, `0x${'0'.repeat(64)}`, keccak256(`0x${initcode}`));
    await send({ to: BOB });
    expect(await harness.call('eth_getCode', [made, 'latest'])).toBe('0x33ff');
    await harness.call('evm_setAutomine', [false]);
    await send({ to: made });
    const hash = await send({ to: BOB });
    await harness.call('evm_mine');
    const frames = (await harness.call('debug_traceTransaction', [
      hash,
      { tracer: 'callTracer' },
    ])) as CallFrame;
    expect(frames.calls).toMatchObject([{ type: 'CREATE2', error: 'contract address collision' }]);
    expect(await trace(hash, CALLS)).toEqual(frames);
    const inBlock = await harness.call('debug_traceBlockByNumber', ['latest', { tracer: CALLS }]);
    expect(inBlock).toMatchObject([{}, { txHash: hash, result: frames }]);
  });

  it('receives out-of-gas errors in step and other faults in fault', async () => {
    const { harness } = sceneOf();
    const source = tracer(`
      told: [],
      step: function(log) { if (log.getError() !== undefined) this.told.push(['step', log.op.toString(), log.getError()]); },
      fault: function(log) { this.told.push(['fault', log.op.toString(), log.getError()]); },
      result: function(ctx) { return { told: this.told, error: ctx.error }; }`);
    const codes = [
      ['0x60015500', 50_000],
      ['0x6001600155', 22_000],
      ['0x600056', 50_000],
      ['0x0c', 50_000],
    ] as const;
    expect(await tracesOf(harness, source, codes)).toEqual([
      { told: [['step', 'SSTORE', 'stack underflow']], error: 'stack underflow' },
      { told: [['step', 'SSTORE', 'out of gas']], error: 'out of gas' },
      { told: [['fault', 'JUMP', 'invalid jump destination']], error: 'invalid jump destination' },
      {
        told: [['fault', 'opcode 0xc not defined', 'invalid opcode: opcode 0xc not defined']],
        error: 'invalid opcode: opcode 0xc not defined',
      },
    ]);
  });

  it('receives REVERT and RETURNDATACOPY errors in fault, and an unaffordable call in step', async () => {
    const harness = await createRpcHarness({}, { engine, ruleSet: 'osaka' });
    const source = tracer(`
      told: [],
      step: function(log) { if (log.getError() !== undefined) this.told.push(['step', log.op.toString(), log.getError()]); },
      fault: function(log) { this.told.push(['fault', log.op.toString(), log.getError()]); },
      result: function() { return this.told; }`);
    const codes = [
      ['0x5f5ffd', 50_000],
      ['0x60ff5f5f3e', 50_000],
      // The input has 64 GB.
      ['0x5f5f640fffffffff5f5f60045af1', 50_000],
    ] as const;
    expect(await tracesOf(harness, source, codes)).toEqual([
      [['fault', 'REVERT', 'execution reverted']],
      [['fault', 'RETURNDATACOPY', 'return data out of bounds']],
      [['step', 'CALL', 'out of gas']],
    ]);
  });

  it('receives caller, address, value and input of delegated code', async () => {
    const { harness } = sceneOf();
    const named = (end: string): string => `0x${'a'.repeat(38)}${end}`;
    const inner = named('0c');
    // The outer contract calls the middle one with 7 wei. The middle one runs the code of the inner one.
    const call = (to: string, value: string, opcode: string): string =>
      `5f5f60205f${value}73${to.slice(2)}5a${opcode}`;
    const source = tracer(`
      seen: [],
      step: function(log) {
        if (log.getPC() === 0) this.seen.push([
          log.getDepth(), toHex(log.contract.getCaller()), toHex(log.contract.getAddress()),
          log.contract.getValue().toJSNumber(), log.contract.getInput().length,
        ]);
      },
      result: function() { return this.seen; }`);
    const kinds = [
      { outer: named('a1'), middle: named('b1'), value: '', opcode: 'f4' },
      { outer: named('a2'), middle: named('b2'), value: '6002', opcode: 'f2' },
      { outer: named('a3'), middle: named('b3'), value: '', opcode: 'fa' },
    ] as const;
    const codes = kinds.flatMap(({ outer, middle, value, opcode }) => [
      [outer, { code: `0x${call(middle, '6007', 'f1')}00` }],
      [middle, { code: `0x${call(inner, value, opcode)}00` }],
    ]);
    const [seen] = (await harness.call('debug_traceCallMany', [
      [
        {
          transactions: kinds.map(({ outer }) => ({
            from: SENDER,
            to: outer,
            data: '0x123456',
            value: '0x9',
          })),
        },
      ],
      { blockNumber: 'latest' },
      { tracer: source, stateOverrides: { ...Object.fromEntries(codes), [inner]: { code: '0x5b00' } } },
    ])) as unknown[];
    const last = [
      [3, kinds[0].outer, kinds[0].middle, 7, 32],
      [3, kinds[1].middle, kinds[1].middle, 2, 32],
      [3, kinds[2].middle, inner, 0, 32],
    ];
    expect(seen).toEqual(
      kinds.map(({ outer, middle }, index) => [
        [1, SENDER.toLowerCase(), outer, 9, 3],
        [2, outer, middle, 7, 32],
        last[index],
      ]),
    );
  });
});

describe('JavaScript tracer', () => {
  const sceneOf = sharedScene();

  it('receives the data of the whole execution in ctx', async () => {
    const { harness, factory, send, trace } = sceneOf();
    const data = factory.data('create', 7n);
    const hash = await send({ to: factory.address, data, value: '0x5', gasPrice: '0x3' });
    const receipt = await receiptOf(harness, hash);
    const source = tracer(`
      result: function(ctx) {
        return {
          type: ctx.type, from: toHex(ctx.from), to: toHex(ctx.to), input: toHex(ctx.input), output: toHex(ctx.output),
          gas: ctx.gas, gasUsed: ctx.gasUsed, gasPrice: ctx.gasPrice.toString(), intrinsicGas: ctx.intrinsicGas,
          value: ctx.value.toString(), block: ctx.block, time: typeof ctx.time, error: ctx.error,
          txHash: toHex(ctx.txHash), blockHash: toHex(ctx.blockHash), txIndex: ctx.txIndex, coinbase: toHex(ctx.coinbase),
        };
      }`);
    const { miner } = (await harness.call('eth_getBlockByNumber', ['latest', false])) as { miner: string };
    const intrinsic = Buffer.from(data.slice(2), 'hex').reduce((sum, byte) => sum + (byte === 0 ? 4 : 16), 0);
    expect(await trace(hash, source)).toEqual({
      type: 'CALL',
      from: SENDER.toLowerCase(),
      to: factory.address,
      input: data,
      output: expect.stringMatching(/^0x0{24}[0-9a-f]{40}$/),
      gas: 900_000,
      gasUsed: Number(receipt.gasUsed),
      gasPrice: '3',
      intrinsicGas: 21_000 + intrinsic,
      value: '5',
      block: Number(receipt.blockNumber),
      time: 'string',
      txHash: hash,
      blockHash: receipt.blockHash,
      txIndex: 0,
      coinbase: miner,
    });
  });

  it('provides the helper functions of geth', async () => {
    const { harness } = sceneOf();
    const salt = `0x${'07'.repeat(32)}`;
    const source = tracer(`
      result: function() {
        return [
          toHex([1, 255]), toHex(toWord('0x1234')), toHex(toAddress('0xff00000000000000000000000000000000000000aa')),
          toHex(toContract('${SENDER}', 3)), toHex(toContract2('${SENDER}', '${salt}', '0x6001')),
          isPrecompiled(toAddress('0x4')), isPrecompiled(toAddress('0x4000')),
          toHex(slice([1, 2, 3, 4], 1, 3)), bigInt(2).pow(255).add(1).toString(16), bigInt('ff', 16).toJSNumber(),
        ];
      }`);
    expect(await harness.call('debug_traceCall', [{ to: BOB }, 'latest', { tracer: source }])).toEqual([
      '0x01ff',
      `0x${'0'.repeat(60)}1234`,
      '0x00000000000000000000000000000000000000aa',
      getCreateAddress({ from: SENDER, nonce: 3 }).toLowerCase(),
      getCreate2Address(SENDER, salt, keccak256('0x6001')).toLowerCase(),
      true,
      false,
      '0x0203',
      `8${'0'.repeat(62)}1`,
      255,
    ]);
  });

  it('reads the stack and zero-padded memory, and gets errors for invalid ranges', async () => {
    const { harness } = sceneOf();
    const attempt = (expression: string): string =>
      `(function() { try { return String(${expression}); } catch (error) { return error.message; } })()`;
    const source = tracer(`
      seen: [],
      step: function(log) {
        if (log.op.toString() !== 'STOP') return;
        this.seen = [
          log.memory.length(), toHex(log.memory.slice(30, 34)), log.memory.getUint(0).toString(16), log.stack.length(),
          log.stack.peek(0).toString(16), log.stack.peek(19).toString(16), log.op.toNumber(), log.op.isPush(), log.getRefund(),
          ${[
            'log.stack.peek(20)',
            'log.stack.peek(-1)',
            'log.memory.getUint(1)',
            'log.memory.slice(2, 1)',
            'log.memory.slice(0, 2000000)',
          ]
            .map(attempt)
            .join(', ')},
        ];
      },
      result: function() { return this.seen; }`);
    // Stores 0x2a, then leaves 1 to 20 on the stack.
    const pushes = Array.from({ length: 20 }, (_, index) => `60${(index + 1).toString(16).padStart(2, '0')}`);
    const options = {
      tracer: source,
      stateOverrides: { [BOB]: { code: `0x602a5f52${pushes.join('')}00` } },
    };
    expect(await harness.call('debug_traceCall', [{ to: BOB }, 'latest', options])).toEqual([
      ...[32, '0x002a0000', '2a', 20, '14', '1', 0, false, 0],
      'tracer accessed out of bound stack: size 20, index 20',
      'tracer accessed out of bound stack: size 20, index -1',
      'tracer accessed out of bound memory: available 32, offset 1, size 32',
      'tracer accessed out of bound memory: offset 2, end 1',
      'tracer reached limit for padding memory slice: end 2000000, memorySize 32',
    ]);
  });

  it('calls setup with tracerConfig as JSON', async () => {
    const { harness } = sceneOf();
    const source = tracer(
      'setup: function(config) { this.config = config; }, result: function() { return this.config; }',
    );
    const trace = (tracerConfig?: object): Promise<unknown> =>
      harness.call('debug_traceCall', [{ to: BOB }, 'latest', { tracer: source, tracerConfig }]);
    expect(await trace({ depth: [1, { two: 'x' }], onlyTopCall: 'maybe' })).toBe(
      '{"depth":[1,{"two":"x"}],"onlyTopCall":"maybe"}',
    );
    expect(await trace()).toBe('{}');
  });

  it('runs a new tracer for each transaction of a block and each call of a bundle', async () => {
    const { harness, send } = sceneOf();
    await harness.call('evm_setAutomine', [false]);
    const hashes = [await send({ to: BOB, value: '0x1' }), await send({ to: BOB, value: '0x2' })];
    await harness.call('evm_mine');
    const source = tracer(
      'runs: 0, result: function(ctx, db) { this.runs++; return [this.runs, ctx.value, db.getNonce(ctx.from)]; }',
    );
    const nonce = Number(await harness.call('eth_getTransactionCount', [SENDER, 'latest']));
    const traces = [
      { txHash: hashes[0], result: [1, '1', nonce - 1] },
      { txHash: hashes[1], result: [1, '2', nonce] },
    ];
    const options = { tracer: source };
    expect(await harness.call('debug_traceBlockByNumber', ['latest', options])).toEqual(traces);
    const { hash } = (await harness.call('eth_getBlockByNumber', ['latest', false])) as { hash: string };
    expect(await harness.call('debug_traceBlockByHash', [hash, options])).toEqual(traces);
    const raw = await harness.call('debug_getRawBlock', ['latest']);
    expect(await harness.call('debug_traceBlock', [raw, options])).toEqual(traces);
    const call = (value: string): object => ({ from: SENDER, to: BOB, value });
    expect(
      await harness.call('debug_traceCallMany', [
        [{ transactions: [call('0x3'), call('0x4')] }],
        { blockNumber: 'latest' },
        options,
      ]),
    ).toEqual([
      [
        [1, '3', nonce + 1],
        [1, '4', nonce + 2],
      ],
    ]);
    expect(
      await harness.call('debug_traceCall', [call('0x5'), 'latest', { ...options, txIndex: 1 }]),
    ).toEqual([1, '5', nonce]);
  });

  it('leaves no listeners on the thread shared by the transactions of a block', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): number => warnings.push(warning);
    process.on('warning', onWarning);
    try {
      const { harness, send } = sceneOf();
      await harness.call('evm_setAutomine', [false]);
      // Node warns at the eleventh listener.
      for (let count = 0; count < 12; count++) await send({ to: BOB, value: '0x1' });
      await harness.call('evm_mine');
      const source = tracer('result: function(ctx) { return ctx.value; }');
      const traces = await harness.call('debug_traceBlockByNumber', ['latest', { tracer: source }]);
      expect(traces).toHaveLength(12);
      // Warnings are emitted asynchronously.
      await new Promise((resolve) => setImmediate(resolve));
      expect(warnings).toEqual([]);
    } finally {
      process.off('warning', onWarning);
    }
  });

  it('traces the REMASC transaction at the end of a block', async () => {
    const harness = await createRpcHarness({}, { remasc: true });
    await harness.call('evm_mine');
    const source = tracer('result: function(ctx) { return [toHex(ctx.to), ctx.gasUsed, ctx.error]; }');
    expect(await harness.call('debug_traceBlockByNumber', ['latest', { tracer: source }])).toEqual([
      { txHash: expect.any(String), result: ['0x0000000000000000000000000000000001000008', 0, null] },
    ]);
  });

  it('returns the result as JSON.stringify writes it', async () => {
    const { harness } = sceneOf();
    const answer = (expression: string): Promise<unknown> =>
      harness.call('debug_traceCall', [
        { to: BOB },
        'latest',
        { tracer: tracer(`result: function() { return ${expression}; }`) },
      ]);
    expect(await answer('undefined')).toBeNull();
    expect(await answer('function() {}')).toBeNull();
    expect(await answer('({ a: undefined, b: function() {}, c: [undefined, NaN], d: bigInt(7) })')).toEqual({
      c: [null, null],
      d: '7',
    });
  });

  it.each([
    [
      '{ step: function( }',
      /^invalid params: options.tracer: .* invalid source: SyntaxError: .*\(line 1, column \d+\)/,
    ],
    ['{}; function foo() {}', /an invalid source: SyntaxError/],
    ['function() { return {}; }', /an invalid source: it has no function result/],
    ['{ fault: function() {} }', /an invalid source: it has no function result/],
    ['{ result: function() {} }', /an invalid source: it has no function fault/],
    [tracer('enter: function() {}'), /only one of the functions enter and exit/],
    ['{ result: 1, fault: 2 }', /it has no function result/],
    ['(function() {\n return {}.a.b })()', /TypeError: .*\(line 2, column/],
    ['{ get result() { throw new Error("no") } }', /Error: no/],
    ['while (true) {}', /SyntaxError/],
  ])('rejects a tracer with an invalid source: %s', async (source, message) => {
    const { harness } = sceneOf();
    const traced = harness.call('debug_traceCall', [{ to: BOB }, 'latest', { tracer: source }]);
    await expect(traced).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(message) });
  });

  it.each(['callTracr', 'opcountTracer', '', 'js'])(
    'reports an unknown tracer name instead of a source error: %j',
    async (name) => {
      const { harness } = sceneOf();
      const traced = harness.call('debug_traceCall', [{ to: BOB }, 'latest', { tracer: name }]);
      await expect(traced).rejects.toMatchObject({
        code: -32602,
        message: expect.stringMatching(
          /^invalid params: options.tracer: expected one of the tracers callTracer, prestateTracer, /,
        ),
      });
    },
  );

  it('reports the location of a failure in the tracer', async () => {
    const { harness } = sceneOf();
    const failure = (members: string): Promise<unknown> =>
      harness
        .call('debug_traceCall', [
          { to: BOB },
          'latest',
          { tracer: tracer(members), stateOverrides: { [BOB]: { code: '0x600100' } } },
        ])
        .catch((error: unknown) => error);
    expect(await failure('step: function(log) {\n  log.nothing.more; }')).toMatchObject({
      code: -32000,
      message: expect.stringMatching(
        /^the tracer failed: TypeError: cannot read property 'more' of undefined \(line 2, column \d+\) in its function step$/,
      ),
    });
    expect(await failure('step: function() { throw "enough"; }')).toMatchObject({
      message: 'the tracer failed: enough in its function step',
    });
    expect(await failure('setup: function() { throw null; }')).toMatchObject({
      message: 'the tracer failed: null in its function setup',
    });
    expect(await failure('result: function() { var a = []; a[0] = a; return a; }')).toMatchObject({
      code: -32000,
      message: expect.stringContaining('circular reference'),
    });
  });

  it('a hosted node rejects JavaScript tracers', async () => {
    const harness = await createRpcHarness({ hosted: true });
    const traced = harness.call('debug_traceCall', [{ to: BOB }, 'latest', { tracer: OPCODE_COUNT }]);
    await expect(traced).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('a hosted node rejects tracers in JavaScript'),
    });
  });
});
