import { describe, expect, it } from 'vitest';
import { BOB } from '../../support/test-chain.ts';
import { word } from '../../support/words.ts';
import { createRpcHarness } from '../rpc-harness.ts';
import { deploy, SENDER } from './contract.ts';

const CONTRACT = `0x${'77'.repeat(20)}`;
const SHA256 = `0x${'2'.padStart(40, '0')}`;
const IDENTITY = `0x${'4'.padStart(40, '0')}`;

/** Code that returns the word that the opcodes leave on the stack. */
const returning = (digits: string) => `0x${digits}5f5260205ff3`;

describe('overrides of eth_call', () => {
  it.each([
    ['the balance', '47', { balance: '0x9' }, 9],
    ['a slot', '600154', { stateDiff: { [word(1)]: word(42) } }, 42],
    ['the whole storage', '600154', { state: { [word(1)]: word(42) } }, 42],
    // ADDRESS, EXTCODESIZE
    ['the code', '303b', {}, 8],
  ])('an override sets %s of an account', async (_what, digits, fields, expected) => {
    const { call } = await createRpcHarness();
    const accounts = { [CONTRACT]: { code: returning(digits), ...fields } };
    expect(await call('eth_call', [{ to: CONTRACT }, 'latest', accounts])).toBe(word(expected));
    expect(await call('eth_getCode', [CONTRACT, 'latest'])).toBe('0x');
  });

  it('state replaces the whole storage, and stateDiff keeps the other slots', async () => {
    const harness = await createRpcHarness();
    const counter = await deploy(harness, 'Counter');
    await harness.call('eth_sendTransaction', [
      { from: SENDER, to: counter.address, data: counter.data('increase', 5n) },
    ]);
    const asked = { to: counter.address, data: counter.data('count') };
    const count = async (fields: object) =>
      counter.decode(
        'count',
        await harness.call('eth_call', [asked, 'latest', { [counter.address]: fields }]),
      );
    expect(await count({ state: { [word(9)]: word(1) } })).toBe(0n);
    expect(await count({ stateDiff: { [word(9)]: word(1) } })).toBe(5n);
    expect(await count({ stateDiff: { [word(0)]: word(7) } })).toBe(7n);
  });

  it('a nonce override changes the address of a creation', async () => {
    const { call } = await createRpcHarness();
    // ADDRESS
    const asked = { from: BOB, data: returning('30') };
    const [plain, overridden] = [
      await call('eth_call', [asked, 'latest', { [BOB]: { nonce: '0x0' } }]),
      await call('eth_call', [asked, 'latest', { [BOB]: { nonce: '0x5' } }]),
    ];
    expect(plain).toBe(await call('eth_call', [asked, 'latest']));
    expect(overridden).not.toBe(plain);
  });

  it.each([
    ['number', '43', '0x63', 99],
    ['time', '42', 123, 123],
    ['gasLimit', '45', '0x989680', 10_000_000],
    ['feeRecipient', '41', `0x${'00'.repeat(19)}05`, 5],
    ['coinbase', '41', `0x${'00'.repeat(19)}05`, 5],
  ])('an override sets the %s of the block', async (field, opcode, value, expected) => {
    const { call } = await createRpcHarness();
    const asked = [{ data: returning(opcode) }, 'latest', {}, { [field]: value }];
    expect(await call('eth_call', asked)).toBe(word(expected));
  });

  it('an override sets the base fee, or the minimum gas price under Rootstock rules', async () => {
    // BASEFEE
    const asked = [{ data: returning('48'), gasPrice: '0x64' }, 'latest', {}, { baseFeePerGas: '0x7' }];
    for (const ruleSet of ['rootstock', 'cancun'] as const) {
      const { call } = await createRpcHarness({}, { ruleSet });
      expect(await call('eth_call', asked)).toBe(word(7));
    }
  });

  it('an override sets PREVRANDAO', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'cancun' });
    for (const field of ['prevRandao', 'random']) {
      const asked = [{ data: returning('44') }, 'latest', null, { [field]: word(11) }];
      expect(await call('eth_call', asked)).toBe(word(11));
    }
  });

  it.each([
    [{ number: `0x${'f'.repeat(13)}` }, '43', 2n ** 52n - 1n],
    [{ time: '0xffffffffffff' }, '42', 2n ** 48n - 1n],
    [{ difficulty: `0x${'f'.repeat(64)}` }, '44', 2n ** 256n - 1n],
    [{ gasLimit: `0x7${'f'.repeat(15)}` }, '45', 2n ** 63n - 1n],
    [{ baseFeePerGas: `0x${'f'.repeat(64)}` }, '48', 2n ** 256n - 1n],
    [{ withdrawals: [] }, '43', 0n],
  ])('large block overrides %j are visible to the code', async (environment, opcode, expected) => {
    const { call } = await createRpcHarness();
    expect(await call('eth_call', [{ data: returning(opcode) }, 'latest', {}, environment])).toBe(
      word(expected),
    );
  });

  it('an override of the gas limit above 2^63 - 1 is rejected', async () => {
    for (const ruleSet of ['rootstock', 'cancun'] as const) {
      const { call } = await createRpcHarness({}, { ruleSet });
      const environment = { gasLimit: `0x${'f'.repeat(64)}` };
      await expect(call('eth_call', [{ to: BOB }, 'latest', {}, environment])).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('params: blockOverrides.gasLimit: expected an amount of gas'),
      });
    }
  });

  it.each([
    [[{ [BOB]: { balance: -1 } }], `stateOverrides.${BOB}.balance`],
    [[{ nobody: {} }], 'stateOverrides'],
    [[{}, { number: '0x20000000000000' }], 'blockOverrides.number'],
    [[{}, { withdrawals: [{}] }], 'blockOverrides.withdrawals'],
    [[{}, { gasLimit: '0x8000000000000000' }], 'blockOverrides.gasLimit'],
    [[{ [BOB]: { nonce: '0x10000000000000000' } }], `stateOverrides.${BOB}.nonce`],
    [[{ [BOB]: { balance: `0x1${'0'.repeat(64)}` } }], `stateOverrides.${BOB}.balance`],
    [[{ [BOB]: { movePrecompileToAddress: '0x12' } }], `stateOverrides.${BOB}.movePrecompileToAddress`],
    [[{ [BOB]: { movePrecompileToAddress: CONTRACT } }], `${BOB}.movePrecompileToAddress`],
    [[{ [SHA256]: { movePrecompileToAddress: SHA256 } }], `${SHA256}.movePrecompileToAddress`],
    [
      [{ [SHA256]: { movePrecompileToAddress: CONTRACT }, [CONTRACT]: { nonce: '0x1' } }],
      `${SHA256}.movePrecompileToAddress`,
    ],
  ])('invalid overrides %j are rejected with the path', async (overrides, place) => {
    const { call } = await createRpcHarness();
    for (const method of ['eth_call', 'eth_estimateGas']) {
      await expect(call(method, [{ to: BOB }, 'latest', ...overrides])).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining(`${place}: `),
      });
    }
  });
});

