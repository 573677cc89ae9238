import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Call,
  COUNTER,
  createExampleChain,
  EXAMPLE,
  failureOf,
  RECEIVER,
  SENDER,
  UNKNOWN_HASH,
} from './scene.ts';

// The classes of parameters: HexAddressParam, HashParam32, HexNumberParam, HexIndexParam, HexDataParam, HexKeyParam,
// HexDurationParam, BlockIdentifierParam, CallArgumentsParam, FilterRequestParam, DebugTracerParam.

const HASH = EXAMPLE.increaseHash;
const CALL = { from: SENDER, to: COUNTER, data: '0x06661abd' };
const T1 = `0x${'6d'.repeat(32)}`;

/** Parameters that a method takes. */
const TAKEN: readonly (readonly [method: string, ...params: readonly unknown[]])[] = [
  ['eth_getBalance', SENDER, 'latest'],
  ['eth_getBalance', SENDER.toUpperCase().replace('0X', '0x'), '0x1'],
  ['eth_getStorageAt', COUNTER, '0x0', 'latest'],
  ['eth_getStorageAt', COUNTER, '1500', 'latest'],
  ['eth_getBlockByNumber', 'latest', false],
  ['eth_getBlockByNumber', '0xf892038609184e', false],
  ['eth_getBlockByNumber', '1028', false],
  ['eth_getTransactionByBlockNumberAndIndex', '0x3', '0x123'],
  ['eth_call', { ...CALL, gas: '0x76c0', gasPrice: '0x0', value: '0x0', nonce: '0x1' }, 'latest'],
  ['eth_call', { ...CALL, gasPrice: '0' }, 'latest'],
  ['eth_call', { ...CALL, gas: null, gasPrice: null, value: null, nonce: null, chainId: null }, 'latest'],
  ['eth_getLogs', { fromBlock: '0x1', toBlock: '0x2', address: COUNTER, topics: [T1] }],
  ['eth_getLogs', { topics: [T1, [T1, T1]] }],
  ['eth_getLogs', { topics: [T1, null, [T1, null]] }],
  ['eth_getLogs', { address: [COUNTER, SENDER] }],
  ['eth_getLogs', { address: null, topics: null }],
  ['debug_traceTransaction', HASH],
  ['debug_traceTransaction', HASH, {}],
  ['debug_traceTransaction', HASH, { disableMemory: 'true', disableStorage: 'false' }],
  ['debug_traceTransaction', HASH, { disableStack: 'true', unsupportedOption: 'true' }],
  ['debug_traceTransaction', HASH, { tracer: 'callTracer' }],
  ['debug_traceTransaction', HASH, { tracer: 'callTracer', unsupportedOption: 'true' }],
  [
    'debug_traceTransaction',
    HASH,
    { tracer: 'callTracer', tracerConfig: { onlyTopCall: true, withLog: true } },
  ],
  ['debug_traceTransaction', HASH, { tracer: 'rskTracer' }],
  ['personal_importRawKey', `0x${'cd'.repeat(32)}`, 'passphrase'],
  ['personal_importRawKey', 'cd'.repeat(32), 'passphrase'],
  ['personal_unlockAccount', SENDER, '', '0x1e'],
  ['web3_sha3', '0x696e7465726e6574'],
];

