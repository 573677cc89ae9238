import { expect, it, onTestFinished } from 'vitest';
import { describeInBrowser, openPage, untilShown } from '../support/browser/browser.ts';
import { startNode } from '../support/node-process.ts';

/** Clicks the link to the accounts with such a click, and gives whether the page took it, and its path then. */
const CLICKED = (init: object): string => `(() => {
  let isTaken;
  window.addEventListener('click', (event) => {
    isTaken = event.defaultPrevented;
    event.preventDefault();
  }, { once: true });
  const link = [...document.querySelectorAll('a')].find(({ textContent }) => textContent.includes('Accounts'));
  link.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ...${JSON.stringify(init)} }));
  return { isTaken, path: location.pathname };
})()`;

describeInBrowser('a link of the page', (opened) => {
  it('leads to the other view without loading the page again', async () => {
    const node = await startNode();
    onTestFinished(() => node.stop());
    const { page, faults } = await openPage(opened.browser, node.url);
    await page.evaluate('window.isLoadedOnce = true');
    expect(await page.evaluate(CLICKED({}))).toEqual({ isTaken: true, path: '/_/accounts' });
    await untilShown(page, 'h1', 'Accounts');
    expect(await page.evaluate('window.isLoadedOnce')).toBe(true);
    expect(faults).toEqual([]);
  });

  it('is left to the browser when it is clicked in another way', async () => {
    const node = await startNode();
    onTestFinished(() => node.stop());
    const { page } = await openPage(opened.browser, node.url);
    const others = [
      { ctrlKey: true },
      { metaKey: true },
      { shiftKey: true },
      { altKey: true },
      { button: 1 },
    ];
    for (const init of others)
      expect(await page.evaluate(CLICKED(init)), JSON.stringify(init)).toEqual({ isTaken: false, path: '/' });
  });
});
