import { describe, expect, it } from 'vitest';
import { BOB } from '../../support/test-chain.ts';
import { createRpcHarness } from '../rpc-harness.ts';
import { receiptOf, SENDER } from './contract.ts';

const WORD = `0x${'11'.repeat(32)}`;
const AUTHORIZATION = { chainId: '0x0', address: BOB, nonce: '0x0', yParity: '0x0', r: WORD, s: WORD };

type Fields = Readonly<Record<string, unknown>>;

/** Each method with a message: its parameters, and the path of the message. */
const METHODS: readonly (readonly [
  name: string,
  place: string,
  params: (message: Fields) => readonly unknown[],
])[] = [
  ['eth_call', 'call', (message) => [message, 'latest']],
  ['eth_estimateGas', 'call', (message) => [message]],
  ['eth_createAccessList', 'call', (message) => [message]],
  ['debug_traceCall', 'call', (message) => [message, 'latest', { tracer: 'callTracer' }]],
  ['debug_traceCallMany', 'bundles[0].transactions[0]', (message) => [[{ transactions: [message] }], {}]],
  ['trace_call', 'call', (message) => [message, ['trace'], 'latest']],
  ['trace_callMany', 'calls[0][0]', (message) => [[[message, ['trace']]], 'latest']],
  ['inspect_call', 'call', (message) => [message, 'latest']],
  [
    'eth_callMany',
    'bundles[0].transactions[1]',
    (message) => [[{ transactions: [{ to: BOB }, message] }], { blockNumber: 'latest' }],
  ],
  [
    'eth_simulateV1',
    'simulation.blockStateCalls[1].calls[0]',
    (message) => [{ blockStateCalls: [{}, { calls: [message] }] }, 'latest'],
  ],
  ['eth_fillTransaction', 'transaction', (message) => [message]],
  ['eth_signTransaction', 'transaction', (message) => [message]],
  ['eth_sendTransaction', 'transaction', (message) => [message]],
  ['eth_sendUnsignedTransaction', 'transaction', (message) => [message]],
];

/** The methods whose messages are not transactions: nonces are ignored. */
const CALLS = METHODS.slice(
  0,
  METHODS.findIndex(([name]) => name === 'eth_simulateV1'),
);

const BLOB_HASH = `0x01${'22'.repeat(31)}`;

