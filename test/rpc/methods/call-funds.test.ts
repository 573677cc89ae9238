import { describe, expect, it } from 'vitest';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const POOR = `0x${'b0'.repeat(20)}`;
const CODE = `0x${'c0'.repeat(20)}`;
const LOOP = `0x${'10'.repeat(20)}`;
const UNPAID = { code: -32003, message: 'Insufficient funds for gas * price + value' };

/** A sender with 100,000 wei, a contract that stores a value, and an endless contract. */
async function createScene(compat: 'service' | 'anvil' | 'hardhat'): Promise<RpcHarness> {
  const harness = await createRpcHarness({ compat }, { ruleSet: 'prague' });
  await harness.call('anvil_setBalance', [POOR, '0x186a0']);
  await harness.call('anvil_setCode', [CODE, '0x43600055']);
  await harness.call('anvil_setCode', [LOOP, '0x5b600056']);
  return harness;
}

describe('compat mode anvil', () => {
  it('rejects a call with a value or price that its sender cannot pay', async () => {
    const { call } = await createScene('anvil');
    for (const fields of [
      { from: POOR, value: '0x186a1' },
      { value: '0x1' },
      { from: POOR, gasPrice: '0x1' },
      { from: POOR, maxFeePerGas: '0x1' },
      { from: POOR, gas: '0xea60', gasPrice: '0x2' },
      { from: POOR, gas: '0xea60', gasPrice: '0x1', value: '0x9c41' },
    ]) {
      const message = { to: CODE, ...fields };
      await expect(call('eth_call', [message, 'latest'])).rejects.toMatchObject(UNPAID);
      await expect(call('debug_traceCall', [message, 'latest'])).rejects.toMatchObject(UNPAID);
    }
    for (const fields of [
      {},
      { from: POOR, value: '0x186a0' },
      { from: POOR, gas: '0xea60', gasPrice: '0x1', value: '0x9c40' },
      { from: SENDER, gasPrice: '0x1', value: '0x1' },
    ]) {
      expect(await call('eth_call', [{ to: CODE, ...fields }, 'latest'])).toBe('0x');
    }
  });

  it('checks funds against an overridden balance', async () => {
    const { call } = await createScene('anvil');
    const message = { from: POOR, to: CODE, value: '0x186a1' };
    expect(await call('eth_call', [message, 'latest', { [POOR]: { balance: '0x186a1' } }])).toBe('0x');
  });

  it('limits the gas of an estimate to the funds of the sender', async () => {
    const { call } = await createScene('anvil');
    const estimate = await call('eth_estimateGas', [{ from: SENDER, to: CODE }]);
    expect(await call('eth_estimateGas', [{ from: POOR, to: CODE, gasPrice: '0x1' }])).toBe(estimate);
    const ofPoor = (fields: object) => call('eth_estimateGas', [{ from: POOR, to: CODE, ...fields }]);
    await expect(ofPoor({ value: '0x186a1' })).rejects.toMatchObject(UNPAID);
    await expect(ofPoor({ value: '0x186a1', gasPrice: '0x1' })).rejects.toMatchObject(UNPAID);
    await expect(call('eth_estimateGas', [{ to: CODE, gasPrice: '0x1' }])).rejects.toMatchObject(UNPAID);
    const short = (gas: number) => ({
      code: -32003,
      message: `Out of gas: gas required exceeds allowance: ${gas}`,
    });
    await expect(ofPoor({ gasPrice: '0x5' })).rejects.toMatchObject(short(20_000));
    await expect(ofPoor({ gasPrice: '0x4' })).rejects.toMatchObject(short(25_000));
    await expect(
      call('eth_estimateGas', [{ from: POOR, to: LOOP, gasPrice: '0x1', value: '0x1' }]),
    ).rejects.toMatchObject(short(99_999));
  });

  it('checks the funds of a plain transfer that is estimated', async () => {
    const { call } = await createScene('anvil');
    const transfer = { from: POOR, to: SENDER, value: '0xffffffff', gasPrice: '0xffffffff' };
    await expect(call('eth_estimateGas', [transfer])).rejects.toMatchObject({ code: -32003 });
  });
});

describe.each(['service', 'hardhat'] as const)('compat mode %s', (compat) => {
  it('calls and estimates do not check funds', async () => {
    const { call } = await createScene(compat);
    const message = { from: POOR, to: CODE, value: '0xffffffff', gasPrice: '0xffffffff' };
    expect(await call('eth_call', [message, 'latest'])).toBe('0x');
    expect(Number(await call('eth_estimateGas', [message]))).toBeGreaterThan(40_000);
  });
});
