import { readFileSync } from 'node:fs';
import type { Page } from 'puppeteer-core';
import { encodeFunctionData } from 'viem';
import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';

const artifacts = new URL('../../fixtures/projects/hardhat-2/artifacts/', import.meta.url);
const checks = JSON.parse(readFileSync(new URL('contracts/Checks.sol/Checks.json', artifacts), 'utf8'));

/** More elements than any view of the test has. */
const MOST_STOPS = 150;

/** What had the focus after a Tab. */
interface Stop {
  readonly element: string;
  /** What it is called by those who cannot see it. */
  readonly name: string;
  /** The part of the page: its place in the order of parts. */
  readonly part: number;
  readonly isMarked: boolean;
  readonly isSeen: boolean;
  /** True where it stands behind the stop before it in the document. */
  readonly follows: boolean;
}

/** The parts of the page in the order in which they are drawn on a desk. */
const PARTS = ['.skip', '.top', '.timeline', '.tabs:not(.inner)', '.acts', 'main'];

/** Says in the page, for each element that gets the focus, what a person has of it. */
const NOTES_STOPS = `(() => {
  window.stops = [];
  let last = null;
  document.addEventListener('focusin', ({ target }) => {
    const style = getComputedStyle(target);
    const { top, bottom, left, right } = target.getBoundingClientRect();
    const label = target.labels?.[0]?.textContent ?? '';
    stops.push({
      element: target.outerHTML.slice(0, 100),
      name: (target.getAttribute('aria-label') ?? target.title ?? '') || target.textContent.trim() || label,
      part: ${JSON.stringify(PARTS)}.findLastIndex((part) => target.closest(part) !== null),
      isMarked: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1,
      isSeen: bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
      follows: last === null || (last.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
    });
    last = target;
  });
})()`;

/** Goes through a page by Tab from its beginning; resolves to the stops, the last of which was the end of the page. */
async function stopsOf(page: Page): Promise<Stop[]> {
  await page.evaluate(NOTES_STOPS);
  for (let pressed = 0; pressed < MOST_STOPS; pressed++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate('document.activeElement === document.body')) break;
  }
  expect(await page.evaluate('document.activeElement === document.body'), 'the focus leaves the page').toBe(
    true,
  );
  return (await page.evaluate('stops')) as Stop[];
}

