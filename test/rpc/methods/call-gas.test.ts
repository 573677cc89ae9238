import { describe, expect, it } from 'vitest';
import type { ChainOptions } from '../../../src/chain/settings/chain-options.ts';
import type { RpcServiceOptions } from '../../../src/rpc/rpc-service.ts';
import { createForkScene } from '../../fork/fork-scene.ts';
import { ScriptedUpstream } from '../../fork/scripted-upstream.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

/** Returns the remaining gas at its start. */
const GAS_LEFT = `0x${'c0'.repeat(20)}`;
/** Uses all gas. */
const GREEDY = `0x${'c1'.repeat(20)}`;
/** Reverts with less than 40 million gas. */
const FUSSY = `0x${'c2'.repeat(20)}`;
/** Gas used before GAS is read: the intrinsic gas and the opcode. */
const BEFORE = 21_002n;

const quantity = (amount: number | bigint): string => `0x${amount.toString(16)}`;

async function createScene(
  chainOptions: Partial<ChainOptions> = {},
  options: Partial<RpcServiceOptions> = {},
): Promise<RpcHarness> {
  const harness = await createRpcHarness(options, chainOptions);
  await harness.call('anvil_setCode', [GAS_LEFT, '0x5a5f5260205ff3']);
  // JUMPDEST, PUSH0, JUMP
  await harness.call('anvil_setCode', [GREEDY, '0x5b5f56']);
  // PUSH4 40,000,000, GAS, LT, PUSH1 11, JUMPI, STOP, JUMPDEST, PUSH0, PUSH0, REVERT
  await harness.call('anvil_setCode', [FUSSY, '0x6302625a005a10600b57005b5f5ffd']);
  return harness;
}

/** A method that runs a call, and the gas reported by GAS_LEFT in its response. */
const METHODS: readonly (readonly [
  method: string,
  params: (call: object) => readonly unknown[],
  seen: (answer: never) => string,
])[] = [
  ['eth_call', (call) => [call, 'latest'], (answer: string) => answer],
  [
    'eth_callMany',
    (call) => [[{ transactions: [call] }], { blockNumber: 'latest' }],
    ([[outcome]]: [[{ value: string }]]) => outcome.value,
  ],
  [
    'debug_traceCall',
    (call) => [call, 'latest', {}],
    (answer: { returnValue: string }) => answer.returnValue,
  ],
  [
    'debug_traceCallMany',
    (call) => [[{ transactions: [call] }], {}, { tracer: 'callTracer' }],
    ([[frame]]: [[{ output: string }]]) => frame.output,
  ],
  ['trace_call', (call) => [call, ['trace'], 'latest'], (answer: { output: string }) => answer.output],
  [
    'trace_callMany',
    (call) => [[[call, ['trace']]], 'latest'],
    ([answer]: [{ output: string }]) => answer.output,
  ],
  ['inspect_call', (call) => [call, 'latest'], (answer: { call: { output: string } }) => answer.call.output],
];

async function gasSeen(
  harness: RpcHarness,
  [method, params, seen]: (typeof METHODS)[number],
  fields: object,
) {
  const answer = await harness.call(method, params({ to: GAS_LEFT, ...fields }));
  return BigInt(seen(answer as never)) + BEFORE;
}

describe.each(METHODS)('gas of %s', (...method) => {
  it('uses the requested gas, also above the block gas limit', async () => {
    const harness = await createScene();

    expect(await gasSeen(harness, method, { gas: quantity(300_000_000) })).toBe(300_000_000n);
  });

  it('the gas is limited to 2^30, or to the block gas limit if that is larger', async () => {
    const usual = await createScene();
    const large = await createScene({ gasLimit: 2n ** 31n });

    expect(await gasSeen(usual, method, { gas: quantity(2n ** 63n) })).toBe(2n ** 30n);
    expect(await gasSeen(large, method, { gas: quantity(2n ** 63n) })).toBe(2n ** 31n);
  });

  it('uses the block gas limit by default, with a minimum of 10 million', async () => {
    const usual = await createScene();
    const small = await createScene({ gasLimit: 6_800_000n });

    expect(await gasSeen(usual, method, {})).toBe(30_000_000n);
    expect(await gasSeen(small, method, {})).toBe(10_000_000n);
  });

  it('the gas is limited by --call-gas-limit', async () => {
    const harness = await createScene({ callGasLimit: 5_000_000n });

    expect(await gasSeen(harness, method, { gas: quantity(6_000_000) })).toBe(5_000_000n);
    expect(await gasSeen(harness, method, {})).toBe(5_000_000n);
  });

  it('the gas is not limited by the transaction gas limit of osaka', async () => {
    const harness = await createScene({ ruleSet: 'osaka', transactionGasLimit: 1_000_000n });

    expect(await gasSeen(harness, method, {})).toBe(30_000_000n);
    expect(await gasSeen(harness, method, { gas: quantity(50_000_000) })).toBe(50_000_000n);
  });
});

