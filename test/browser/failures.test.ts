import { getAddress } from 'viem';
import { expect, it } from 'vitest';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { viewFaults } from '../support/browser/layout.ts';
import { notZero, openChecksScene } from '../support/browser/scene.ts';

/** A node with lanes and the contract Checks, with requests that fail. */
async function openFailureScene() {
  const { url, from, contract: to, call, check } = await openChecksScene({ lanes: true });
  const failing = { from, to, gas: '0x30d40', data: notZero(0n) };
  return {
    url,
    from,
    to,
    call,
    /** Sends a call, or an estimate, that fails. */
    async fail(path = '', method = 'eth_call', rest: readonly unknown[] = ['latest']) {
      await expect(call(method, [failing, ...rest], path)).rejects.toThrow('zero');
    },
    /** Sends a transaction that fails; resolves to its hash. */
    failTransaction: (path = '') => check(0n, { gas: '0x30d40' }, path),
  };
}

const PANEL = '[aria-label="Newest failure"]';

describeInBrowser('the explorer', (opened) => {
  it.each([
    ['eth_call', 'call', ['latest']],
    ['eth_estimateGas', 'estimate', []],
  ])(
    'shows a failed %s as the newest failure, decoded, live and after a reload',
    async (method, kind, rest) => {
      const { url, fail } = await openFailureScene();
      const { page, faults } = await openPage(opened, `${url}/_/`);
      await untilShown(page, '.mined h2', 'Earlier transactions');
      await fail('', method, rest);
      for (const isLive of [true, false]) {
        if (!isLive) await page.goto(`${url}/_/`);
        await untilShown(page, `${PANEL} h2`, 'Checks.notZero(value: 0)');
        await untilShown(page, `${PANEL} .reason`, "reverted with reason string 'zero'");
        await untilShown(page, `${PANEL} ol.stack`, 'contracts/Checks.sol:');
        await click(page, `${PANEL} a`, 'View failure');
        await untilShown(page, 'h1', `Failure 1 ${kind}`);
        expect(new URL(page.url()).pathname).toBe('/_/failure/1');
      }
      expect(faults).toEqual([]);
    },
  );

  it('shows a newer failed transaction as the newest failure, and links its failure page after a revert', async () => {
    const { url, call, fail, failTransaction } = await openFailureScene();
    await fail();
    const snapshot = await call('evm_snapshot');
    const hash = await failTransaction();
    const { page, faults } = await openPage(opened, `${url}/_/`);
    await untilShown(page, `${PANEL} h2`, 'Checks.notZero(value: 0)');
    await click(page, `${PANEL} a`, 'View transaction');
    await untilShown(page, 'h1', 'Transaction failed');
    expect(new URL(page.url()).pathname).toBe(`/_/tx/${hash}`);
    await call('evm_revert', [snapshot]);
    await page.goto(`${url}/_/`);
    await click(page, `${PANEL} a`, 'View failure');
    await untilShown(page, 'h1', 'Failure 2 transaction');
    expect(faults).toEqual([]);
  });

  it('ignores requests that failed without execution, and shows the panel after a dismissal only for a new failure', async () => {
    const { url, call, fail } = await openFailureScene();
    const { page, faults } = await openPage(opened, `${url}/_/`);
    await untilShown(page, '.mined h2', 'Earlier transactions');
    await expect(call('eth_getBalance', ['0x1'])).rejects.toThrow('0x1');
    await untilShown(page, '.item.request.failed', 'eth_getBalance');
    await untilTrue(page, `document.querySelector('${PANEL}') === null`);
    await fail();
    await untilShown(page, PANEL, 'Checks.notZero');
    await click(page, `${PANEL} button`, '×');
    await untilTrue(page, `document.querySelector('${PANEL}') === null`);
    await fail();
    await untilShown(page, PANEL, 'Checks.notZero');
    expect(faults).toEqual([]);
  });

  const rows = `[...document.querySelectorAll('.item.failed .reason a')].map((link) => link.getAttribute('href'))`;

  it.each(['', '/alice'])('links each failure in the feed to its chain, at "%s"', async (at) => {
    const { url, from, call, fail, failTransaction } = await openFailureScene();
    await call('eth_chainId', [], '/alice');
    const { page, faults } = await openPage(opened, `${url}${at}/_/`);
    await untilShown(page, '.mined h2', 'Earlier transactions');
    for (const path of ['', '/alice']) await fail(path);
    const hash = await failTransaction('/alice');
    await untilShown(page, '.item.transaction.failed', 'zero');
    expect(await page.evaluate(rows)).toEqual(['/alice/_/failure/1', '/_/failure/1']);
    expect(
      await page.$$eval('.item.transaction.failed .value a', (links) =>
        links.map((link) => link.getAttribute('href')),
      ),
    ).toEqual([`/alice/_/tx/${hash}`, `/alice/_/address/${from}`]);
    await untilShown(page, `${PANEL} h2 .tag`, 'alice');
    await click(page, `${PANEL} a`, 'View transaction');
    await untilShown(page, 'h1', 'Transaction failed');
    expect(new URL(page.url()).pathname).toBe(`/alice/_/tx/${hash}`);
    expect(faults).toEqual([]);
  });

  it('shows only failures of its lane in the panel of the newest failure', async () => {
    const { url, call, fail } = await openFailureScene();
    await call('eth_chainId', [], '/alice');
    const { page, faults } = await openPage(opened, `${url}/alice/_/`);
    await untilShown(page, '.mined h2', 'Earlier transactions');
    await fail('');
    await untilShown(page, '.item.request.failed', 'eth_call');
    expect(await page.$(PANEL)).toBeNull();
    await fail('/alice');
    await click(page, `${PANEL} a`, 'View failure');
    await untilShown(page, 'h1', 'Failure 1 call');
    expect(new URL(page.url()).pathname).toBe('/alice/_/failure/1');
    expect(faults).toEqual([]);
  });

  it('keeps failed calls under the filter "Only failed", with their decoded call and reason', async () => {
    const { url, call, fail } = await openFailureScene();
    const { page, faults } = await openPage(opened, `${url}/_/`);
    await untilShown(page, '.mined h2', 'Earlier transactions');
    await fail();
    await call('eth_chainId');
    await untilShown(page, '.item.request', 'eth_chainId');
    await click(page, '.filters label', 'Only failed');
    await untilTrue(page, "document.querySelectorAll('.feed .item').length === 1");
    await untilShown(page, '.feed .item .subject', 'Checks.notZero(value: 0)');
    await untilShown(page, '.feed .item .reason', "reverted with reason string 'zero'");
    expect(faults).toEqual([]);
  });

  it('shows the reason, the stack trace and the decoded call of a failed eth_call', async () => {
    const { url, from, to, fail } = await openFailureScene();
    await fail();
    const { page, faults } = await openPage(opened, `${url}/_/failure/1`);
    await untilShown(page, 'h1', 'Failure 1 call');
    await untilShown(page, '[aria-label="Failure"] .reason', "reverted with reason string 'zero'");
    await untilShown(page, '[aria-label="Failure"] .stack', 'contracts/Checks.sol:');
    expect(await page.$$eval('.facts dt', (names) => names.map(({ textContent }) => textContent))).toEqual([
      'Number',
      'Method',
      'Block',
      'From',
      'To',
      'Call',
      'Value',
      'Gas used',
      'Gas limit',
      'Input',
    ]);
    await untilShown(page, '.facts dd', '1 of 1 failed calls, estimates and transactions of this chain');
    await untilShown(page, '.facts dd', 'eth_call');
    await untilShown(page, '.facts dd a', '#1');
    await untilShown(page, '.facts dd', getAddress(from));
    await untilShown(page, '.facts dd', getAddress(to));
    await untilShown(page, '.facts dd', 'notZero(value: 0)');
    await untilShown(page, '.facts dd', '21,859 gas');
    await untilShown(page, '.facts dd', '178,808 gas without intrinsic gas');
    await untilShown(page, '.facts dd', notZero(0n).slice(0, 12));
    expect([...faults, ...(await viewFaults(opened, page.url(), '.facts'))]).toEqual([]);
  });

  it('names failed estimates, and copies the failed request as code', async () => {
    const { url, from, to, fail } = await openFailureScene();
    await fail('', 'eth_estimateGas', []);
    await fail();
    const { page, faults } = await openPage(opened, `${url}/_/failure/1`);
    await untilShown(page, 'h1', 'Failure 1 estimate');
    await click(page, '.inner a', 'Copy as');
    await untilShown(page, '.code', 'client.writeContract({');
    await untilShown(page, '.code', "functionName: 'notZero'");
    expect(await page.textContent('.code')).not.toContain('gas:');
    await click(page, 'main button', 'cast');
    await untilShown(page, '.code', `--from ${from} --value 0 ${to} ${notZero(0n)}`);
    await page.goto(`${url}/_/failure/2?show=copy`);
    await untilShown(page, '.code', 'client.readContract({');
    await click(page, 'main button', 'cast');
    await untilShown(page, '.code', `eth_call '[{"from":"${from}","to":"${to}"`);
    expect(faults).toEqual([]);
  });

  it('links the failing line to an editor, unless a proxy of another machine forwards the page', async () => {
    const { url, fail } = await openFailureScene();
    await fail();
    const { page, faults } = await openPage(opened, `${url}/_/failure/1`);
    await untilShown(page, '.actions a', 'Open in editor');
    const links = await page.$$eval('a[href^="vscode:"]', (all) =>
      all.map((link) => link.getAttribute('href')),
    );
    expect(links).toHaveLength(2);
    for (const link of links)
      expect(link).toMatch(/^vscode:\/\/file\/.*\/hardhat-2\/contracts\/Checks\.sol:\d+:\d+$/);
    const tab = await opened.openTab();
    await tab.setExtraHTTPHeaders({ 'x-forwarded-for': '192.168.1.7' });
    await tab.goto(`${url}/_/failure/1`);
    await untilShown(tab, '.stack', 'contracts/Checks.sol:');
    await untilShown(tab, '.excerpt mark', 'zero');
    expect(await tab.$('a[href^="vscode:"]')).toBeNull();
    await tab.setExtraHTTPHeaders({});
    expect(faults).toEqual([]);
  });

  it('links a failed call in the feed to the page of the failure', async () => {
    const { url, fail } = await openFailureScene();
    const { page, faults } = await openPage(opened, `${url}/_/`);
    await untilShown(page, 'h1', 'Feed');
    await fail();
    await click(page, '.item .reason a', 'zero');
    await untilShown(page, 'h1', 'Failure 1 call');
    expect(new URL(page.url()).pathname).toBe('/_/failure/1');
    expect(faults).toEqual([]);
  });

  it('links the page of a failed transaction of a lane from the page of the failure', async () => {
    const { url, failTransaction } = await openFailureScene();
    const hash = await failTransaction('/alice');
    const { page, faults } = await openPage(opened, `${url}/alice/_/failure/1`);
    await untilShown(page, 'h1', 'Failure 1 transaction');
    await untilShown(page, '.facts dt', 'Block');
    await untilShown(page, '.facts dd a', '#2');
    await untilShown(page, '[aria-label="Failure"] .stack', 'contracts/Checks.sol:');
    await click(page, 'main p a', String(hash));
    await untilShown(page, 'h1', 'Transaction failed');
    expect(new URL(page.url()).pathname).toBe(`/alice/_/tx/${hash}`);
    expect(faults).toEqual([]);
  });

  it('reports a failure that the node no longer stores', async () => {
    const { url, fail } = await openFailureScene();
    // The memory limit allows 211 failures with this state override.
    const overrides = { [`0x${'77'.repeat(20)}`]: { code: `0x${'00'.repeat(250_000)}` } };
    for (let failed = 0; failed < 213; failed++) await fail('', 'eth_call', ['latest', overrides]);
    const { page, faults } = await openPage(opened, `${url}/_/failure/1`);
    await untilShown(page, '.empty', 'Failure 1 is no longer stored; the node stores the failures 3 to 213.');
    await page.goto(`${url}/_/debug/failure/1`);
    await untilShown(page, '.failure', 'failure 1 is no longer kept: the kept failures are 3 to 213');
    await page.goto(`${url}/_/failure/3`);
    await untilShown(page, '.facts dd', 'notZero(value: 0)');
    await untilShown(page, '.facts dd', '3 of 213 failed calls, estimates and transactions');
    await page.goto(`${url}/_/failure/214`);
    await untilShown(page, '.empty', 'Failure 214 not found; this chain has 213 failures.');
    await page.goto(`${url}/_/failure/first`);
    await untilShown(page, '.empty', 'Invalid failure number “first”: expected a whole number from 1.');
    await untilTrue(page, "document.querySelector('h1 .tag') === null");
    expect(faults).toEqual([]);
  });
});