describe('overrides outside the valid range', () => {
  const gasLimit = '0x8000000000000000';
  const accounts = { [BOB]: { nonce: '0x10000000000000000' } };
  const call = { to: BOB };

  it.each<[string, unknown[]]>([
    ['debug_traceCall', [call, 'latest', { blockOverrides: { gasLimit } }]],
    ['debug_traceCall', [call, 'latest', { stateOverrides: accounts }]],
    ['eth_simulateV1', [{ blockStateCalls: [{ blockOverrides: { gasLimit }, calls: [call] }] }]],
    ['eth_simulateV1', [{ blockStateCalls: [{ stateOverrides: accounts, calls: [call] }] }]],
    ['eth_callMany', [[{ transactions: [call], blockOverride: { gasLimit } }]]],
    ['eth_callMany', [[{ transactions: [call] }], {}, accounts]],
    ['eth_createAccessList', [call, 'latest', accounts]],
  ])('%s rejects %j', async (method, params) => {
    const harness = await createRpcHarness({}, { ruleSet: 'cancun' });
    await expect(harness.call(method, params)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/gas from 1 to 2\^63 - 1|a nonce below 2\^64/),
    });
  });
});

describe('eth_createAccessList of many accounts', () => {
  it('eth_createAccessList rejects more than 262,144 entries', async () => {
    const harness = await createRpcHarness({}, { ruleSet: 'cancun', gasLimit: 1_000_000_000n });
    // Reads the balance of a different account in each iteration (GAS), endlessly.
    const accounts = { [BOB]: { code: '0x5b5a31505f56' } };
    const call = { to: BOB, gas: '0x3b9aca00' };
    await expect(harness.call('eth_createAccessList', [call, 'latest', accounts])).rejects.toMatchObject({
      code: -32000,
      message: 'the access list has more than 262144 accounts and slots',
    });
  });
});

