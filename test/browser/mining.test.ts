import { getAddress } from 'viem';
import { expect, it } from 'vitest';
import type { LocalNodeOptions } from '../../src/index.ts';
import { click, describeInBrowser, openPage, untilShown } from '../support/browser/browser.ts';
import { viewFaults } from '../support/browser/layout.ts';
import { openScene } from '../support/browser/scene.ts';
import { minedParentBlock, type PoolWork, submissionsOf } from '../support/pool.ts';

const LABS = '0xdabadabadabadabadabadabadabadabadaba0001';

async function openMiningScene(options: LocalNodeOptions = {}) {
  const { url, from, call, send } = await openScene(options);
  /** Sends a transaction that pays 21,000 gwei. */
  const pay = () => send({ to: from, gas: '0x5208', gasPrice: '0x3b9aca00' });
  return { url, call, pay };
}

describeInBrowser('the mining view of the explorer', (opened) => {
  it('shows the parent-chain block of a pool, its commitment, and the losing block as an uncle', async () => {
    const { url, call, pay } = await openMiningScene({ noMining: true, difficulty: 20n });
    await pay();
    const work = await call<PoolWork>('mnr_getWork');
    const solved = [0, 1].map((extraNonce) => minedParentBlock(work, { extraNonce }));
    const results: { readonly blockHash: string }[] = [];
    for (const block of solved) {
      const [[method, params] = ['', []]] = submissionsOf(block);
      results.push(await call(method, params));
    }
    const { hash: winner } = await call<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
    const place = results.findIndex(({ blockHash }) => blockHash === winner);
    const { page, faults } = await openPage(opened, `${url}/_/mining`);
    await untilShown(page, 'h1', 'Mining of block #1');
    await untilShown(page, 'section[aria-label="Proof of work"]', solved[place]?.getId() ?? 'no block');
    await untilShown(page, '.tag.good', 'meets the target');
    await untilShown(page, '.tag.good', 'this block');
    await untilShown(page, 'dd', work.blockHashForMergedMining);
    await untilShown(page, 'dd', '2 hashes');
    await untilShown(page, 'section[aria-label="Orphaned blocks"] a', '#1');
    await click(page, 'section[aria-label="Orphaned blocks"] a', '#1');
    await untilShown(page, 'section[aria-label="Proof of work"]', solved[1 - place]?.getId() ?? 'no block');
    await call('evm_mine');
    await page.goto(`${url}/_/mining/2`);
    await untilShown(page, 'section[aria-label="Uncles"] td', '#1');
    await untilShown(page, 'section[aria-label="Uncles"] td', '0.000021');
    expect(faults).toEqual([]);
  });

  it('requests work only on demand, because the node stores only the last 20', async () => {
    const { url, call } = await openMiningScene();
    const { page, faults } = await openPage(opened, `${url}/_/mining`);
    await untilShown(page, 'h1', 'Mining of block #0');
    await untilShown(page, '.empty', 'The genesis block has no proof of work');
    await click(page, 'main button', 'Show work');
    await untilShown(page, 'dt', 'Merged mining hash');
    const { blockHashForMergedMining } = await call<PoolWork>('mnr_getWork');
    await untilShown(page, 'dd', blockHashForMergedMining);
    await call('evm_mine');
    await untilShown(page, 'h1', 'Mining of block #1');
    expect(faults).toEqual([]);
  });

  it('lists the payments of REMASC, their receivers and their block', async () => {
    const { url, call, pay } = await openMiningScene({ remasc: true });
    await pay();
    await call('hardhat_mine', ['0xe']);
    const { page, faults } = await openPage(opened, `${url}/_/mining/15`);
    const section = 'section[aria-label="REMASC"]';
    await untilShown(page, section, 'paid 5 shares of the fees of block');
    const balance = BigInt(await call<string>('eth_getBalance', [LABS, 'latest']));
    expect(balance).toBeGreaterThan(0n);
    await page.click(`${section} .amount`);
    await page.click(`${section} .amount`);
    await untilShown(page, `${section} tr`, `${getAddress(LABS).slice(0, 6)}…0001`);
    const row = (await page.$eval(`${section} tbody tr`, (element) => element.textContent)) ?? '';
    expect(row.replaceAll(',', '')).toContain(`${balance} wei`);
    await page.goto(`${url}/_/mining/1`);
    await untilShown(page, section, 'paid nothing');
    expect(faults).toEqual([]);
  });

  it('names --remasc if blocks have no REMASC transaction', async () => {
    const { url, pay } = await openMiningScene();
    await pay();
    const { page, faults } = await openPage(opened, `${url}/_/mining/1`);
    await untilShown(page, 'section[aria-label="REMASC"]', '--remasc');
    expect(faults).toEqual([]);
  });

  it('explains that Ethereum has no merged mining', async () => {
    const { url, pay } = await openMiningScene({ hardfork: 'prague' });
    await pay();
    const { page, faults } = await openPage(opened, `${url}/_/mining`);
    await untilShown(page, '.empty', 'no merged mining, uncles or REMASC');
    await page.goto(`${url}/_/block/1`);
    await untilShown(page, 'h1', 'Block #1');
    expect(await page.$$eval('dt', (names) => names.map(({ textContent }) => textContent))).not.toContain(
      'Mining',
    );
    expect(faults).toEqual([]);
  });

  it('fits a phone and a desktop, without accessibility faults', async () => {
    const { url, call, pay } = await openMiningScene({ remasc: true });
    await pay();
    await call('hardhat_mine', ['0xe']);
    expect(await viewFaults(opened, `${url}/_/mining`, 'section[aria-label="REMASC"] td')).toEqual([]);
  });
});
