import { expect, it } from 'vitest';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { viewFaults } from '../support/browser/layout.ts';
import { openChecksScene } from '../support/browser/scene.ts';

describeInBrowser('the explorer', (opened) => {
  it.each(['service', 'anvil'] as const)(
    'lists the transactions of the pool with function names, and drops them, with compat %s',
    async (compat) => {
      const { url, call, check, accounts } = await openChecksScene({ compat });
      await call('evm_setAutomine', [false]);
      const { page, faults } = await openPage(opened, `${url}/_/pool`);
      await untilShown(page, 'main .empty', 'No transactions');
      // The node does not notify about queued transactions, so the pending one comes last.
      await check(8n, { from: accounts[1], nonce: '0x5' });
      const next = await check(7n);
      await untilShown(page, 'section[aria-label="Pending"] tr', 'Checks.notZero');
      await untilShown(page, 'section[aria-label="Queued"] tr', 'Checks.notZero');
      await click(page, `button[aria-label="Drop ${next}"]`, 'Drop');
      await untilTrue(page, "document.querySelectorAll('main tbody tr').length === 1");
      expect([...faults, ...(await viewFaults(opened, `${url}/_/pool`, 'main tbody'))]).toEqual([]);
    },
  );

  it('names the calls of a block with more transactions than one request names', async () => {
    const { url, call, check, accounts } = await openChecksScene({ gasLimit: 50_000_000n });
    await call('evm_setAutomine', [false]);
    const [first] = accounts;
    const start = Number(await call<string>('eth_getTransactionCount', [first, 'latest']));
    for (let sent = 0; sent < 210; sent++)
      await check(sent === 0 ? 0n : 7n, { gas: '0x9c40', nonce: `0x${(start + sent).toString(16)}` });
    await call('evm_mine');
    const { page, faults } = await openPage(opened, `${url}/_/block/2`);
    await untilTrue(page, "document.querySelectorAll('main tbody tr').length === 210");
    await untilTrue(
      page,
      "[...document.querySelectorAll('main td.call')].every(({ textContent }) => textContent.startsWith('Checks.notZero(value: '))",
    );
    await untilShown(page, 'main tbody tr:first-child', 'failed');
    expect(faults).toEqual([]);
  });

  it('shows the predicted outcome of a pending transaction, and the real outcome after mining', async () => {
    const { url, call, check, accounts } = await openChecksScene();
    await call('evm_setAutomine', [false]);
    const [good, bad] = [await check(7n), await check(0n)];
    const queued = await check(0n, { from: accounts[1], nonce: '0x5' });
    const { page, faults } = await openPage(opened, `${url}/_/tx/${good}`);
    await untilShown(page, 'h1', 'pending');
    await untilShown(page, '[role=note]', 'a simulation of the next block');
    await untilShown(page, 'dd', 'notZero(value: 7)');
    await untilShown(page, '.facts', 'Gas price');
    await untilShown(page, '.tree .line', 'Checks.notZero');
    await click(page, '.inner a', 'Source');
    await untilShown(page, '.source', 'function notZero');
    await page.goto(`${url}/_/tx/${queued}`);
    await untilShown(page, '[role=note]', 'a simulation on the latest block');
    await untilShown(page, 'section[aria-label="Predicted failure"]', 'Checks.notZero');
    expect(await page.$$eval('.inner a', (tabs) => tabs.map(({ textContent }) => textContent))).not.toContain(
      'Source',
    );
    expect(await viewFaults(opened, `${url}/_/tx/${queued}`, '.tree .line')).toEqual([]);
    await page.goto(`${url}/_/tx/${bad}`);
    await untilShown(page, 'section[aria-label="Predicted failure"]', 'Checks.notZero');
    await call('evm_mine');
    await untilShown(page, 'h1 .tag.bad', 'failed');
    await untilShown(page, 'section[aria-label="Failure"]', 'Checks.notZero');
    expect(await page.$('[role=note]')).toBeNull();
    expect(faults).toEqual([]);
  });

  it('lists the transactions of an account and of a contract, and adds new ones', async () => {
    const { url, contract, accounts, check, call } = await openChecksScene();
    const [, second] = accounts;
    await call('eth_sendTransaction', [{ from: accounts[2], to: accounts[3], value: '0x1' }]);
    const { page, faults } = await openPage(opened, `${url}/_/address/${second}`);
    await untilShown(page, 'main .empty', 'No transactions');
    await check(7n, { from: second });
    await untilShown(page, '.mined li', 'Checks.notZero(value: 7)');
    await page.goto(`${url}/_/address/${contract}?show=transactions`);
    await untilTrue(page, "document.querySelectorAll('.mined li').length === 2");
    await untilShown(page, '.mined li', 'new Checks()');
    expect(faults).toEqual([]);
  });

  it('reverts to the shown block with and without a snapshot, and shows the reason of a failure', async () => {
    const { url, call, check } = await openChecksScene();
    await check(1n);
    await call('evm_snapshot');
    await check(2n);
    await check(3n);
    const { page, faults } = await openPage(opened, `${url}/_/feed?at=3`);
    await click(page, '.acts button[title="Remove the newest 1 block"]', 'Revert here');
    await untilShown(page, '.chain-facts', 'block 3');
    await untilTrue(page, "!location.search.includes('at=')");
    await page.goto(`${url}/_/feed?at=2`);
    await click(page, '.acts button[title^="Restore snapshot"]', 'Revert here');
    await untilShown(page, '.chain-facts', 'block 2');
    expect(await call('evm_listSnapshots')).toEqual([]);
    await page.goto(`${url}/_/feed?at=1`);
    await page.waitForSelector('.acts button[title^="Remove the newest"]');
    await page.evaluate(`globalThis.fetch = () => Promise.reject(new Error('broken'))`);
    await click(page, '.acts button', 'Revert here');
    await untilShown(page, '.banner[role=alert]', 'cannot reach the node');
    await click(page, '.banner button', 'Dismiss');
    await untilTrue(page, "document.querySelector('.banner[role=alert]') === null");
    expect(faults).toEqual([]);
  });
});
