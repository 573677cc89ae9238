import { describe, expect, it } from 'vitest';
import { FIRST_ACCOUNT } from '../support/dev-accounts.ts';
import { readOptions } from './support/read-options.ts';
import { start } from './support/started-node.ts';

/** Sets slot 0 to 1, and then to 2. */
const TWO_STORES = '0x60016000556002600055';
const CHAIN_ID = '0x4660005260206000f3';

async function gasOf(hardfork: string, data: string): Promise<unknown> {
  const { call } = await start(['--hardfork', hardfork]);
  const gas = '0x30d40';
  const hash = await call('eth_sendTransaction', { from: FIRST_ACCOUNT, data, gas });
  const receipt = (await call('eth_getTransactionReceipt', hash)) as Record<'gasUsed' | 'status', string>;
  return [Number(receipt.gasUsed), Number(receipt.status)];
}

describe('--hardfork', () => {
  it.each([
    ['constantinople', 'Constantinople'],
    ['petersburg', 'Petersburg'],
    ['constantinopleFix', 'Petersburg'],
    ['muirGlacier', 'Istanbul'],
    ['MuirGlacier', 'Istanbul'],
    ['muir_glacier', 'Istanbul'],
    ['muirglacier', 'Istanbul'],
    ['arrowGlacier', 'London'],
    ['gray-glacier', 'London'],
    ['merge', 'Paris'],
    ['Cancun', 'Cancun'],
    ['ethereum:prague', 'Prague'],
  ])('accepts %s, a name of Anvil, Hardhat or Ganache', async (name, hardFork) => {
    const { call } = await start(['--hardfork', name]);
    expect(await call('anvil_nodeInfo')).toMatchObject({ hardFork });
  });

  it('charges the second write of a slot by net metering under constantinople only', async () => {
    // EIP-1283: 200 instead of 5,000. Creation: 53,000, and 68 or 4 per byte of data.
    const base = 53_000 + 8 * 68 + 2 * 4 + 4 * 3;
    expect(await gasOf('constantinople', TWO_STORES)).toEqual([base + 20_000 + 200, 1]);
    expect(await gasOf('petersburg', TWO_STORES)).toEqual([base + 20_000 + 5_000, 1]);
  });

  it.each([
    ['petersburg', 0],
    ['istanbul', 1],
  ])('has CHAINID since istanbul: %s', async (hardfork, status) => {
    expect(await gasOf(hardfork, CHAIN_ID)).toEqual([expect.any(Number), status]);
  });

  it.each([
    ['byzantium', 'unknown hardfork "byzantium"; the oldest supported hardfork is constantinople'],
    ['tangerineWhistle', 'the oldest supported hardfork is constantinople'],
    ['canyon', 'unknown hardfork "canyon"; node-cli has no rules of Optimism; use a hardfork of Ethereum'],
    ['optimism:isthmus', 'node-cli has no rules of Optimism; use a hardfork of Ethereum'],
    ['tempo:T1', 'node-cli has no rules of Tempo; use a hardfork of Ethereum'],
    ['ethereum:londno', 'unknown hardfork "ethereum:londno"; expected one of rootstock,'],
    ['londno', 'unknown hardfork "londno" (did you mean london?); expected one of rootstock,'],
  ])('rejects %s with a remedy', (name, message) => {
    expect(() => readOptions(['--hardfork', name], {})).toThrow(message);
  });
});
