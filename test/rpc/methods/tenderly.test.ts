import { describe, expect, it } from 'vitest';
import { createRpcHarness } from '../rpc-harness.ts';
import { createToken } from '../token-scene.ts';
import { deploy, SENDER } from './contract.ts';

const HOLDER = `0x${'5a'.repeat(20)}` as const;
const OTHER = `0x${'6b'.repeat(20)}` as const;

describe('methods of Tenderly that set the state', () => {
  it('tenderly_setBalance and tenderly_addBalance accept one or several accounts', async () => {
    const { call } = await createRpcHarness();

    expect(await call('tenderly_setBalance', [[HOLDER, OTHER], '0x5'])).toBeNull();
    expect(await call('tenderly_addBalance', [OTHER, '0x2'])).toBeNull();

    expect(await call('eth_getBalance', [HOLDER])).toBe('0x5');
    expect(await call('eth_getBalance', [OTHER])).toBe('0x7');
    expect(await call('eth_blockNumber')).toBe('0x0');
  });

  it('tenderly_setErc20Balance sets the token balance of each account', async () => {
    const { call, token, ask } = await createToken();

    await call('tenderly_setErc20Balance', [token, [HOLDER, OTHER], '0x64']);

    expect(await ask('balanceOf', HOLDER)).toBe(100n);
    expect(await ask('balanceOf', OTHER)).toBe(100n);
    expect(await ask('totalSupply')).toBe(1_000n);
  });

  it('tenderly_setCode and tenderly_setStorageAt change an account', async () => {
    const { call } = await createRpcHarness();

    await call('tenderly_setCode', [HOLDER, '0x6001']);
    await call('tenderly_setStorageAt', [HOLDER, '0x1', '0x2a']);

    expect(await call('eth_getCode', [HOLDER, 'latest'])).toBe('0x6001');
    expect(await call('eth_getStorageAt', [HOLDER, '0x1', 'latest'])).toBe(`0x${'2a'.padStart(64, '0')}`);
  });
});

describe('tenderly_simulateTransaction', () => {
  it('tenderly_simulateTransaction returns decoded calls and logs, transfers and changes of a token', async () => {
    const { call, token, encode, ask } = await createToken();

    const result = await call('tenderly_simulateTransaction', [
      { from: SENDER, to: token, data: encode('transfer', HOLDER, 7n) },
      'latest',
    ]);

    expect(result).toMatchObject({
      status: true,
      blockNumber: '0x1',
      type: '0x0',
      logs: [
        {
          name: 'Transfer',
          anonymous: false,
          inputs: [
            { type: 'address', name: 'from' },
            { type: 'address', name: 'to' },
            { type: 'uint256', name: 'value', value: '7' },
          ],
          raw: { address: token },
        },
      ],
      trace: [{ type: 'CALL', from: SENDER, to: token, method: 'transfer', subtraces: 0, traceAddress: [] }],
      assetChanges: [
        {
          assetInfo: {
            standard: 'ERC20',
            type: 'Fungible',
            contractAddress: token,
            symbol: 'TKN',
            name: 'Token',
          },
          type: 'Transfer',
          from: SENDER,
          to: HOLDER,
          rawAmount: '0x7',
        },
      ],
      balanceChanges: [
        { address: SENDER, dollarValue: '0', transfers: [0] },
        { address: HOLDER, dollarValue: '0', transfers: [0] },
      ],
    });
    const { stateChanges } = result as { stateChanges: { address: string; storage?: object[] }[] };
    const changed = stateChanges.find(({ address }) => address === token);
    expect(changed?.storage).toHaveLength(2);
    expect(await ask('balanceOf', HOLDER)).toBe(0n);
  });

  it('tenderly_simulateTransaction applies overrides and returns status false for a revert', async () => {
    const harness = await createRpcHarness();

    const result = await harness.call('tenderly_simulateTransaction', [
      { from: SENDER, to: HOLDER },
      'latest',
      { [HOLDER]: { code: '0x5f5ffd' } },
      { number: '0x10' },
    ]);

    expect(result).toMatchObject({
      status: false,
      blockNumber: '0x10',
      logs: [],
      trace: [{ error: 'execution reverted', output: '0x' }],
    });
    expect(result).not.toHaveProperty('assetChanges');
  });

  it('tenderly_simulateTransaction lists transfers of coins, and inner calls with their places', async () => {
    const { call } = await createRpcHarness();
    // CALL(gas, OTHER, 1 wei).
    const forward = `0x5f5f5f5f600173${OTHER.slice(2)}5af1`;

    const result = await call('tenderly_simulateTransaction', [
      { from: SENDER, to: HOLDER, value: '0x2' },
      'latest',
      { [HOLDER]: { code: forward } },
    ]);

    expect(result).toMatchObject({
      trace: [
        { traceAddress: [], subtraces: 1, value: '0x2' },
        { traceAddress: [0], subtraces: 0, value: '0x1' },
      ],
      assetChanges: [
        { assetInfo: { standard: 'NativeCurrency' }, from: SENDER, to: HOLDER, rawAmount: '0x2' },
        { from: HOLDER, to: OTHER, rawAmount: '0x1', amount: '0.000000000000000001' },
      ],
    });
  });
});

describe('tenderly_simulateBundle', () => {
  it('tenderly_simulateBundle runs each call on the state of the previous one', async () => {
    const harness = await createRpcHarness();
    const counter = await deploy(harness, 'Counter');
    const increase = { from: SENDER, to: counter.address, data: counter.data('increase', 1n) };

    const results = (await harness.call('tenderly_simulateBundle', [[increase, increase]])) as {
      stateChanges: { address: string; storage?: { previousValue: string; newValue: string }[] }[];
      gasUsed: string;
      cumulativeGasUsed: string;
    }[];

    const changes = results.map(({ stateChanges }) =>
      stateChanges
        .find(({ address }) => address === counter.address)
        ?.storage?.map(({ newValue }) => BigInt(newValue)),
    );
    expect(changes).toEqual([[1n], [2n]]);
    const [first, second] = results;
    expect(BigInt(second?.cumulativeGasUsed ?? 0)).toBe(
      BigInt(first?.gasUsed ?? 0) + BigInt(second?.gasUsed ?? 0),
    );
  });
});
