import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { CONTRACT, ETHER } from '../../reference/scene.ts';
import { createRpcHarness } from '../../rpc/rpc-harness.ts';
import { addressOfSeed, BRIDGE, callData, setBridgeScene } from './bridge-scene.ts';

const FREE = ['federator1', 'federator3', 'auth-a', 'auth-e', 'auth-fee-per-kb', 'auth-lock-whitelist'];
const PAYING = ['cow', 'auth-increase_locking_cap'];
const UPDATE = callData('updateCollections');

describe('a direct call of the Bridge', () => {
  it.each(FREE)('is free for %s, at any gas price', async (seed) => {
    const { transact, pair } = await setBridgeScene();
    const result = await transact(seed, {
      data: callData('getQueuedPegoutsCount'),
      gasLimit: 100_000n,
      maxFeePerGas: 5n,
      maxPriorityFeePerGas: 5n,
    });
    expect(result).toMatchObject({ outcome: 'success', gasUsed: 0n });
    expect(pair.state.account(addressOfSeed(seed))).toMatchObject({ nonce: 1n, balance: ETHER });
  });

  it.each(PAYING)('is paid by %s', async (seed) => {
    const { transact } = await setBridgeScene();
    const { gasUsed } = await transact(seed, { data: callData('getQueuedPegoutsCount') });
    // The calldata has four bytes that are not zero.
    expect(gasUsed).toBe(21_000n + 4n * 16n + 3_000n + 2n * 4n);
  });

  it('is free with a gas limit of 0', async () => {
    const { transact } = await setBridgeScene();
    expect(await transact('federator1', { data: UPDATE, gasLimit: 0n })).toMatchObject({
      outcome: 'success',
      gasUsed: 0n,
    });
  });

  it('takes the whole gas limit of a member if it fails', async () => {
    const { transact, pair } = await setBridgeScene();
    const fees = { maxFeePerGas: 5n, maxPriorityFeePerGas: 5n };
    const data = callData('getFederationSize');
    expect(await transact('federator1', { data, gasLimit: 1_000n, ...fees })).toMatchObject({ gasUsed: 0n });
    expect(pair.state.account(addressOfSeed('federator1'))?.balance).toBe(ETHER - 5_000n);
  });

  it('is not free through a contract or for another recipient', async () => {
    const { transact } = await setBridgeScene();
    const { gasUsed } = await transact('federator1', { to: CONTRACT, data: UPDATE });
    expect(gasUsed).toBeGreaterThanOrEqual(21_000n);
  });
});

describe.each([
  [33, false],
  [32, false],
  [31, true],
  [30, true],
])('on chain %i', (chainId, isPaid) => {
  it.each(['wasm', 'reference'] as const)('the estimate of engine %s follows', async (engine) => {
    const { call } = await createRpcHarness({}, { chainId, engine });
    const from = toHex(addressOfSeed('federator1'));
    const data = toHex(callData('getQueuedPegoutsCount'));
    const gas = await call('eth_estimateGas', [{ from, to: toHex(BRIDGE), data }]);
    expect(BigInt(String(gas)) > 0n).toBe(isPaid);
  });
});

describe.each(['wasm', 'reference'] as const)('a mined free call (%s)', (engine) => {
  it('has no gas in its receipt, block and trace, and no fee', async () => {
    const { call } = await createRpcHarness({}, { engine, remasc: true });
    const from = toHex(addressOfSeed('federator1'));
    await call('anvil_setBalance', [from, toHex(Uint8Array.of(1, 0, 0, 0, 0))]);
    await call('anvil_impersonateAccount', [from]);
    const request = { from, to: toHex(BRIDGE), data: toHex(UPDATE), gas: '0x186a0', gasPrice: '0x3e8' };
    const hash = await call('eth_sendTransaction', [request]);
    expect(await call('eth_getTransactionReceipt', [hash])).toMatchObject({
      status: '0x1',
      gasUsed: '0x0',
      cumulativeGasUsed: '0x0',
    });
    expect(await call('eth_getBalance', [from, 'latest'])).toBe('0x100000000');
    expect(await call('eth_getBlockByNumber', ['latest', false])).toMatchObject({ gasUsed: '0x0' });
    expect(await call('debug_traceTransaction', [hash, { tracer: 'callTracer' }])).toMatchObject({
      gasUsed: '0x0',
    });
  });
});