describe('gas of eth_createAccessList', () => {
  it('eth_createAccessList uses the requested gas above the block and transaction limits', async () => {
    const harness = await createScene({ ruleSet: 'osaka' });

    const list = await harness.call('eth_createAccessList', [{ to: FUSSY, gas: quantity(300_000_000) }]);

    expect(list).not.toHaveProperty('error');
  });

  it('eth_createAccessList is limited by --call-gas-limit', async () => {
    const harness = await createScene({ callGasLimit: 39_000_000n });

    const list = await harness.call('eth_createAccessList', [{ to: FUSSY, gas: quantity(300_000_000) }]);

    expect(list).toMatchObject({ error: expect.stringContaining('gas was cut from 300000000 to 39000000') });
  });
});

const CUT = 'gas was cut from 9000000 to 5000000; raise the limit with --call-gas-limit';

describe('errors of calls with reduced gas', () => {
  const call = { to: GREEDY, gas: quantity(9_000_000) };

  it.each(['service', 'anvil', 'hardhat'] as const)(
    'eth_call reports the reduced gas and the option (compat %s)',
    async (compat) => {
      const harness = await createScene({ callGasLimit: 5_000_000n }, { compat });

      await expect(harness.call('eth_call', [call, 'latest'])).rejects.toMatchObject({
        message: expect.stringMatching(new RegExp(`(?:out of gas|OutOfGas) \\(${CUT}\\)$`)),
      });
      await expect(harness.call('eth_call', [{ ...call, to: FUSSY }, 'latest'])).rejects.toMatchObject({
        message: expect.stringMatching(new RegExp(`reverted.* \\(${CUT}\\)$`)),
      });
    },
  );

  it('eth_callMany, eth_createAccessList and eth_simulateV1 report the reduced gas', async () => {
    const harness = await createScene({ callGasLimit: 5_000_000n });

    const many = await harness.call('eth_callMany', [[{ transactions: [call] }], {}]);
    const list = await harness.call('eth_createAccessList', [call]);
    const simulated = await harness.call('eth_simulateV1', [{ blockStateCalls: [{ calls: [call] }] }]);

    expect(many).toMatchObject([[{ error: expect.stringContaining(CUT) }]]);
    expect(list).toMatchObject({ error: expect.stringContaining(CUT) });
    expect(simulated).toMatchObject([{ calls: [{ error: { message: expect.stringContaining(CUT) } }] }]);
  });

  it('inspect_call reports the reduced gas in its failure', async () => {
    const harness = await createScene({ callGasLimit: 5_000_000n });

    expect(await harness.call('inspect_call', [call, 'latest'])).toMatchObject({
      failure: { message: `out of gas (${CUT})` },
    });
  });

  it.each([
    ['debug_traceCall', [call, 'latest', {}]],
    ['debug_traceCallMany', [[{ transactions: [call] }], {}, { tracer: 'callTracer' }]],
    ['trace_call', [call, ['trace'], 'latest']],
    ['trace_callMany', [[[call, ['trace']]], 'latest']],
  ])('%s logs the reduced gas, because its result has no field for it', async (method, params) => {
    const harness = await createScene({ callGasLimit: 5_000_000n });
    const notices: string[] = [];
    harness.chain.events.on('notice', (text) => notices.push(text));

    await harness.call(method, params);

    expect(notices).toEqual([`A traced call failed: ${CUT}`]);
  });

  it('eth_call reports no option if the gas was not reduced', async () => {
    const harness = await createScene();

    await expect(
      harness.call('eth_call', [{ ...call, gas: quantity(100_000) }, 'latest']),
    ).rejects.toMatchObject({
      message: 'VM Exception while processing transaction: out of gas',
    });
  });
});

