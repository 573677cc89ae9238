import { expect, inject, test } from 'vitest';
import { CONTRACTS, call, deploy, transact } from './client.mjs';

/** The selector of `increase(uint256)`. */
const INCREASE = '0x30f3f0db';

const { SUITE_MODE: mode, VITEST_POOL_ID: worker } = process.env;
const urls = inject('urls');
/** The first account of a chain deploys to the same addresses on each chain. */
const deployed = inject('contracts');
const ownUrl = urls[(Number(worker) - 1) % urls.length];

/** A fresh system of contracts for one test: its URL, its addresses and its cleanup. */
async function freshSystem(name) {
  // Unused lanes end by themselves.
  if (mode === 'lanes') return { url: `${urls[0]}/${name}`, contracts: deployed, end: async () => {} };
  const snapshot = await call(ownUrl, 'evm_snapshot');
  const contracts = mode === 'snapshots' ? deployed : await deploy(ownUrl);
  return { url: ownUrl, contracts, end: () => call(ownUrl, 'evm_revert', [snapshot]) };
}

/** Tests that each change one contract of a fresh system and check the other contracts. */
export function defineTests(first, count) {
  for (let index = first; index < first + count; index++) {
    test(`test ${index}`, async () => {
      const { url, contracts, end } = await freshSystem(`test-${index}`);
      const [from] = await call(url, 'eth_accounts');
      const slotOf = (contract) => call(url, 'eth_getStorageAt', [contract, '0x0', 'latest']);
      const changed = contracts[index % CONTRACTS];
      for (const contract of contracts) expect(Number(await slotOf(contract))).toBe(0);
      const data = `${INCREASE}${index.toString(16).padStart(64, '0')}`;
      expect((await transact(url, { from, to: changed, data })).status).toBe('0x1');
      expect(Number(await slotOf(changed))).toBe(index);
      expect(Number(await call(url, 'eth_blockNumber'))).toBe(CONTRACTS + 1);
      await end();
    });
  }
}