async function openScene() {
  const node = await createNode({ artifacts: [artifacts.pathname] });
  onTestFinished(() => node.close());
  const { url } = await node.listen({ port: 0, lanes: true });
  const [from = ''] = (await node.request({ method: 'eth_accounts' })) as string[];
  const send = (fields: object) =>
    node.request({ method: 'eth_sendTransaction', params: [{ from, gas: '0x2dc6c0', ...fields }] });
  const creation = await send({ data: checks.bytecode });
  const { contractAddress } = (await node.request({
    method: 'eth_getTransactionReceipt',
    params: [creation],
  })) as { readonly contractAddress: string };
  const data = encodeFunctionData({ abi: checks.abi, functionName: 'notZero', args: [0n] });
  const failed = await send({ to: contractAddress, data });
  // The first call to a path makes a lane.
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_mine', params: [] });
  await fetch(`${url}/other`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  await node.request({ method: 'evm_snapshot', params: [] });
  return { url, from, contract: contractAddress, failed: String(failed) };
}

describeInBrowser('the page by the keyboard', (opened) => {
  it.each([
    ['feed', '.newest-failure a'],
    ['accounts', 'main tbody tr'],
    ['contracts', 'main tbody tr'],
    ['gas', '.plot canvas'],
    ['mining', 'main h1'],
    ['pool', 'main h1'],
    ['lanes', 'main tbody tr'],
    ['block/1', 'main .facts'],
    ['address/$from', 'main .facts'],
    ['address/$contract', 'details.function'],
    ['address/$contract?show=transactions', '.mined li'],
    ['address/$contract?show=events', '.tabs.inner'],
    ['address/$contract?show=storage', '.tabs.inner'],
    ['address/$contract?show=source', '.source'],
    ['address/$contract?show=code', '.code'],
    ['tx/$failed', '.tree .line'],
    ['tx/$failed?show=changes', '.tabs.inner'],
    ['tx/$failed?show=source', '.machine li.here'],
    ['tx/$failed?show=gas', '.flame a'],
    ['tx/$failed?show=again', '.run h2'],
    ['tx/$failed?show=copy', '.code'],
  ])(
    'is gone through in the order in which it is read, with a mark on what has the focus: %s',
    async (view, shown) => {
      const scene = await openScene();
      const path = view.replace(
        /\$(from|contract|failed)/,
        (_, name: 'from' | 'contract' | 'failed') => scene[name],
      );
      const { page, faults } = await openPage(opened.browser, `${scene.url}/_/${path}`);
      await page.waitForSelector(shown);
      // What comes later, such as balances and failures, does not move what has the focus.
      await untilTrue(page, "document.querySelector('main .loading') === null");
      const stops = await stopsOf(page);
      expect(stops[0]?.name).toBe('Skip to content');
      expect(new Set(stops.map(({ part }) => part)).size).toBeGreaterThanOrEqual(4);
      for (const [index, stop] of stops.entries()) {
        const { element } = stop;
        expect({
          element,
          named: stop.name !== '',
          part: stop.part >= (stops[index - 1]?.part ?? 0),
        }).toEqual({
          element,
          named: true,
          part: true,
        });
        const { isMarked, isSeen, follows } = stop;
        expect({ element, isMarked, isSeen, follows }).toEqual({
          element,
          isMarked: true,
          isSeen: true,
          follows: true,
        });
      }
      expect(faults).toEqual([]);
    },
  );

  it('reaches the buttons of the chain before the views where they are drawn above them', async () => {
    const { url } = await openScene();
    const { page } = await openPage(opened.browser, `${url}/_/pool`, { width: 1000, height: 900 });
    await untilShown(page, '.acts button', 'Fork lane here');
    const parts = (await stopsOf(page)).map(({ part }) => PARTS[part]);
    expect(parts.lastIndexOf('.acts')).toBeLessThan(parts.indexOf('.tabs:not(.inner)'));
    await page.setViewport({ width: 1440, height: 900 });
    await untilTrue(page, "document.querySelector('.tabs ~ .acts') !== null");
    await page.setViewport({ width: 1000, height: 900 });
    await untilTrue(page, "document.querySelector('.timeline .acts') !== null");
  });

  it('leads over what is above the content by its first stop', async () => {
    const { url, contract } = await openScene();
    const { page } = await openPage(opened.browser, `${url}/_/address/${contract}`);
    await page.waitForSelector('details.function');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
  });

  it('calls a function, opens a transaction and goes back, without the mouse', async () => {
    const { url, contract, failed } = await openScene();
    const { page, faults } = await openPage(opened.browser, `${url}/_/address/${contract}`);
    await page.waitForSelector('details.function summary');
    // The view may be drawn again when more of the contract is known.
    await page.waitForNetworkIdle({ idleTime: 100 });
    await page.evaluate(
      "[...document.querySelectorAll('summary')].find(({ textContent }) => textContent.includes('notZero')).focus()",
    );
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await untilTrue(page, "document.activeElement.matches('details[open] input')");
    await page.keyboard.type('7');
    await untilTrue(page, "document.activeElement.value === '7'");
    await page.keyboard.press('Enter');
    await page.waitForSelector('details[open] .outcome');
    await page.keyboard.press('/');
    // In a field a slash is a character.
    expect(await page.evaluate("document.activeElement.closest('details') !== null")).toBe(true);
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('/');
    await page.keyboard.type(failed);
    await untilShown(page, '.found', 'Transaction');
    await page.keyboard.press('Enter');
    await untilShown(page, 'h1', 'failed');
    await page.goBack();
    await untilShown(page, 'h1', 'Checks');
    expect(faults).toEqual([]);
  });
});
