import { expect, it } from 'vitest';
import { describeInBrowser, openPage, untilShown } from '../support/browser/browser.ts';
import { openScene } from '../support/browser/scene.ts';

/** Returns an expression that clicks the link to the accounts. Its value is whether the explorer handled the click, and the path. */
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

describeInBrowser('a link of the explorer', (opened) => {
  it('opens the other view without loading the page again', async () => {
    const { url } = await openScene();
    const { page, faults } = await openPage(opened, url);
    await page.evaluate('window.isLoadedOnce = true');
    expect(await page.evaluate(CLICKED({}))).toEqual({ isTaken: true, path: '/_/accounts' });
    await untilShown(page, 'h1', 'Accounts');
    expect(await page.evaluate('window.isLoadedOnce')).toBe(true);
    expect(faults).toEqual([]);
  });

  it('is left to the browser if it is clicked with a modifier key or another button', async () => {
    const { url } = await openScene();
    const { page } = await openPage(opened, url);
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
