import { describe, expect, it } from 'vitest';
import { hexKey, toHex } from '../../../src/primitives/hex.ts';
import { BOB, TEST_START, testAccount } from '../../support/test-chain.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { deploy, receiptOf, SENDER } from './contract.ts';

const POOR = `0x${'77'.repeat(20)}`;
const word = (value: number | bigint | string) => `0x${BigInt(value).toString(16).padStart(64, '0')}`;
const returning = (digits: string) => `0x${digits}5f5260205ff3`;

interface CallResult {
  readonly maxUsedGas: string;
  readonly returnData: string;
  readonly logs: readonly Readonly<Record<string, unknown>>[];
  readonly gasUsed: string;
  readonly status: string;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string };
}

interface BlockResult {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly stateRoot: string;
  readonly receiptsRoot: string;
  readonly gasUsed: string;
  readonly logsBloom: string;
  readonly transactions: readonly unknown[];
  readonly calls: readonly CallResult[];
}

async function simulate(
  { call }: RpcHarness,
  blockStateCalls: readonly unknown[],
  options: object = {},
  block: unknown = 'latest',
): Promise<BlockResult[]> {
  return (await call('eth_simulateV1', [{ blockStateCalls, ...options }, block])) as BlockResult[];
}

describe('eth_simulateV1', () => {
  it('runs each call on the state after the previous call, across blocks', async () => {
    const harness = await createRpcHarness();
    const counter = await deploy(harness, 'Counter');
    const increase = { from: SENDER, to: counter.address, data: counter.data('increase', 5n) };
    const count = { to: counter.address, data: counter.data('count') };
    const blocks = await simulate(harness, [{ calls: [increase, count] }, { calls: [increase, count] }]);
    const counts = blocks.map(({ calls }) => counter.decode('count', calls[1]?.returnData));
    expect(counts).toEqual([5n, 10n]);
    expect(await harness.call('eth_blockNumber')).toBe('0x1');
    expect(counter.decode('count', await harness.call('eth_call', [count, 'latest']))).toBe(0n);
  });

  it.each([
    ['service', 0n, 42n],
    ['anvil', 10n, 0x1234n],
  ] as const)('compat %s decides on BASEFEE and on replaced precompiles', async (compat, baseFee, later) => {
    const harness = await createRpcHarness({ compat }, { ruleSet: 'cancun' });
    const identity = `0x${'04'.padStart(40, '0')}`;
    const blockOverrides = { baseFeePerGas: '0xa' };
    const stateOverrides = { [BOB]: { code: returning('48') }, [identity]: { code: returning('602a') } };
    const calls = [{ to: BOB }, { to: identity, input: word(0x1234) }];

    const blocks = await simulate(harness, [{ blockOverrides, stateOverrides, calls }, { calls }]);

    const words = blocks.map((block) => block.calls.map(({ returnData }) => BigInt(returnData)));
    expect(words).toEqual([
      [baseFee, 42n],
      [0n, later],
    ]);
  });

  it('returns the same block as mining', async () => {
    const harness = await createRpcHarness();
    const counter = await deploy(harness, 'Counter');
    const coinbase = toHex(harness.chain.settings.coinbase);
    const sent = {
      from: SENDER,
      to: counter.address,
      data: counter.data('increase', 5n),
      gas: '0x30d40',
      gasPrice: '0x1',
    };
    const [simulated] = await simulate(
      harness,
      [{ blockOverrides: { feeRecipient: coinbase }, calls: [sent] }],
      { validation: true },
    );
    const hash = await harness.call('eth_sendTransaction', [sent]);
    const receipt = await receiptOf(harness, hash);
    const mined = (await harness.call('eth_getBlockByNumber', ['latest'])) as BlockResult;
    for (const field of [
      'number',
      'parentHash',
      'stateRoot',
      'receiptsRoot',
      'gasUsed',
      'logsBloom',
    ] as const) {
      expect(simulated?.[field], field).toBe(mined[field]);
    }
    expect(simulated?.calls[0]).toMatchObject({ gasUsed: receipt.gasUsed, status: '0x1' });
    const [log] = receipt.logs as Readonly<Record<string, unknown>>[];
    const { topics, data, address, logIndex } = log ?? {};
    expect(simulated?.calls[0]?.logs).toMatchObject([
      { topics, data, address, logIndex, blockHash: simulated?.hash, blockNumber: '0x2', removed: false },
    ]);
  });

  it('numbers blocks consecutively, 12 seconds apart, and fills gaps with empty blocks', async () => {
    const harness = await createRpcHarness();
    const start = TEST_START / 1000;
    const blocks = await simulate(harness, [
      {},
      { blockOverrides: { number: '0x4' } },
      { blockOverrides: { time: start + 1000 } },
    ]);
    expect(blocks.map(({ number }) => Number(number))).toEqual([1, 2, 3, 4, 5]);
    expect(blocks.map(({ timestamp }) => Number(timestamp) - start)).toEqual([12, 24, 36, 48, 1000]);
    const { hash } = (await harness.call('eth_getBlockByNumber', ['0x0'])) as BlockResult;
    const hashes = [hash, ...blocks.map((block) => block.hash)];
    expect(blocks.map(({ parentHash }) => parentHash)).toEqual(hashes.slice(0, -1));
  });

  it('applies state overrides to later blocks, and BLOCKHASH returns simulated hashes', async () => {
    const harness = await createRpcHarness();
    // BLOCKHASH(1)
    const code = returning('600140');
    const blocks = await simulate(harness, [
      { calls: [{ to: POOR }] },
      { stateOverrides: { [POOR]: { code } }, calls: [{ to: POOR }] },
      { calls: [{ to: POOR }] },
    ]);
    const first = blocks[0]?.hash;
    expect(blocks.map(({ calls }) => calls[0]?.returnData)).toEqual(['0x', first, first]);
  });

  it('applies block overrides', async () => {
    const harness = await createRpcHarness({}, { ruleSet: 'cancun' });
    const see = async (opcode: string, blockOverrides: object) => {
      const calls = [{ data: returning(opcode) }];
      const blocks = await simulate(harness, [{ blockOverrides, calls }]);
      return BigInt(blocks.at(-1)?.calls[0]?.returnData ?? -1);
    };
    expect(await see('43', { number: '0x3' })).toBe(3n);
    expect(await see('41', { feeRecipient: `0x${'00'.repeat(19)}05` })).toBe(5n);
    expect(await see('44', { prevRandao: word(9) })).toBe(9n);
    expect(await see('45', { gasLimit: '0x989680' })).toBe(10_000_000n);
    // Without validation, the base fee is 0 unless it is set.
    expect(await see('48', {})).toBe(0n);
  });

  it('returns reverts and halts as failed calls of the block', async () => {
    const harness = await createRpcHarness();
    const failures = await deploy(harness, 'Failures');
    const call = (name: string) => ({ from: SENDER, to: failures.address, data: failures.data(name) });
    const halting = { ...call('invalidOpcode'), gas: '0x186a0' };
    const [block] = await simulate(harness, [{ calls: [call('reason'), halting, { to: BOB }] }]);
    expect(block?.calls).toMatchObject([
      {
        status: '0x0',
        logs: [],
        error: {
          code: 3,
          message: 'execution reverted: not today',
          data: expect.stringMatching(/^0x08c379a0/),
        },
      },
      {
        status: '0x0',
        returnData: '0x',
        error: { code: -32015, message: expect.stringMatching(/^vm execution error: .*invalid opcode/) },
      },
      { status: '0x1', gasUsed: '0x5208' },
    ]);
    expect(block?.calls[1]?.error).not.toHaveProperty('data');
    expect(block?.calls[2]).not.toHaveProperty('error');
  });

  it('returns the maximum gas before refunds, and block timestamps in logs', async () => {
    const harness = await createRpcHarness({}, { ruleSet: 'prague' });
    await harness.call('anvil_setStorageAt', [BOB, '0x1', '0x5']);
    // Clears slot 1 and emits a log.
    await harness.call('anvil_setCode', [BOB, '0x600060015560006000a000']);
    const [block] = await simulate(harness, [{ calls: [{ from: SENDER, to: BOB }] }]);
    expect(block?.calls).toMatchObject([{ logs: [{ blockTimestamp: block?.timestamp }] }]);
    const [{ gasUsed, maxUsedGas } = {}] = block?.calls ?? [];
    expect(Number(maxUsedGas) - Number(gasUsed)).toBe(4_800);
  });

  it('returns value transfers as logs on request, except reverted ones', async () => {
    const harness = await createRpcHarness();
    // Sends 1 wei to BOB, then reverts if it has call data.
    const target = hexKey(testAccount(1).address);
    const code = `0x5f5f5f5f600173${target}5af150361560285760006000fd5b00`;
    const calls = [
      { from: SENDER, to: POOR, value: '0x5' },
      { from: SENDER, to: POOR, value: '0x5', data: '0x01' },
      { from: SENDER, to: BOB, value: '0x0' },
    ];
    const blocks = [{ stateOverrides: { [POOR]: { code } }, calls }];
    const [traced] = await simulate(harness, blocks, { traceTransfers: true });
    const transfer = (from: string, to: string, value: number) => ({
      address: `0x${'ee'.repeat(20)}`,
      topics: ['0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef', word(from), word(to)],
      data: word(value),
    });
    expect(traced?.calls.map(({ status }) => status)).toEqual(['0x1', '0x0', '0x1']);
    expect(traced?.calls.map(({ logs }) => logs)).toMatchObject([
      [
        { ...transfer(SENDER, POOR, 5), logIndex: '0x0' },
        { ...transfer(POOR, BOB, 1), logIndex: '0x1' },
      ],
      [],
      [],
    ]);
    const [plain] = await simulate(harness, blocks);
    expect(plain?.calls.flatMap(({ logs }) => logs)).toEqual([]);
    expect(plain?.hash).toBe(traced?.hash);
  });

  it('returns full transactions on request, with an unsigned sender', async () => {
    const harness = await createRpcHarness();
    const calls = [{ from: POOR, to: BOB }];
    const [hashes] = await simulate(harness, [{ calls }]);
    const [full] = await simulate(harness, [{ calls }], { returnFullTransactions: true });
    expect(full?.transactions).toMatchObject([
      { from: POOR, to: BOB, type: '0x0', hash: hashes?.transactions[0] },
    ]);
  });

  it('uses the transaction types of the hardfork', async () => {
    const harness = await createRpcHarness({}, { ruleSet: 'cancun' });
    const calls = [
      { from: SENDER, to: BOB },
      { from: SENDER, to: BOB, gasPrice: '0x0' },
      { from: SENDER, to: BOB, gasPrice: '0x0', accessList: [{ address: BOB, storageKeys: [] }] },
    ];
    const [block] = await simulate(harness, [{ calls }], { returnFullTransactions: true });
    expect(block?.transactions).toMatchObject([{ type: '0x2' }, { type: '0x0' }, { type: '0x1' }]);
  });

  it('checks nonces and the base fee only with validation', async () => {
    const harness = await createRpcHarness({}, { ruleSet: 'cancun' });
    const odd = [{ calls: [{ from: SENDER, to: BOB, nonce: '0x63' }] }];
    const [loose] = await simulate(harness, odd);
    expect(loose).toMatchObject({ baseFeePerGas: '0x0', calls: [{ status: '0x1' }] });
    await expect(simulate(harness, odd, { validation: true })).rejects.toMatchObject({ code: -38011 });
    const [strict] = await simulate(
      harness,
      [{ calls: [{ from: SENDER, to: BOB, maxFeePerGas: '0x77359400', gas: '0x5208' }] }],
      { validation: true },
    );
    expect(strict).toMatchObject({ baseFeePerGas: '0x342770c0', calls: [{ status: '0x1' }] });
  });

  it.each([
    ['no blocks', [], {}, -32602, /params: simulation\.blockStateCalls:.*empty input/],
    ['more than 256 blocks', Array(257).fill({}), {}, -38026, /too many blocks/],
    ['a gap of more than 256', [{ blockOverrides: { number: '0x101' } }], {}, -38026, /too many blocks/],
    [
      'numbers that do not rise',
      [{ blockOverrides: { number: '0x2' } }, { blockOverrides: { number: '0x2' } }],
      {},
      -38020,
      /block numbers must be in order: 2 <= 2/,
    ],
    ['a number that is there', [{ blockOverrides: { number: '0x0' } }], {}, -38020, /0 <= 0/],
    [
      'times that do not rise',
      [{ blockOverrides: { time: '0x1' } }],
      {},
      -38021,
      /timestamps must be in order/,
    ],
    ['too much gas', [{ calls: [{ to: BOB, gas: '0x1c9c381' }] }], {}, -38015, /block gas limit reached/],
    [
      'too much gas together',
      [{ calls: [{ to: BOB }, { to: BOB, gas: '0x1c9c380' }] }],
      {},
      -38015,
      /block gas limit reached/,
    ],
    ['too little gas', [{ calls: [{ to: BOB, gas: '0x5207' }] }], {}, -38013, /intrinsic gas too low/],
    [
      'too little money',
      [{ calls: [{ from: POOR, to: BOB, value: '0x1' }] }],
      {},
      -38014,
      /insufficient funds/,
    ],
    [
      'a nonce that is used',
      [
        {
          calls: [
            { from: SENDER, to: BOB },
            { from: SENDER, to: BOB, nonce: '0x0' },
          ],
        },
      ],
      { validation: true },
      -38010,
      /nonce too low/,
    ],
    [
      'a nonce above 64 bits',
      [{ calls: [{ from: SENDER, to: BOB, nonce: '0x10000000000000000' }] }],
      {},
      -32000,
      /nonce 18446744073709551616 is above the maximum of 2\^64 - 1/,
    ],
    [
      'something moved that is no precompile',
      [{ stateOverrides: { [word(99).replace(/^0x0{24}/, '0x')]: { movePrecompileToAddress: POOR } } }],
      {},
      -32602,
      /the address is not a precompile/,
    ],
  ])('eth_simulateV1 rejects %s', async (_what, blocks, options, code, message) => {
    const harness = await createRpcHarness();
    await expect(simulate(harness, blocks, options)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  it("rejects fees below the block's minimum only with validation", async () => {
    const priced = await createRpcHarness({}, { minimumGasPrice: 5n });
    const cheap = [{ calls: [{ from: SENDER, to: BOB, gasPrice: '0x4', gas: '0x5208' }] }];
    await expect(simulate(priced, cheap, { validation: true })).rejects.toMatchObject({ code: -38012 });
    const market = await createRpcHarness({}, { ruleSet: 'cancun' });
    await expect(
      simulate(market, [{ calls: [{ from: SENDER, to: BOB }] }], { validation: true }),
    ).rejects.toMatchObject({
      code: -38012,
      message: expect.stringMatching(/max fee per gas less than block base fee/),
    });
  });

  it('eth_simulateV1 rejects an unknown block', async () => {
    const harness = await createRpcHarness();
    await expect(simulate(harness, [{}], {}, '0x9')).rejects.toMatchObject({
      code: -32600,
      message: expect.stringMatching(/header not found/),
    });
  });
});

describe('eth_callMany', () => {
  const many = ({ call }: RpcHarness, ...params: unknown[]) => call('eth_callMany', params);

  it('runs each call on the state after the previous call and continues after a failure', async () => {
    const harness = await createRpcHarness();
    const counter = await deploy(harness, 'Counter');
    const failures = await deploy(harness, 'Failures');
    const increase = { to: counter.address, data: counter.data('increase', 5n) };
    const count = { to: counter.address, data: counter.data('count') };
    const failing = { to: failures.address, data: failures.data('reason') };
    expect(
      await many(harness, [
        { transactions: [increase, failing, { ...count, gas: '0x1' }, count] },
        { transactions: [increase, count] },
      ]),
    ).toEqual([
      [
        { value: '0x' },
        { error: expect.stringMatching(/not today/) },
        { error: expect.stringMatching(/intrinsic gas/) },
        { value: word(5) },
      ],
      [{ value: '0x' }, { value: word(10) }],
    ]);
  });

  it('starts before the given transaction of a block, or at the end of the block', async () => {
    const harness = await createRpcHarness();
    const counter = await deploy(harness, 'Counter');
    harness.chain.miner.setMode({ automine: false, blockTime: null });
    for (let sent = 0; sent < 2; sent++) {
      await harness.call('eth_sendTransaction', [
        { from: SENDER, to: counter.address, data: counter.data('increase', 5n) },
      ]);
    }
    await harness.call('evm_mine');
    const bundles = [{ transactions: [{ to: counter.address, data: counter.data('count') }] }];
    const countAt = async (context: object) => {
      const [[outcome] = []] = (await many(harness, bundles, context)) as { value: string }[][];
      return BigInt(outcome?.value ?? -1);
    };
    expect(await countAt({ blockNumber: 'latest', transactionIndex: 0 })).toBe(0n);
    expect(await countAt({ blockNumber: 'latest', transactionIndex: '0x1' })).toBe(5n);
    expect(await countAt({ blockNumber: 'latest', transactionIndex: 9 })).toBe(10n);
    expect(await countAt({ blockNumber: 'latest', transactionIndex: -1 })).toBe(10n);
    expect(await countAt({ blockNumber: '0x1' })).toBe(0n);
    expect(await countAt({})).toBe(10n);
  });

  it.each([
    ['time', '42', 7, [TEST_START / 1000, 7, 8, 9]],
    ['number', '43', '0x64', [0, 100, 101, 102]],
    ['gasLimit', '45', '0x989680', [30_000_000, 10_000_000, 10_000_000, 10_000_000]],
  ])(
    'keeps an override of the %s for later bundles, each one block and one second later',
    async (field, opcode, value, expected) => {
      const harness = await createRpcHarness();
      const accounts = { [POOR]: { code: returning(opcode) } };
      const transactions = [{ to: POOR }];
      const bundles = [
        { transactions },
        { transactions, blockOverride: { [field]: value } },
        { transactions },
        { transactions, blockOverride: { difficulty: '0x1' } },
      ];

      const answer = await many(harness, bundles, { blockNumber: 'latest' }, accounts);

      expect(answer).toEqual(expected.map((seen) => [{ value: word(seen) }]));
    },
  );

  it('runs later bundles one block and one second later without overrides', async () => {
    const harness = await createRpcHarness();
    const transactions = [{ data: returning('43') }, { data: returning('42') }];

    const answer = await many(harness, [{ transactions }, { transactions }], { blockNumber: 'latest' });

    const start = TEST_START / 1000;
    expect(answer).toEqual([
      [{ value: word(0) }, { value: word(start) }],
      [{ value: word(1) }, { value: word(start + 1) }],
    ]);
  });
});

describe('eth_createAccessList', () => {
  const SLOT = word(1);
  /** BALANCE of BOB, a call of the identity precompile, SLOAD(1), SSTORE(2, 7). */
  const code = `0x73${BOB.slice(2)}31505f5f5f5f60045afa50600154506007600255`;
  const overrides = { [POOR]: { code } };

  it('lists accessed accounts and slots, without sender, precompiles and console', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'cancun' });
    const answer = await call('eth_createAccessList', [{ from: SENDER, to: POOR }, 'latest', overrides]);
    expect(answer).toEqual({
      accessList: [
        { address: BOB, storageKeys: [] },
        { address: POOR, storageKeys: [SLOT, word(2)] },
      ],
      gasUsed: expect.stringMatching(/^0x/),
    });
    expect(await call('eth_createAccessList', [{ from: SENDER, to: BOB, value: '0x1' }])).toEqual({
      accessList: [],
      gasUsed: '0x5208',
    });
    const console = '000000000000000000636f6e736f6c652e6c6f67';
    const logging = { [POOR]: { code: `0x5f5f5f5f73${console}5afa50` } };
    expect(await call('eth_createAccessList', [{ to: POOR }, 'latest', logging])).toMatchObject({
      accessList: [],
    });
  });

  it.each([
    ['BALANCE', '31', ''],
    ['EXTCODESIZE', '3b', ''],
    ['EXTCODECOPY', '3c', '5f5f5f'],
    ['EXTCODEHASH', '3f', ''],
    ['CALL', 'f1', '5f5f5f5f5f'],
    ['CALLCODE', 'f2', '5f5f5f5f5f'],
    ['DELEGATECALL', 'f4', '5f5f5f5f'],
    ['STATICCALL', 'fa', '5f5f5f5f'],
    ['SELFDESTRUCT', 'ff', ''],
  ])('eth_createAccessList lists the account accessed by %s', async (name, opcode, below) => {
    const { call } = await createRpcHarness({}, { ruleSet: 'cancun' });
    const gas = name.endsWith('CALL') || name === 'CALLCODE' ? '5a' : '';
    const touching = { [POOR]: { code: `0x${below}73${BOB.slice(2)}${gas}${opcode}` } };
    expect(await call('eth_createAccessList', [{ to: POOR }, 'latest', touching])).toMatchObject({
      accessList: [{ address: BOB, storageKeys: [] }],
    });
  });

  it('returns the gas of the call with the access list', async () => {
    const harness = await createRpcHarness({}, { ruleSet: 'cancun' });
    const counter = await deploy(harness, 'Counter');
    const asked = { from: SENDER, to: counter.address, data: counter.data('increase', 5n) };
    const { accessList, gasUsed } = (await harness.call('eth_createAccessList', [asked])) as {
      accessList: unknown;
      gasUsed: string;
    };
    const fees = { maxFeePerGas: '0x77359400', gas: '0x30d40' };
    const hash = await harness.call('eth_sendTransaction', [{ ...asked, ...fees, accessList }]);
    expect((await receiptOf(harness, hash)).gasUsed).toBe(gasUsed);
  });

  it('returns the gas of the plain call under rules without access lists', async () => {
    const { call } = await createRpcHarness();
    const asked = [{ from: SENDER, to: POOR }, 'latest', overrides];
    const answer = (await call('eth_createAccessList', asked)) as { accessList: unknown[]; gasUsed: string };
    expect(answer.accessList).toHaveLength(2);
    const simulated = await call('eth_simulateV1', [
      { blockStateCalls: [{ stateOverrides: overrides, calls: [asked[0]] }] },
    ]);
    expect(simulated).toMatchObject([{ calls: [{ gasUsed: answer.gasUsed }] }]);
  });

  it('lists the accesses of a failing call with its error', async () => {
    const { call } = await createRpcHarness();
    const failing = { [POOR]: { code: '0x600154505f5ffd' } };
    expect(await call('eth_createAccessList', [{ to: POOR }, 'latest', failing])).toMatchObject({
      accessList: [{ address: POOR, storageKeys: [SLOT] }],
      error: expect.stringMatching(/revert/),
    });
  });
});