describe('precompile overrides', () => {
  const INPUT = '0x010203';
  const HASH = '0x039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81';
  const MOVED = { [SHA256]: { movePrecompileToAddress: CONTRACT } };

  describe.each(['wasm', 'reference'] as const)('precompile overrides on engine %s', (engine) => {
    it.each(['rootstock', 'cancun'] as const)(
      'overrides move precompiles under %s rules',
      async (ruleSet) => {
        const { call } = await createRpcHarness({}, { engine, ruleSet });
        const ask = (to: string, ...overrides: unknown[]) =>
          call('eth_call', [{ to, data: INPUT }, 'latest', ...overrides]);
        expect(await ask(SHA256)).toBe(HASH);
        expect([await ask(CONTRACT, MOVED), await ask(SHA256, MOVED)]).toEqual([HASH, '0x']);
        expect([await ask(CONTRACT), await ask(SHA256)]).toEqual(['0x', HASH]);
        // PUSH1 42, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN
        const code = '0x602a60005260206000f3';
        const replaced = { [SHA256]: { movePrecompileToAddress: CONTRACT, code } };
        expect([await ask(CONTRACT, replaced), await ask(SHA256, replaced)]).toEqual([HASH, word(42)]);
        expect(await ask(SHA256, { [SHA256]: { code } })).toBe(word(42));
        expect(await ask(SHA256)).toBe(HASH);
      },
    );

    it.each([
      ['in the order of their addresses', [SHA256, IDENTITY]],
      ['in the other order', [IDENTITY, SHA256]],
    ])('if several precompiles move to one account, the highest wins: %s', async (_order, addresses) => {
      const { call } = await createRpcHarness({}, { engine, ruleSet: 'osaka' });
      const moves = Object.fromEntries(
        addresses.map((address) => [address, { movePrecompileToAddress: CONTRACT }]),
      );

      const answers = await Promise.all(
        [CONTRACT, SHA256, IDENTITY].map((to) => call('eth_call', [{ to, data: INPUT }, 'latest', moves])),
      );

      expect(answers).toEqual([INPUT, '0x', '0x']);
    });

    it('a moved precompile is cold at the new account, and its own address stays warm', async () => {
      const { call } = await createRpcHarness({}, { engine, ruleSet: 'osaka' });
      // GAS, PUSH0, PUSH0, PUSH0, PUSH0, PUSH20 <address>, GAS, STATICCALL, POP, GAS, SWAP1, SUB
      const codeFor = (address: string) => returning(`5a5f5f5f5f73${address.slice(2)}5afa505a9003`);
      const gasOfCall = async (address: string, overrides: object) =>
        Number(
          await call('eth_call', [
            { to: BOB },
            'latest',
            { ...overrides, [BOB]: { code: codeFor(address) } },
          ]),
        );

      const own = await gasOfCall(SHA256, {});
      const moved = await gasOfCall(CONTRACT, MOVED);
      const left = await gasOfCall(SHA256, MOVED);

      expect([moved - own, left - own]).toEqual([2_500, -60]);
    });

    it('moved precompiles are cold at a shared account in eth_simulateV1', async () => {
      const { call } = await createRpcHarness({}, { engine, ruleSet: 'osaka' });
      // GAS, PUSH20 <address>, BALANCE, POP, GAS, SWAP1, SUB
      const code = returning(`5a73${CONTRACT.slice(2)}31505a9003`);
      const calls = [
        { to: BOB, input: INPUT },
        { to: CONTRACT, input: INPUT },
      ];
      const both = { ...MOVED, [IDENTITY]: { movePrecompileToAddress: CONTRACT } };
      const blockStateCalls = [{ stateOverrides: { ...both, [BOB]: { code } }, calls }];

      const simulated = await call('eth_simulateV1', [{ blockStateCalls }, 'latest']);

      expect(simulated).toMatchObject([
        { calls: [{ returnData: word(3 + 2_600 + 2 + 2) }, { returnData: INPUT }] },
      ]);
    });

    it('eth_estimateGas and blocks of eth_simulateV1 apply moved precompiles', async () => {
      const { call } = await createRpcHarness({}, { engine });
      const estimate = async (...overrides: unknown[]) =>
        Number(await call('eth_estimateGas', [{ to: CONTRACT, data: INPUT }, 'latest', ...overrides]));
      expect([await estimate(), await estimate(MOVED)]).toEqual([21_048, 21_048 + 72]);
      const calls = [{ to: CONTRACT, input: INPUT }];
      const blockStateCalls = [{ stateOverrides: MOVED, calls }, { calls }];
      expect(await call('eth_simulateV1', [{ blockStateCalls }, 'latest'])).toMatchObject([
        { calls: [{ returnData: HASH, gasUsed: '0x5280' }] },
        { calls: [{ returnData: '0x', gasUsed: '0x5238' }] },
      ]);
    });
  });
});

describe('overrides of eth_estimateGas', () => {
  it('eth_estimateGas applies state and block overrides', async () => {
    const { call } = await createRpcHarness();
    const estimate = async (...overrides: unknown[]) =>
      Number(await call('eth_estimateGas', [{ to: CONTRACT }, 'latest', ...overrides]));
    expect(await estimate()).toBe(21_000);
    // PUSH1 1, PUSH1 0, SSTORE
    const writing = { [CONTRACT]: { code: '0x6001600055' } };
    expect(await estimate(writing)).toBe(41_006);
    const written = { [CONTRACT]: { code: '0x6001600055', stateDiff: { [word(0)]: word(1) } } };
    expect(await estimate(written)).toBeLessThan(41_006);
    // TIMESTAMP, PUSH1 1, EQ, PUSH1 8, JUMPI, INVALID, JUMPDEST
    const fussy = { [CONTRACT]: { code: '0x42600114600857fe5b' } };
    expect(await estimate(fussy, { time: '0x1' })).toBeGreaterThan(21_000);
    await expect(estimate(fussy)).rejects.toMatchObject({ message: expect.stringMatching(/invalid opcode/) });
  });
});
