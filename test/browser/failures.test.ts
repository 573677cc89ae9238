import { readFileSync } from 'node:fs';
import { encodeFunctionData } from 'viem';
import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { phoneFaults } from '../support/browser/layout.ts';

const project = new URL('../../fixtures/projects/hardhat-2/', import.meta.url);
const checks = JSON.parse(
  readFileSync(new URL('artifacts/contracts/Checks.sol/Checks.json', project), 'utf8'),
);
const FAILING = encodeFunctionData({ abi: checks.abi, functionName: 'notZero', args: [0n] });

/** A node with the contract Checks. */
async function openScene() {
  const node = await createNode({ artifacts: [new URL('artifacts', project).pathname] });
  onTestFinished(() => node.close());
  const { url } = await node.listen({ lanes: true });
  /** Resolves to the whole answer, as failed calls are wanted here. */
  const call = async (method: string, params: readonly unknown[] = [], path = ''): Promise<unknown> => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return ((await response.json()) as { readonly result?: unknown }).result;
  };
  const [from = ''] = (await call('eth_accounts')) as string[];
  const creation = await call('eth_sendTransaction', [{ from, gas: '0x2dc6c0', data: checks.bytecode }]);
  const receipt = await call('eth_getTransactionReceipt', [creation]);
  const { contractAddress: to } = receipt as { readonly contractAddress: string };
  return { url, from, to, call };
}

const PANEL = '[aria-label="Newest failure"]';