/** Parameters that a method rejects, and the place that the error names. */
const REJECTED: readonly (readonly [method: string, params: readonly unknown[], place: string])[] = [
  // Addresses
  ['eth_getBalance', ['0x407d73d8a4sseb85d32cf465507dd71d507100c1', 'latest'], 'address'],
  ['eth_getBalance', ['0x407d73', 'latest'], 'address'],
  ['eth_getBalance', [null, 'latest'], 'address'],
  ['eth_getBalance', ['', 'latest'], 'address'],
  // Hashes
  ...['eth_getBlockByHash', 'eth_getTransactionByHash', 'eth_getTransactionReceipt'].flatMap((method) => {
    const place = method === 'eth_getBlockByHash' ? 'blockHash' : 'transactionHash';
    return [
      null,
      '',
      'invalidhash',
      '0xc2b835124172db5bd051bb94fa123721eacac43b5cba2499b22c7583a3568',
      '0xc2b835124172db5bdzz1bb94fa123721eacac43b5cba2499b22c7583a35689b8',
    ].map((hash) => [method, [hash], place] as const);
  }),
  // Numbers and indexes
  ['eth_getStorageAt', [COUNTER, '0x76ty', 'latest'], 'position'],
  ['eth_getTransactionByBlockNumberAndIndex', ['0x3', '0xabcz'], 'index'],
  ['eth_getTransactionByBlockNumberAndIndex', ['0x3', ''], 'index'],
  // Blocks
  ['eth_getBlockByNumber', ['first', false], 'block'],
  ['eth_getBlockByNumber', ['0xf89203860918sv', false], 'block'],
  ['eth_getBlockByNumber', [null, false], 'block'],
  ['eth_getBlockByNumber', ['', false], 'block'],
  ['eth_getBlockByNumber', ['-1', false], 'block'],
  // Data and keys
  ['eth_sendRawTransaction', ['0xsv92038609184e72a0'], 'transaction'],
  ['web3_sha3', ['internet'], 'data'],
  ['personal_importRawKey', [`0x${'cd'.repeat(30)}zxt4`, 'passphrase'], 'key'],
  ['personal_importRawKey', [null, 'passphrase'], 'key'],
  ['personal_unlockAccount', [SENDER, '', '0x1t'], 'duration'],
  [
    'personal_unlockAccount',
    [SENDER, '', '0xf1652d8322a880e520f996f7d28b645814a58a202d7d2ab7f058e5566fe4f9f3'],
    'duration',
  ],
  // Call objects
  ...Object.entries({
    from: '0x7986b3df570230288501eea3d890bd66948c9b7s',
    to: '0xe7b8e91401bf4d1669f54dc5f98109d7efbc4esw',
    gas: '0x76cz',
    gasPrice: '0x9184e72a0zq',
    value: '0x9184e7tq',
    data: '0xd46e8dpl',
  }).map(([name, value]) => ['eth_call', [{ ...CALL, [name]: value }, 'latest'], `call.${name}`] as const),
  // Filters
  ['eth_getLogs', [{ fromBlock: '0x2w' }], 'filter.fromBlock'],
  ['eth_getLogs', [{ toBlock: 'ab' }], 'filter.toBlock'],
  ['eth_getLogs', [{ topics: [T1, [T1, `0x0000w${'0'.repeat(59)}`]] }], 'filter.topics'],
  ['eth_getLogs', [{ blockHash: UNKNOWN_HASH, fromBlock: '0x1' }], 'filter.blockHash'],
  ['eth_getLogs', [{ blockHash: UNKNOWN_HASH, toBlock: '0x1' }], 'filter.blockHash'],
  // Tracers
  ['debug_traceTransaction', [HASH, { tracer: 'unknownTracer' }], 'options.tracer'],
];

describe('parameters', () => {
  let call: Call;

  beforeAll(async () => {
    ({ call } = await createExampleChain());
  });

  it.each(TAKEN.map(([method, ...params]) => ({ method, params, shown: JSON.stringify(params) })))(
    'are taken by $method: $shown',
    async ({ method, params }) => {
      expect(await call(method, params)).toBeDefined();
    },
  );

  it.each(
    REJECTED.map(([method, params, place]) => ({ method, params, place, shown: JSON.stringify(params) })),
  )('are rejected by $method, which names $place: $shown', async ({ method, params, place }) => {
    expect(await failureOf(call(method, params))).toMatchObject({
      code: -32602,
      message: expect.stringContaining(`invalid params: ${place}`),
    });
  });

  it('gives the data of a call under both names, and prefers input', async () => {
    const answers = [{ data: CALL.data }, { input: CALL.data }, { data: CALL.data, input: CALL.data }].map(
      (fields) => call('eth_call', [{ to: COUNTER, ...fields }, 'latest']),
    );

    expect(new Set(await Promise.all(answers)).size).toBe(1);
    expect(await call('eth_estimateGas', [{ from: SENDER, to: RECEIVER, input: '0x' }])).toBe('0x5208');
  });

  it('traces with the disabled fields left out', async () => {
    const options = { disableStack: true, disableMemory: true, disableStorage: true };
    const trace = (await call('debug_traceTransaction', [HASH, options])) as {
      readonly structLogs: object[];
    };

    expect(trace.structLogs.length).toBeGreaterThan(0);
    for (const name of ['stack', 'memory', 'storage'])
      expect(
        trace.structLogs.some((step) => name in step),
        name,
      ).toBe(false);
  });
});
