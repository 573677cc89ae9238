import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { playTraceScene, SCENE_CHAIN_ID, SCENE_SENDER, type TraceAnswers } from '../support/trace-scene.ts';
import { createRpcHarness, type RpcHarness } from './rpc-harness.ts';

/*
 * Schemas of geth's traces, from its documentation (geth.ethereum.org: "Built-in tracers", "debug
 * namespace"). The schemas are strict: other members are not allowed.
 */
const quantity = z.string().regex(/^0x(0|[1-9a-f][0-9a-f]*)$/, 'a QUANTITY');
const data = z.string().regex(/^0x([0-9a-f]{2})*$/, 'DATA');
const address = z.string().regex(/^0x[0-9a-f]{40}$/, 'an address');
const hash = z.string().regex(/^0x[0-9a-f]{64}$/, '32 bytes');
/** A block hash, which the scene replaces by the name of the block. */
const blockHash = z.string().regex(/^block \d+$/, 'a block');
/** 32 bytes without 0x, the format of memory and storage words in steps. */
const bareWord = z.string().regex(/^[0-9a-f]{64}$/, 'a word');
const count = z.int().min(0);
const byKey = <Value extends z.ZodType>(key: z.ZodString, value: Value) => z.record(key, value);

const step = z.strictObject({
  pc: count,
  op: z.string().regex(/^[A-Z0-9]+$/),
  gas: count,
  gasCost: count,
  depth: z.int().min(1),
  stack: z.array(quantity),
  storage: z.optional(byKey(bareWord, bareWord)),
  memory: z.optional(z.array(bareWord)),
  returnData: z.optional(data),
  refund: z.optional(z.int().min(1)),
  error: z.optional(z.string()),
});
const steps = z.strictObject({
  gas: count,
  failed: z.boolean(),
  returnValue: data,
  structLogs: z.array(step),
});