describeInBrowser('the newest failure of the feed', (opened) => {
  it.each([
    ['eth_call', ['latest']],
    ['eth_estimateGas', []],
  ])('is a failed %s, decoded, live and after a reload', async (method, rest) => {
    const { url, from, to, call } = await openScene();
    const { page, faults } = await openPage(opened.browser, `${url}/_/`);
    await untilShown(page, '.mined h2', 'Earlier transactions');
    await call(method, [{ from, to, gas: '0x30d40', data: FAILING }, ...rest]);
    for (const isLive of [true, false]) {
      if (!isLive) await page.goto(`${url}/_/`);
      await untilShown(page, `${PANEL} h2`, 'Checks.notZero(value: 0)');
      await untilShown(page, `${PANEL} .reason`, "reverted with reason string 'zero'");
      await untilShown(page, `${PANEL} ol.stack`, 'contracts/Checks.sol:');
      await click(page, `${PANEL} a`, 'View failure');
      await untilShown(page, 'h1', 'Failure 1 call');
      expect(new URL(page.url()).pathname).toBe('/_/failure/1');
    }
    expect(faults).toEqual([]);
  });

  it('is a failed transaction if that is newer, and its failure page after a revert', async () => {
    const { url, from, to, call } = await openScene();
    await call('eth_call', [{ from, to, gas: '0x30d40', data: FAILING }, 'latest']);
    const snapshot = await call('evm_snapshot');
    const hash = await call('eth_sendTransaction', [{ from, to, gas: '0x30d40', data: FAILING }]);
    const { page, faults } = await openPage(opened.browser, `${url}/_/`);
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

  it('ignores requests that failed without execution, and returns after a dismissal only for a new failure', async () => {
    const { url, from, to, call } = await openScene();
    const { page, faults } = await openPage(opened.browser, `${url}/_/`);
    await untilShown(page, '.mined h2', 'Earlier transactions');
    await call('eth_getBalance', ['0x1']);
    await untilShown(page, '.item.request.failed', 'eth_getBalance');
    await untilTrue(page, `document.querySelector('${PANEL}') === null`);
    const fail = () => call('eth_call', [{ from, to, gas: '0x30d40', data: FAILING }, 'latest']);
    await fail();
    await untilShown(page, PANEL, 'Checks.notZero');
    await click(page, `${PANEL} button`, '×');
    await untilTrue(page, `document.querySelector('${PANEL}') === null`);
    await fail();
    await untilShown(page, PANEL, 'Checks.notZero');
    expect(faults).toEqual([]);
  });
});

describeInBrowser('the feed of a node with lanes', (opened) => {
  const rows = `[...document.querySelectorAll('.item.failed .reason a')].map((link) => link.getAttribute('href'))`;

  it.each(['', '/alice'])('links each failure to the chain that it happened on, at "%s"', async (at) => {
    const { url, from, to, call } = await openScene();
    await call('eth_chainId', [], '/alice');
    const { page, faults } = await openPage(opened.browser, `${url}${at}/_/`);
    await untilShown(page, '.mined h2', 'Earlier transactions');
    for (const path of ['', '/alice'])
      await call('eth_call', [{ from, to, gas: '0x30d40', data: FAILING }, 'latest'], path);
    const hash = await call('eth_sendTransaction', [{ from, to, gas: '0x30d40', data: FAILING }], '/alice');
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

  it('shows only failures of the lane in the panel of its explorer', async () => {
    const { url, from, to, call } = await openScene();
    await call('eth_chainId', [], '/alice');
    const { page, faults } = await openPage(opened.browser, `${url}/alice/_/`);
    await untilShown(page, '.mined h2', 'Earlier transactions');
    const fail = (path: string) =>
      call('eth_call', [{ from, to, gas: '0x30d40', data: FAILING }, 'latest'], path);
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
    const { url, from, to, call } = await openScene();
    const { page, faults } = await openPage(opened.browser, `${url}/_/`);
    await untilShown(page, '.mined h2', 'Earlier transactions');
    await call('eth_call', [{ from, to, gas: '0x30d40', data: FAILING }, 'latest']);
    await call('eth_chainId');
    await untilShown(page, '.item.request', 'eth_chainId');
    await click(page, '.filters label', 'Only failed');
    await untilTrue(page, "document.querySelectorAll('.feed .item').length === 1");
    await untilShown(page, '.feed .item .subject', 'Checks.notZero(value: 0)');
    await untilShown(page, '.feed .item .reason', "reverted with reason string 'zero'");
    expect(faults).toEqual([]);
  });
});

describeInBrowser('the page of a failure', (opened) => {
  it('shows the reason, the stack trace and the decoded call of a failed eth_call', async () => {
    const { url, from, to, call } = await openScene();
    await call('eth_call', [{ from, to, gas: '0x30d40', data: FAILING }, 'latest']);
    const { page, faults } = await openPage(opened.browser, `${url}/_/failure/1`);
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
      'Gas limit for execution (without intrinsic gas)',
      'Input',
    ]);
    await untilShown(page, '.facts dd', '1 of 1 failed calls, estimates and transactions of this chain');
    await untilShown(page, '.facts dd', 'eth_call');
    await untilShown(page, '.facts dd a', '#1');
    await untilShown(page, '.facts dd', from);
    await untilShown(page, '.facts dd', to);
    await untilShown(page, '.facts dd', 'notZero(value: 0)');
    await untilShown(page, '.facts dd', '21,859 gas');
    await untilShown(page, '.facts dd', '178,808 gas');
    await untilShown(page, '.facts dd', FAILING.slice(0, 12));
    expect([...faults, ...(await phoneFaults(opened.browser, page.url(), '.facts'))]).toEqual([]);
  });

  it('is linked from a failed call in the feed', async () => {
    const { url, from, to, call } = await openScene();
    const { page, faults } = await openPage(opened.browser, `${url}/_/`);
    await untilShown(page, 'h1', 'Feed');
    await call('eth_call', [{ from, to, gas: '0x30d40', data: FAILING }, 'latest']);
    await click(page, '.item .reason a', 'zero');
    await untilShown(page, 'h1', 'Failure 1 call');
    expect(new URL(page.url()).pathname).toBe('/_/failure/1');
    expect(faults).toEqual([]);
  });

  it('leads from a failed transaction to its page, also on a lane', async () => {
    const { url, from, to, call } = await openScene();
    const hash = await call('eth_sendTransaction', [{ from, to, gas: '0x30d40', data: FAILING }], '/alice');
    const { page, faults } = await openPage(opened.browser, `${url}/alice/_/failure/1`);
    await untilShown(page, 'h1', 'Failure 1 transaction');
    await untilShown(page, '.facts dt', 'Block');
    await untilShown(page, '.facts dd a', '#2');
    await untilShown(page, '[aria-label="Failure"] .stack', 'contracts/Checks.sol:');
    await click(page, 'main p a', String(hash));
    await untilShown(page, 'h1', 'Transaction failed');
    expect(new URL(page.url()).pathname).toBe(`/alice/_/tx/${hash}`);
    expect(faults).toEqual([]);
  });

  it('reports a failure that the node does not keep', async () => {
    const { url, from, to, call } = await openScene();
    for (let failed = 0; failed < 17; failed++)
      await call('eth_call', [{ from, to, data: FAILING }, 'latest']);
    const { page, faults } = await openPage(opened.browser, `${url}/_/failure/1`);
    await untilShown(page, '.empty', 'Failure 1 is no longer stored; the node stores the newest 16.');
    await page.goto(`${url}/_/failure/2`);
    await untilShown(page, '.facts dd', 'notZero(value: 0)');
    await untilShown(page, '.facts dd', '2 of 17 failed calls, estimates and transactions');
    await page.goto(`${url}/_/failure/18`);
    await untilShown(page, '.empty', 'Failure 18 not found; this chain has 17 failures.');
    await page.goto(`${url}/_/failure/first`);
    await untilShown(page, '.empty', 'Invalid failure number “first”: expected a whole number from 1.');
    await untilTrue(page, "document.querySelector('h1 .tag') === null");
    expect(faults).toEqual([]);
  });
});
