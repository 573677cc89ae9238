import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { click, describeInBrowser, openPage, untilShown } from '../support/browser/browser.ts';
import { viewFaults } from '../support/browser/layout.ts';
import { openScene } from '../support/browser/scene.ts';

const FEDERATION = '2N5muMepJizJE1gR7FbHJU6CD18V3BpNF9p';
const BRIDGE = '0x0000000000000000000000000000000001000006';
const PEGOUTS = 'section[aria-label="Waiting peg-outs"]';
const COINS = 'section[aria-label="Coins of the federation"]';

/** Fills in a form of the view, and sends it. */
async function submit(page: Page, title: string, amount: string): Promise<void> {
  await page.fill(`form[aria-label="${title}"] input[inputmode="decimal"]`, amount);
  await click(page, `form[aria-label="${title}"] button`, title);
}

describeInBrowser('the peg view of the explorer', (opened) => {
  it('pegs coins in and out, and shows both chains', async () => {
    const { url } = await openScene({ parentChain: true });
    const { page, faults } = await openPage(opened, `${url}/_/peg`);
    await untilShown(page, 'dd', FEDERATION);
    await untilShown(page, 'dd', '2 of 3 members; federate on');
    await untilShown(page, `${COINS} .empty`, 'No coins yet');
    await untilShown(page, `${PEGOUTS} .empty`, 'No peg-out waits');

    await submit(page, 'Peg in', '0.75');
    await untilShown(page, 'form[aria-label="Peg in"] [role="status"]', 'Done');
    await untilShown(page, `${COINS} td`, '0.75 BTC');
    await untilShown(page, `${COINS} tr`, '0.75 BTC3');
    await submit(page, 'Peg out', '0.25');
    await untilShown(page, 'form[aria-label="Peg out"] [role="status"]', 'Done');

    await untilShown(page, 'section[aria-label="Chains"] p', 'the best block of the parent chain');
    await untilShown(page, 'section[aria-label="Parent blocks"] .tag', 'Bridge');
    expect(faults).toEqual([]);
  });

  it('shows the stages of a peg-out without the federate', async () => {
    const { url, send, from } = await openScene({ parentChain: true, noFederate: true });
    await send({ to: BRIDGE, value: '0x6f05b59d3b20000', gas: '0x186a0', from });
    const { page, faults } = await openPage(opened, `${url}/_/peg`);

    await untilShown(page, 'dd', 'federate off (--no-federate)');
    await untilShown(page, `${PEGOUTS} td`, 'queued to m');
    await untilShown(page, `${PEGOUTS} td`, '0.5 BTC');
    expect(faults).toEqual([]);
    expect(await viewFaults(opened, `${url}/_/peg`, `${PEGOUTS} td`)).toEqual([]);
  });

  it('marks a deposit that the Bridge rejects', async () => {
    const { url } = await openScene({ parentChain: true });
    const bitcoin = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
      const headers = { 'Content-Type': 'application/json' };
      const body = JSON.stringify({ id: 1, method, params });
      const response = await fetch(`${url}/parent`, { method: 'POST', headers, body });
      return Object(await response.json()).result;
    };
    await bitcoin('generatetoaddress', 101, await bitcoin('getnewaddress'));
    await bitcoin('sendtoaddress', FEDERATION, 1);
    const { page, faults } = await openPage(opened, `${url}/_/peg`);

    await untilShown(page, 'section[aria-label="Waiting deposits"] td', 'rejected by the Bridge');
    expect(faults).toEqual([]);
  });

  it('shows the error of a form', async () => {
    const { url } = await openScene({ parentChain: true });
    const { page } = await openPage(opened, `${url}/_/peg`);

    await submit(page, 'Peg in', '0.000000001');

    await untilShown(page, 'form[aria-label="Peg in"] .failure', 'Amount: expected an amount in BTC');
  });

  it('names --parent-chain on a node without parent chain', async () => {
    const { url } = await openScene();
    const { page, faults } = await openPage(opened, `${url}/_/peg`);

    await untilShown(page, 'dd', FEDERATION);
    await untilShown(page, '.empty', '--parent-chain');
    expect(faults).toEqual([]);
  });

  it('has no tab under the rules of Ethereum', async () => {
    const { url } = await openScene({ hardfork: 'prague' });
    const { page, faults } = await openPage(opened, `${url}/_/peg`);

    await untilShown(page, '.empty', "Ethereum's rules have no Bridge");
    const tabs = await page.$$eval('nav[aria-label="Views"] a', (all) => all.map((tab) => tab.textContent));
    expect(tabs).not.toContain('Peg');
    expect(tabs).toContain('Mining');
    expect(faults).toEqual([]);
  });
});