const callLog = z.strictObject({
  address,
  topics: z.array(hash),
  data,
  position: quantity,
  index: quantity,
});
const frame = z.strictObject({
  type: z.enum(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']),
  from: address,
  to: z.optional(address),
  value: z.optional(quantity),
  gas: quantity,
  gasUsed: quantity,
  input: data,
  output: z.optional(data),
  error: z.optional(z.string()),
  revertReason: z.optional(z.string()),
  logs: z.optional(z.array(callLog)),
  get calls() {
    return z.optional(z.array(frame));
  },
});

const accountState = z.strictObject({
  balance: z.optional(quantity),
  nonce: z.optional(count),
  code: z.optional(data),
  codeHash: z.optional(hash),
  storage: z.optional(byKey(hash, hash)),
});
const prestate = byKey(address, accountState);
const selectors = byKey(z.string().regex(/^0x[0-9a-f]{8}-\d+$/), z.int().min(1));

const place = {
  blockHash: z.nullable(blockHash),
  blockNumber: count,
  transactionHash: z.nullable(hash),
  transactionPosition: count,
  subtraces: count,
  traceAddress: z.array(count),
  error: z.optional(z.string()),
};
const flatFrames = z.array(
  z.discriminatedUnion('type', [
    z.strictObject({
      ...place,
      type: z.literal('call'),
      action: z.strictObject({
        callType: z.enum(['call', 'callcode', 'delegatecall', 'staticcall']),
        from: address,
        to: address,
        gas: quantity,
        input: data,
        value: z.optional(quantity),
      }),
      result: z.optional(z.strictObject({ gasUsed: quantity, output: data })),
    }),
    z.strictObject({
      ...place,
      type: z.literal('create'),
      action: z.strictObject({
        creationMethod: z.optional(z.enum(['create', 'create2'])),
        from: address,
        gas: quantity,
        init: data,
        value: quantity,
      }),
      result: z.optional(z.strictObject({ address: z.optional(address), code: data, gasUsed: quantity })),
    }),
    z.strictObject({
      ...place,
      type: z.literal('suicide'),
      action: z.strictObject({ address, balance: quantity, refundAddress: address }),
      result: z.optional(z.null()),
    }),
  ]),
);

/** The schemas of the tracers, by the suffix of the question. */
const FORMS: readonly (readonly [ending: string, form: z.ZodType])[] = [
  [', steps', steps],
  [', steps with all', steps],
  [', callTracer', frame],
  [', callTracer of the top', frame],
  [', prestateTracer', prestate],
  [', prestateTracer with differences', z.strictObject({ pre: prestate, post: prestate })],
  [', 4byteTracer', selectors],
  [', flatCallTracer', flatFrames],
  [', muxTracer', z.strictObject({ callTracer: frame, '4byteTracer': selectors })],
  [', noopTracer', z.strictObject({})],
];

const account = z.strictObject({
  balance: z.string().regex(/^\d+$/),
  nonce: count,
  root: hash,
  codeHash: hash,
  code: z.optional(data),
  storage: z.optional(byKey(hash, z.string().regex(/^[0-9a-f]+$/))),
  address,
  key: hash,
});
const accountPage = z.strictObject({
  root: z.string().regex(/^[0-9a-f]{64}$/),
  accounts: byKey(address, account),
  next: z.optional(z.string()),
});
const storagePage = z.strictObject({
  storage: byKey(hash, z.strictObject({ key: hash, value: hash })),
  nextKey: z.nullable(hash),
});
const slotCounts = byKey(hash, z.int().min(1));
const accessFrame: z.ZodType = z.strictObject({
  ...frame.shape,
  accessedSlots: z.strictObject({
    reads: byKey(hash, z.array(hash)),
    writes: slotCounts,
    transientReads: slotCounts,
    transientWrites: slotCounts,
  }),
  extCodeAccessInfo: z.array(address),
  usedOpcodes: byKey(z.string().regex(/^0x[0-9a-f]{1,2}$/), z.int().min(1)),
  contractSize: byKey(address, z.strictObject({ contractSize: count, opcode: count })),
  outOfGas: z.boolean(),
  keccak: z.optional(z.array(data)),
  calls: z.optional(z.array(z.lazy((): z.ZodType => accessFrame))),
});

let harness: RpcHarness;
let answers: TraceAnswers;
let last: { readonly hash: string; readonly number: string; readonly transactions: readonly string[] };
const BENEFICIARY = `0x${'be'.repeat(20)}`;

beforeAll(async () => {
  const chainOptions = { ruleSet: 'osaka', chainId: SCENE_CHAIN_ID, gasLimit: 30_000_000n } as const;
  harness = await createRpcHarness({}, chainOptions);
  answers = await playTraceScene(harness.call);
  last = (await harness.call('eth_getBlockByNumber', ['latest', false])) as typeof last;
});

function mismatches(name: string, form: z.ZodType, answer: unknown): string[] {
  const { error } = form.safeParse(answer);
  return error === undefined
    ? []
    : error.issues.map(({ path, message }) => `${name} ${path.join('.')}: ${message}`);
}

describe('geth formats of traces', () => {
  it.each(FORMS)('traces with%s have the format of geth', (ending, form) => {
    const asked = Object.entries(answers).filter(
      ([name]) => name.endsWith(ending) && !name.startsWith('debug_traceBlock'),
    );
    expect(asked.length).toBeGreaterThan(2);
    expect(asked.flatMap(([name, answer]) => mismatches(name, form, answer))).toEqual([]);
  });

  it('block traces have the format of geth', () => {
    const form = z.array(z.strictObject({ txHash: hash, result: frame }));
    const name = 'debug_traceBlockByNumber, callTracer';
    expect(mismatches(name, form, answers[name])).toEqual([]);
  });

  it('erc7562Tracer has the format of geth', async () => {
    for (const number of ['0x7', '0x8', '0xa', '0xb', '0xc']) {
      const { transactions } = (await harness.call('eth_getBlockByNumber', [number, false])) as typeof last;
      const options = { tracer: 'erc7562Tracer', tracerConfig: { withLog: true } };
      const trace = await harness.call('debug_traceTransaction', [transactions[0], options]);
      expect(mismatches(number, accessFrame, trace)).toEqual([]);
    }
  });

  it.each([
    ['debug_accountRange', () => ['latest', '0x', 256, false, false, false], accountPage],
    ['debug_storageRangeAt', () => [last.hash, 0, BENEFICIARY, '0x', 10], storagePage],
    ['debug_getModifiedAccountsByNumber', () => [1, 3], z.array(address).min(2)],
    ['debug_getModifiedAccountsByHash', () => [last.hash], z.array(address).min(2)],
    ['debug_intermediateRoots', () => [last.hash], z.array(hash).length(1)],
    ['debug_getBadBlocks', () => [], z.array(z.never())],
    [
      'debug_executionWitness',
      () => ['latest'],
      z.strictObject({
        headers: z.array(z.union([data, z.looseObject({ number: quantity })])),
        codes: z.array(data),
        state: z.array(data),
        keys: z.optional(z.array(data)),
      }),
    ],
  ] as const)('%s has the format of geth', async (method, params, form) => {
    expect(mismatches(method, form, await harness.call(method, params()))).toEqual([]);
  });

  it('debug_setHead returns null and removes the blocks above', async () => {
    const { call } = await createRpcHarness();
    await call('evm_mine');
    await call('evm_mine');
    expect(await call('debug_setHead', ['0x1'])).toBeNull();
    expect(await call('eth_blockNumber')).toBe('0x1');
  });

  it('traces belong to transactions of the sender', () => {
    expect(answers['debug_traceTransaction transfer, callTracer']).toMatchObject({ from: SCENE_SENDER });
  });
});