describe('gas of eth_simulateV1', () => {
  it('--call-gas-limit limits all calls of all blocks together', async () => {
    const harness = await createScene({ callGasLimit: 5_000_000n });
    const greedy = { calls: [{ to: GREEDY, gas: quantity(3_000_000) }] };

    const blocks = await harness.call('eth_simulateV1', [{ blockStateCalls: [greedy, greedy] }]);

    expect(blocks).toMatchObject([
      { calls: [{ gasUsed: quantity(3_000_000), error: { message: 'vm execution error: out of gas' } }] },
      {
        calls: [
          {
            gasUsed: quantity(2_000_000),
            error: { message: expect.stringContaining('gas was cut from 3000000 to 2000000') },
          },
        ],
      },
    ]);
  });

  it('eth_simulateV1 fails with the option if the remaining gas is below the intrinsic gas', async () => {
    const harness = await createScene({ callGasLimit: 1_000_000n });
    const calls = [
      { to: GREEDY, gas: quantity(990_000) },
      { to: GREEDY, gas: quantity(50_000) },
    ];

    await expect(harness.call('eth_simulateV1', [{ blockStateCalls: [{ calls }] }])).rejects.toMatchObject({
      code: -38013,
      message:
        'intrinsic gas too low: have 10000, want 21000 (gas was cut from 50000 to 10000; raise the limit with --call-gas-limit)',
    });
  });
});

describe('estimates without enough gas', () => {
  it.each([
    ['--gas-limit', 'rootstock', {}, 30_000_000],
    ['--tx-gas-limit', 'osaka', {}, 16_777_216],
    ['--tx-gas-limit', 'rootstock', { transactionGasLimit: 20_000_000n }, 20_000_000],
    ['--call-gas-limit', 'osaka', { callGasLimit: 5_000_000n }, 5_000_000],
    ['--gas-limit', 'osaka', { transactionGasLimit: 'none' }, 30_000_000],
  ] as const)(
    'eth_estimateGas reports the limit of %s under %s: %o',
    async (option, ruleSet, limits, most) => {
      const harness = await createScene({ ruleSet, ...limits });

      await expect(harness.call('eth_estimateGas', [{ to: GREEDY }])).rejects.toMatchObject({
        message: expect.stringContaining(
          `out of gas (at most ${most} gas can be used; raise the limit with ${option})`,
        ),
      });
    },
  );

  it("eth_estimateGas reports no option if the sender's gas is the limit", async () => {
    const harness = await createScene({}, { compat: 'anvil' });

    await expect(
      harness.call('eth_estimateGas', [{ to: GREEDY, gas: quantity(100_000) }]),
    ).rejects.toMatchObject({ message: 'Out of gas: gas required exceeds allowance: 100000' });
  });
});

