import { describe, expect, it } from 'vitest';
import { TEST_START } from '../../support/test-chain.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { receiptOf, SENDER } from './contract.ts';

const START = TEST_START / 1000;
const GUARD = `0x${'ad'.repeat(20)}`;
const STRANGER = `0x${'5a'.repeat(20)}`;
const PRICE = '0x2540be400';

function word(value: number | bigint | string): string {
  return (typeof value === 'string' ? value.slice(2) : value.toString(16)).padStart(64, '0');
}

/**
 * Code that reverts unless the instructions leave `value` on the stack. Otherwise it stores the block number.
 */
function demanding(instructions: string, value: number | bigint | string): string {
  const destination = (instructions.length / 2 + 41).toString(16).padStart(2, '0');
  // EQ, JUMPI over a revert, and an SSTORE, so that the gas must be estimated.
  return `0x${instructions}7f${word(value)}1460${destination}57600080fd5b43600055`;
}

/** A setting of the next block, code that requires it, and the hardfork that has it. */
const DEMANDS: readonly (readonly [
  what: string,
  ruleSet: 'rootstock' | 'prague',
  prepare: readonly (readonly [string, ...unknown[]])[],
  code: string,
])[] = [
  ['evm_increaseTime', 'rootstock', [['evm_increaseTime', 1_000]], demanding('42', START + 1_000)],
  ['the next timestamp', 'prague', [['evm_setNextBlockTimestamp', START + 77]], demanding('42', START + 77)],
  ['evm_setTime', 'rootstock', [['evm_setTime', (START + 9) * 1000]], demanding('42', START + 9)],
  [
    'the timestamp interval',
    'rootstock',
    [['anvil_setBlockTimestampInterval', 12]],
    demanding('42', START + 12),
  ],
  ['the coinbase', 'rootstock', [['hardhat_setCoinbase', STRANGER]], demanding('41', STRANGER)],
  ['the gas limit', 'rootstock', [['evm_setBlockGasLimit', '0x989680']], demanding('45', 10_000_000)],
  ['the number', 'rootstock', [], demanding('43', 1)],
  [
    'the base fee',
    'prague',
    [['hardhat_setNextBlockBaseFeePerGas', '0x77359400']],
    demanding('48', 2_000_000_000),
  ],
  ['PREVRANDAO', 'prague', [['hardhat_setPrevRandao', `0x${word(5)}`]], demanding('44', 5)],
  [
    'a transaction that waits',
    'rootstock',
    [
      ['evm_setAutomine', false],
      ['eth_sendTransaction', { from: SENDER, to: STRANGER, value: '0x5' }],
    ],
    demanding(`73${STRANGER.slice(2)}31`, 5),
  ],
];

async function prepared(
  compat: 'service' | 'anvil' | 'hardhat',
  ruleSet: 'rootstock' | 'prague',
  prepare: readonly (readonly [string, ...unknown[]])[],
  code: string,
): Promise<RpcHarness> {
  const harness = await createRpcHarness({ compat }, { ruleSet });
  await harness.call('anvil_setCode', [GUARD, code]);
  for (const [method, ...params] of prepare) await harness.call(method, params);
  return harness;
}

describe.each(DEMANDS)('settings of the next block: %s', (_what, ruleSet, prepare, code) => {
  it.each(['service', 'anvil', 'hardhat'] as const)(
    'the settings apply to estimates, access lists, fills and sends in compat mode %s',
    async (compat) => {
      const { call } = await prepared(compat, ruleSet, prepare, code);
      const message = { from: SENDER, to: GUARD, gasPrice: PRICE, gas: '0x30d40' };
      const { gas: _gas, ...open } = message;
      await expect(call('eth_estimateGas', [open, 'latest'])).rejects.toThrow(/revert/i);
      const estimate = Number(await call('eth_estimateGas', [open]));
      expect(estimate).toBeGreaterThan(40_000);
      expect(await call('eth_estimateGas', [open, 'pending'])).toBe(`0x${estimate.toString(16)}`);
      expect(await call('eth_createAccessList', [message])).not.toHaveProperty('error');
      expect(await call('eth_createAccessList', [message, 'latest'])).toHaveProperty('error');
      expect(await call('eth_fillTransaction', [open])).toMatchObject({
        tx: { gas: `0x${estimate.toString(16)}` },
      });
      expect(await call('eth_call', [message, 'pending'])).toBe('0x');
    },
  );

  it('the settings apply to a transaction without gas', async () => {
    const harness = await prepared('service', ruleSet, prepare, code);
    const hash = await harness.call('eth_sendTransaction', [{ from: SENDER, to: GUARD, data: '0x00' }]);
    await harness.call('evm_setAutomine', [true]);
    if (harness.chain.pool.size > 0) await harness.call('evm_mine');
    expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1' });
  });
});

describe('filled fees', () => {
  it('filled fees suffice for the base fee set for the next block', async () => {
    const harness = await createRpcHarness({}, { ruleSet: 'prague' });
    const { call } = harness;
    await call('hardhat_setNextBlockBaseFeePerGas', ['0x174876e800']);
    expect(await call('eth_fillTransaction', [{ from: SENDER, to: STRANGER }])).toMatchObject({
      tx: { maxFeePerGas: `0x${(201n * 10n ** 9n).toString(16)}`, maxPriorityFeePerGas: '0x3b9aca00' },
    });
    const hash = await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER }]);
    expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1' });
  });
});

describe('default gas of a plain transfer', () => {
  it('a plain transfer without gas is sent with 21,000 gas', async () => {
    for (const ruleSet of ['rootstock', 'prague'] as const) {
      const harness = await createRpcHarness({}, { ruleSet });
      for (const fields of [{}, { value: '0x1' }, { data: '0x' }]) {
        const hash = await harness.call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, ...fields }]);
        expect(await harness.call('eth_getTransactionByHash', [hash])).toMatchObject({ gas: '0x5208' });
      }
    }
  });

  it('a transfer with code, a precompile or data gets more than 21,000 gas', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    await call('anvil_setCode', [GUARD, '0x43600055']);
    for (const [to, data] of [
      [GUARD, '0x'],
      [`0x${'00'.repeat(19)}02`, '0x'],
      [STRANGER, '0x01'],
    ]) {
      const hash = await call('eth_sendTransaction', [{ from: SENDER, to, data }]);
      expect(await call('eth_getTransactionByHash', [hash])).toMatchObject({ gas: '0x15f90' });
      expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1' });
    }
  });

  it('the default gas of a transfer includes the code of a pending creation', async () => {
    const harness = await createRpcHarness({}, { automine: false });
    const { call } = harness;
    // A contract whose code is `SSTORE(0, NUMBER)`.
    const creation = await call('eth_sendTransaction', [
      { from: SENDER, data: '0x63436000556000526004601cf3' },
    ]);
    const { contractAddress } = { contractAddress: await nextContract(harness) };
    const transfer = await call('eth_sendTransaction', [{ from: SENDER, to: contractAddress, value: '0x0' }]);
    await call('evm_mine');
    expect(await receiptOf(harness, creation)).toMatchObject({ contractAddress, status: '0x1' });
    expect(await receiptOf(harness, transfer)).toMatchObject({ status: '0x1' });
  });
});

/** The address of the contract created by the first pending transaction. */
async function nextContract({ call }: RpcHarness): Promise<string> {
  const [receipt] = (await call('eth_getBlockReceipts', ['pending'])) as { contractAddress: string }[];
  if (receipt === undefined) throw new Error('nothing waits');
  return receipt.contractAddress;
}
