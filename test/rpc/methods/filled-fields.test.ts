import { describe, expect, it } from 'vitest';
import type { RuleSetName } from '../../../src/protocol/hardforks/registry.ts';
import { BOB } from '../../support/test-chain.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { deploy, SENDER } from './contract.ts';

const FRESH = `0x${'77'.repeat(20)}`;
const IDENTITY = `0x${'04'.padStart(40, '0')}`;
/** A creation whose code starts with an invalid opcode. */
const FAILING = '0xfe';
const GAS_LIMIT = '0x1c9c380';

function quantity(value: bigint): string {
  return `0x${value.toString(16)}`;
}

function gwei(amount: number): string {
  return quantity(BigInt(amount * 1e9));
}

async function gasOf({ call }: RpcHarness, transaction: object): Promise<unknown> {
  const hash = await call('eth_sendTransaction', [{ from: SENDER, ...transaction }]);
  return ((await call('eth_getTransactionByHash', [hash])) as { readonly gas: string }).gas;
}

describe('default gas of a transaction', () => {
  it('default gas is 21,000 for a plain transfer, otherwise 90,000 or the estimate', async () => {
    const harness = await createRpcHarness();
    const { address } = await deploy(harness, 'Counter');
    for (const [transaction, gas] of [
      [{ to: BOB }, 21_000],
      [{ to: FRESH, value: '0x1' }, 21_000],
      [{ to: FRESH, data: '0x00' }, 90_000],
      [{ to: IDENTITY }, 90_000],
      [{ to: address, data: '0x' }, 30_000_000],
      [{ data: '0x' }, 90_000],
      [{ data: `0x${'00'.repeat(20_000)}` }, 134_250],
    ] as const) {
      expect([transaction, Number(await gasOf(harness, transaction))]).toEqual([transaction, gas]);
    }
  });

  it('default gas of a failing transaction is the maximum that the sender can pay', async () => {
    const harness = await createRpcHarness();
    const failing = (members: object) => gasOf(harness, { from: BOB, data: FAILING, ...members });
    expect(await failing({ gasPrice: '0x0' })).toBe(GAS_LIMIT);
    expect(await failing({ gasPrice: '0x1' })).toBe(GAS_LIMIT);
    const { call } = harness;
    const price = 10n ** 9n;
    const value = 5n;
    const setBalance = (balance: bigint) => call('anvil_setBalance', [BOB, quantity(balance)]);
    await setBalance(value + 100_000n * price + price - 1n);
    expect(await failing({ gasPrice: quantity(price), value: '0x5' })).toBe('0x186a0');
    await setBalance(value);
    await expect(failing({ gasPrice: quantity(price), value: '0x5' })).rejects.toMatchObject({
      code: -32010,
    });
  });
});

/** Hardfork, given fields, and the filled type and fees in gwei, after a block with a base fee of 1 gwei. */
const FEES: readonly (readonly [ruleSet: RuleSetName, named: object, filled: object])[] = [
  ['rootstock', {}, { type: 0, gasPrice: 0 }],
  ['rootstock', { type: '0x2' }, { type: 0, gasPrice: 0 }],
  ['rootstock', { gasPrice: gwei(3) }, { type: 0, gasPrice: 3 }],
  ['berlin', {}, { type: 0 }],
  ['berlin', { accessList: [] }, { type: 1 }],
  ['berlin', { type: '0x2' }, { type: 0 }],
  ['london', {}, { type: 2, maxFeePerGas: 3, maxPriorityFeePerGas: 1 }],
  ['london', { gasPrice: gwei(3) }, { type: 0, gasPrice: 3 }],
  ['london', { gasPrice: gwei(3), accessList: [] }, { type: 1, gasPrice: 3 }],
  ['london', { type: '0x1' }, { type: 1 }],
  ['london', { maxFeePerGas: gwei(5) }, { type: 2, maxFeePerGas: 5, maxPriorityFeePerGas: 1 }],
  ['london', { maxFeePerGas: gwei(0.5) }, { type: 2, maxFeePerGas: 0.5, maxPriorityFeePerGas: 0.5 }],
  ['london', { maxPriorityFeePerGas: gwei(4) }, { type: 2, maxFeePerGas: 6, maxPriorityFeePerGas: 4 }],
  [
    'london',
    { maxFeePerGas: gwei(5), maxPriorityFeePerGas: gwei(2) },
    { type: 2, maxFeePerGas: 5, maxPriorityFeePerGas: 2 },
  ],
];

describe('filled type and fees', () => {
  it.each(FEES)('hardfork %s fills %j with %j', async (ruleSet, named, filled) => {
    const { call } = await createRpcHarness({}, { ruleSet });
    if (ruleSet === 'london') await call('hardhat_setNextBlockBaseFeePerGas', [gwei(1)]);
    const asked = { from: SENDER, to: BOB, gas: '0x5208', ...named };
    const { tx } = (await call('eth_fillTransaction', [asked])) as { readonly tx: Record<string, string> };
    const got = Object.keys(filled).map((name) => [name, Number(tx[name]) / (name === 'type' ? 1 : 1e9)]);
    expect(Object.fromEntries(got)).toEqual(filled);
  });
});

describe('eth_estimateGas on a hosted node', () => {
  it('returns the used gas of a failing call', async () => {
    const { call } = await createRpcHarness({ hosted: true }, { ruleSet: 'london' });
    expect(await call('eth_estimateGas', [{ from: SENDER, data: FAILING }])).toBe(GAS_LIMIT);
    expect(await call('eth_estimateGas', [{ from: SENDER, data: '0x60006000fd' }])).toBe('0xcf46');
  });

  it('returns the block limit or the intrinsic gas of a transaction that cannot run', async () => {
    const tooLong = { from: SENDER, data: `0x${'00'.repeat(50_000)}` };
    const { call } = await createRpcHarness({ hosted: true });
    expect(await call('eth_estimateGas', [tooLong])).toBe(GAS_LIMIT);
    const small = await createRpcHarness({ hosted: true }, { gasLimit: 100_000n });
    const costly = { from: SENDER, data: `0x${'00'.repeat(20_000)}` };
    expect(Number(await small.call('eth_estimateGas', [costly]))).toBe(134_250);
    const own = await createRpcHarness();
    await expect(own.call('eth_estimateGas', [tooLong])).rejects.toMatchObject({ code: -32000 });
  });
});
