import { describe, expect, it } from 'vitest';
import { createNode } from '../../src/index.ts';
import { FIRST_ACCOUNT } from '../support/dev-accounts.ts';
import { start } from './support/started-node.ts';

/** Creation code that returns the remaining gas at its start. */
const GAS_LEFT = '0x5a5f5260205ff3';
/** 2^24, the limit of osaka. */
const CAP = 16_777_216;

const transfer = (gas: number) => ({ from: FIRST_ACCOUNT, to: FIRST_ACCOUNT, gas: `0x${gas.toString(16)}` });

describe('--tx-gas-limit', () => {
  it.each([
    [[], CAP],
    [['--tx-gas-limit', 'hardfork'], CAP],
    [['--enable-tx-gas-limit'], CAP],
    [['--tx-gas-limit', '20000000'], 20_000_000],
  ])('--tx-gas-limit limits transactions: %j', async (options, most) => {
    const { call } = await start(['--hardfork', 'osaka', ...options]);

    expect(await call('eth_sendTransaction', transfer(most))).toMatch(/^0x/);
    expect(await call('eth_sendTransaction', transfer(most + 1))).toMatchObject({
      error: { message: expect.stringContaining('raise it with --tx-gas-limit') },
    });
  });

  it.each([
    ['osaka', ['--tx-gas-limit', 'none']],
    ['prague', []],
    ['rootstock', []],
  ])('no limit applies to transactions under %s: %j', async (hardfork, options) => {
    const { call } = await start(['--hardfork', hardfork, ...options]);

    expect(await call('eth_sendTransaction', transfer(30_000_000))).toMatch(/^0x/);
  });

  it('txGasLimit is an option of createNode', async () => {
    const node = await createNode({ hardfork: 'osaka', txGasLimit: 'none' });

    const hash = await node.request({ method: 'eth_sendTransaction', params: [transfer(30_000_000)] });

    expect(hash).toMatch(/^0x/);
    await node.close();
  });
});

describe('--call-gas-limit', () => {
  it('--call-gas-limit limits the gas of calls', async () => {
    const { call } = await start(['--call-gas-limit', '5000000']);

    const left = await call('eth_call', { from: FIRST_ACCOUNT, data: GAS_LEFT, gas: '0x5f5e100' }, 'latest');

    expect(Number(left)).toBeGreaterThan(4_900_000);
    expect(Number(left)).toBeLessThan(5_000_000);
  });
});