describe('--tx-gas-limit', () => {
  const send = ({ call }: RpcHarness, gas: number) =>
    call('eth_sendTransaction', [{ from: SENDER, to: SENDER, gas: quantity(gas) }]);

  it.each([
    ['osaka', 'hardfork', 16_777_216],
    ['osaka', 20_000_000n, 20_000_000],
    ['prague', 20_000_000n, 20_000_000],
    ['rootstock', 1_000_000n, 1_000_000],
  ] as const)(
    '--tx-gas-limit limits transactions under %s: %s',
    async (ruleSet, transactionGasLimit, most) => {
      const harness = await createScene({ ruleSet, transactionGasLimit });

      await expect(send(harness, most)).resolves.toMatch(/^0x/);
      await expect(send(harness, most + 1)).rejects.toMatchObject({
        code: -32010,
        message: expect.stringContaining('raise it with --tx-gas-limit'),
      });
    },
  );

  it.each(['wasm', 'reference'] as const)(
    '--tx-gas-limit none removes the limit of osaka on engine %s',
    async (engine) => {
      const harness = await createScene({ ruleSet: 'osaka', engine, transactionGasLimit: 'none' });

      const hash = await send(harness, 30_000_000);

      expect(await harness.call('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' });
      expect(await harness.call('debug_traceTransaction', [hash, { tracer: 'callTracer' }])).toMatchObject({
        gas: quantity(30_000_000),
      });
    },
  );

  it.each(['wasm', 'reference'] as const)(
    '--tx-gas-limit sets the execution gas under amsterdam on engine %s',
    async (engine) => {
      const gasLimit = 60_000_000n;
      const scene = (transactionGasLimit: ChainOptions['transactionGasLimit']) =>
        createScene({ ruleSet: 'amsterdam', engine, gasLimit, codeSizeLimit: 65_536, transactionGasLimit });
      const seen = async (harness: RpcHarness) =>
        Number(await harness.call('eth_call', [{ to: GAS_LEFT, gas: quantity(40_000_000) }, 'latest']));
      const [own, lifted, raised] = await Promise.all([scene('hardfork'), scene('none'), scene(20_000_000n)]);

      const [most, all, some] = [await seen(own), await seen(lifted), await seen(raised)];

      expect([all - most, some - most]).toEqual([40_000_000 - 2 ** 24, 20_000_000 - 2 ** 24]);
    },
  );

  it.each([
    ['wasm', 'hardfork', 2 ** 32 - 1],
    ['reference', 'hardfork', 2 ** 32 - 1],
    ['wasm', 20_000_000n, 2 ** 32 - 1],
    ['wasm', 5_000_000_000n, 5_000_000_000],
  ] as const)(
    'a transaction under amsterdam is limited to 2^32 - 1 gas (EIP-8037): engine %s, --tx-gas-limit %s',
    async (engine, transactionGasLimit, most) => {
      const gasLimit = 2n ** 33n;
      const harness = await createScene({ ruleSet: 'amsterdam', engine, gasLimit, transactionGasLimit });

      const hash = await send(harness, most);

      expect(await harness.call('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' });
      await expect(send(harness, most + 1)).rejects.toMatchObject({
        code: -32010,
        message: expect.stringContaining(`higher than the limit of ${most} per transaction`),
      });
    },
  );

  it('--tx-gas-limit limits the default gas of a failing transaction', async () => {
    const harness = await createScene({ transactionGasLimit: 2_000_000n });

    const hash = await harness.call('eth_sendTransaction', [{ from: SENDER, data: '0xfe' }]);

    expect(await harness.call('eth_getTransactionByHash', [hash])).toMatchObject({
      gas: quantity(2_000_000),
    });
  });
});

describe('transactions mined without a limit', () => {
  it('a transaction above the limit of osaka can be traced', async () => {
    const unbounded = await createScene({ ruleSet: 'osaka', transactionGasLimit: 'none' });
    const request = { from: SENDER, to: GAS_LEFT, gas: quantity(20_000_000) };
    const hash = await unbounded.call('eth_sendTransaction', [request]);
    const dump = await unbounded.call('anvil_dumpState');
    const bounded = await createScene({ ruleSet: 'osaka' });
    await bounded.call('anvil_loadState', [dump]);

    const trace = await bounded.call('debug_traceTransaction', [hash, { tracer: 'callTracer' }]);

    expect(trace).toMatchObject({ gas: quantity(20_000_000), type: 'CALL' });
    expect(trace).not.toHaveProperty('error');
  });
});

describe('fork of a chain with blocks of 6.8 million gas', () => {
  it('eth_call on the fork has 10 million gas, like the upstream', async () => {
    const node = await createScene({ gasLimit: 6_800_000n });
    const upstream = new ScriptedUpstream((method, params) => node.call(method, params));
    const fork = await createForkScene(upstream);

    const seen = BigInt((await fork.call('eth_call', [{ to: GAS_LEFT }, 'latest'])) as string);

    expect(await fork.call('eth_getBlockByNumber', ['latest'])).toMatchObject({
      gasLimit: quantity(6_800_000),
    });
    expect(seen + BEFORE).toBe(10_000_000n);
  });
});