describe.each(METHODS)('message fields of %s', (method, place, params) => {
  const message = { from: SENDER, to: BOB };

  it.each([
    ['gasLimit', { gas: '0x5208', gasLimit: '0x5209' }],
    ['maxFeePerGas', { gasPrice: '0x77359400', maxFeePerGas: '0x77359400' }],
    ['maxPriorityFeePerGas', { gasPrice: '0x77359400', maxPriorityFeePerGas: '0x1' }],
    ['input', { data: '0x01', input: '0x02' }],
    ['to', { to: null, blobVersionedHashes: [BLOB_HASH] }],
    ['gasPrice', { gasPrice: '0x77359400', blobVersionedHashes: [BLOB_HASH] }],
  ])('rejects a contradictory %s', async (field, fields) => {
    const { call } = await createRpcHarness({}, { ruleSet: 'prague' });
    await expect(call(method, params({ ...message, ...fields }))).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(`params: ${place}.${field}:`),
    });
    expect(await call('eth_blockNumber')).toBe('0x0');
  });

  it.each(['rootstock', 'osaka'] as const)('accepts a blob fee without blobs under %s', async (ruleSet) => {
    const { call } = await createRpcHarness({}, { ruleSet });

    const answer = await call(method, params({ ...message, maxFeePerBlobGas: '0x1' }));

    expect(answer).toEqual(await (await createRpcHarness({}, { ruleSet })).call(method, params(message)));
  });

  it.each([
    ['nonce', 'one'],
    ['nonce', -1],
    ['nonce', {}],
    ['chainId', '0xzz'],
    ['chainId', []],
  ])('rejects a malformed %s: %j', async (field, value) => {
    const { call } = await createRpcHarness();

    await expect(call(method, params({ ...message, [field]: value }))).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(`params: ${place}.${field}:`),
    });
  });

  it('accepts only the chain id of this chain', async () => {
    const { call } = await createRpcHarness();

    await expect(call(method, params({ ...message, chainId: '0x1' }))).rejects.toMatchObject({
      code: -32602,
      message: 'Invalid chainId: 1, expected 33',
    });
    await expect(call(method, params({ ...message, chainId: '0x21' }))).resolves.toBeDefined();
  });

  it.each([
    ['rootstock', 'maxFeePerGas', { maxFeePerGas: '0x5' }],
    ['rootstock', 'maxPriorityFeePerGas', { maxPriorityFeePerGas: '0x0' }],
    ['berlin', 'maxFeePerGas', { maxFeePerGas: '0x5', maxPriorityFeePerGas: '0x1' }],
    ['rootstock', 'accessList', { accessList: [{ address: BOB, storageKeys: [] }] }],
    ['istanbul', 'accessList', { accessList: [{ address: BOB, storageKeys: [] }] }],
    ['shanghai', 'blobVersionedHashes', { blobVersionedHashes: [BLOB_HASH] }],
    ['rootstock', 'blobVersionedHashes', { blobVersionedHashes: [BLOB_HASH] }],
    ['cancun', 'authorizationList', { authorizationList: [AUTHORIZATION] }],
    ['rootstock', 'authorizationList', { authorizationList: [AUTHORIZATION] }],
  ] as const)('rejects fields of another hardfork (%s): %s', async (ruleSet, field, fields) => {
    const { call } = await createRpcHarness({}, { ruleSet });
    await expect(call(method, params({ ...message, ...fields }))).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(
        `invalid params: ${place.replaceAll(/[.[\]]/g, '\\$&')}\\.${field}: .*hardfork ${ruleSet}`,
      ),
    });
    expect(await call('eth_blockNumber')).toBe('0x0');
  });

  it('accepts empty lists, and gasLimit instead of gas', async () => {
    const { call } = await createRpcHarness();
    const empty = { ...message, accessList: [], authorizationList: [], gasLimit: '0x5208', gas: '0x5208' };
    await call(method, params(empty));
  });
});

describe.each(CALLS)('nonce in %s', (method, _place, params) => {
  it.each(['0x0', '0x63', 99, '0xffffffffffffffff'])('ignores the nonce %j', async (nonce) => {
    const { call } = await createRpcHarness();
    await call('eth_sendTransaction', [{ from: SENDER, to: BOB }]);
    // ADDRESS, returned: the address of the new contract depends on the nonce of its sender.
    const creation = { from: SENDER, data: '0x305f5260205ff3' };

    const answer = await call(method, params({ ...creation, nonce }));

    expect(answer).toEqual(await call(method, params(creation)));
  });
});

describe('gasLimit', () => {
  it('gasLimit limits calls and estimates, and is the gas of transactions', async () => {
    const { call } = await createRpcHarness();
    const loop = '0x5b600056';
    await call('anvil_setCode', [BOB, loop]);
    await expect(call('eth_call', [{ to: BOB, gasLimit: '0x5300' }, 'latest'])).rejects.toThrow(/out of gas/);
    // GAS, returned.
    await call('anvil_setCode', [BOB, '0x5a60005260206000f3']);
    expect(Number(await call('eth_call', [{ to: BOB, gasLimit: '0x7530' }, 'latest']))).toBe(30_000 - 21_002);
    const hash = await call('eth_sendTransaction', [{ from: SENDER, to: BOB, gasLimit: '0x7531' }]);
    expect(await call('eth_getTransactionByHash', [hash])).toMatchObject({ gas: '0x7531' });
  });
});

