import { expect, inject, test } from 'vitest';
import { CONTRACTS, call, deploy, transact } from './client.mjs';

/** The selector of `increase(uint256)`. */
const INCREASE = '0x30f3f0db';

const { SUITE_MODE: mode, VITEST_POOL_ID: worker } = process.env;
const urls = inject('urls');
const ownUrl = urls[(Number(worker) - 1) % urls.length];

/** The addresses that contracts get which the first account creates one after the other. */
async function deployedContracts(url) {
  const contracts = [];
  for (let number = 1; number <= CONTRACTS; number++) {
    const { transactions } = await call(url, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false]);
    const { contractAddress } = await call(url, 'eth_getTransactionReceipt', [transactions[0]]);
    contracts.push(contractAddress);
  }
  return contracts;
}

/** A fresh system of contracts for one test: where it is, what it is, and what is to be done afterwards. */
async function freshSystem(name) {
  if (mode === 'lanes') {
    const url = `${urls[0]}/${name}`;
    return { url, contracts: await deployedContracts(url), end: () => call(urls[0], 'lane_drop', [name]) };
  }
  const snapshot = await call(ownUrl, 'evm_snapshot');
  const contracts = mode === 'snapshots' ? await deployedContracts(ownUrl) : await deploy(ownUrl);
  return { url: ownUrl, contracts, end: () => call(ownUrl, 'evm_revert', [snapshot]) };
}

/** Tests that each change one contract of a fresh system, and find the others as they were deployed. */
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