describe('transaction type', () => {
  it.each(['0x0', '0x1'])('type %s rejects fee-market fields', async (type) => {
    const { call } = await createRpcHarness({}, { ruleSet: 'prague' });
    const transaction = { from: SENDER, to: BOB, type, maxFeePerGas: '0x77359400' };
    await expect(call('eth_sendTransaction', [transaction])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params: transaction\.type: expected 0x2, 0x3 or 0x4.*maxFeePerGas/),
    });
  });

  const accessList = [{ address: BOB, storageKeys: [WORD] }];

  it.each(['berlin', 'prague'] as const)(
    'a gas price with an access list has type 0x1 under %s',
    async (ruleSet) => {
      const { call } = await createRpcHarness({}, { ruleSet });
      const fields = { from: SENDER, to: BOB, gasPrice: '0x77359400', accessList };
      const hash = await call('eth_sendTransaction', [fields]);
      expect(await call('eth_getTransactionByHash', [hash])).toMatchObject({ type: '0x1', accessList });
    },
  );

  it('type 0x0 rejects a nonempty access list', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'prague' });
    const fields = { from: SENDER, to: BOB, type: '0x0', gasPrice: '0x77359400' };
    await expect(call('eth_sendTransaction', [{ ...fields, accessList }])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params: transaction\.type: expected 0x1, 0x2, 0x3 or 0x4.*accessList/),
    });
    expect(await call('eth_blockNumber')).toBe('0x0');
    const hash = await call('eth_sendTransaction', [{ ...fields, accessList: [] }]);
    expect(await call('eth_getTransactionByHash', [hash])).toMatchObject({ type: '0x0' });
  });
});

describe('default fees of eth_sendTransaction', () => {
  it.each([
    [{ maxFeePerGas: '0x174876e800' }, { maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x3b9aca00' }],
    [{ maxFeePerGas: '0x37e11d60' }, { maxFeePerGas: '0x37e11d60', maxPriorityFeePerGas: '0x37e11d60' }],
    [
      { maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x0' },
      { maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x0' },
    ],
    [{ maxPriorityFeePerGas: '0x7' }, { maxFeePerGas: '0x684ee187', maxPriorityFeePerGas: '0x7' }],
    [{}, { maxFeePerGas: '0xa3e9ab80', maxPriorityFeePerGas: '0x3b9aca00' }],
  ])(
    'fees %j become %j: the priority fee is 1 gwei by default, capped by the maximum fee',
    async (named, fees) => {
      const harness = await createRpcHarness({}, { ruleSet: 'prague' });
      const hash = await harness.call('eth_sendTransaction', [{ from: SENDER, to: BOB, ...named }]);
      expect(await harness.call('eth_getTransactionByHash', [hash])).toMatchObject({ type: '0x2', ...fees });
      expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1' });
    },
  );
});

describe.each(['wasm', 'reference'] as const)('fees of calls on engine %s', (engine) => {
  // BASEFEE and GASPRICE, returned.
  const code = '0x486000523a60205260406000f3';
  const word = (value: number) => value.toString(16).padStart(64, '0');

  it('a call ignores the base fee and sees no price below it', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'prague', engine });
    await call('anvil_setCode', [BOB, code]);
    const baseFee = 1_000_000_000;
    for (const [fees, seen] of [
      [{}, [0, 0]],
      [{ gasPrice: '0x7' }, [7, 7]],
      [{ maxFeePerGas: '0x7' }, [7, 7]],
      [{ maxFeePerGas: '0x7', maxPriorityFeePerGas: '0x7' }, [7, 7]],
      [{ maxFeePerGas: '0x3b9aca07', maxPriorityFeePerGas: '0x3' }, [baseFee, baseFee + 3]],
      [{ gasPrice: '0x3b9aca07' }, [baseFee, baseFee + 7]],
    ] as const) {
      const message = { from: SENDER, to: BOB, ...fees };
      expect(await call('eth_call', [message, 'latest'])).toBe(`0x${seen.map(word).join('')}`);
      for (const block of ['latest', 'pending']) {
        expect(Number(await call('eth_estimateGas', [message, block]))).toBeGreaterThan(21_000);
      }
    }
  });

  it('a call at the suggested gas price succeeds against the latest block', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'prague', engine });
    await call('hardhat_setNextBlockBaseFeePerGas', ['0xba43b7400']);
    await call('evm_mine');
    const gasPrice = await call('eth_gasPrice');
    // The suggested price is raised to the base fee of the head.
    expect(gasPrice).toBe('0xba43b7400');
    const message = { from: SENDER, to: BOB, value: '0x1', gasPrice };
    expect(await call('eth_call', [message, 'latest'])).toBe('0x');
    expect(await call('eth_estimateGas', [message, 'latest'])).toBe('0x5208');
  });
});
