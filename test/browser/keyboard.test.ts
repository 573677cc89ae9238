import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { openChecksScene } from '../support/browser/scene.ts';

/** More than the focusable elements of each view. */
const MAX_STOPS = 150;

/** The element with the focus after a Tab. */
interface Stop {
  readonly element: string;
  /** The name that a screen reader speaks. */
  readonly name: string;
  /** The index of its part in {@link PARTS}. */
  readonly part: number;
  readonly isMarked: boolean;
  readonly isSeen: boolean;
  /** True if it is after the previous stop in the document. */
  readonly follows: boolean;
}

/** The parts of the page, in their order on a desktop. */
const PARTS = ['.skip', '.top', '.timeline', '.tabs:not(.inner)', '.acts', 'main'];

/** A script that records each element that gets the focus. */
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

/** Presses Tab from the start of a page to its end; resolves to the stops. */
async function stopsOf(page: Page): Promise<Stop[]> {
  await page.evaluate(NOTES_STOPS);
  for (let pressed = 0; pressed < MAX_STOPS; pressed++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate('document.activeElement === document.body')) break;
  }
  expect(await page.evaluate('document.activeElement === document.body'), 'the focus leaves the page').toBe(
    true,
  );
  return (await page.evaluate('stops')) as Stop[];
}

async function openKeyboardScene() {
  const { url, from, contract, check, call } = await openChecksScene({ lanes: true });
  const failed = await check(0n);
  // The first call to a path creates a lane.
  await call('evm_mine', [], '/other');
  await call('evm_snapshot');
  return { url, from, contract, failed };
}

describeInBrowser('the keyboard in the explorer', (opened) => {
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
  ])('moves the focus in reading order, with a visible mark: %s', async (view, shown) => {
    const scene = await openKeyboardScene();
    const path = view.replace(
      /\$(from|contract|failed)/,
      (_, name: 'from' | 'contract' | 'failed') => scene[name],
    );
    const { page, faults } = await openPage(opened, `${scene.url}/_/${path}`);
    await page.waitForSelector(shown);
    // Values that load later must not move the focus.
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
  });

  it('skips to the content with the first stop', async () => {
    const { url, contract } = await openKeyboardScene();
    const { page } = await openPage(opened, `${url}/_/address/${contract}`);
    await page.waitForSelector('details.function');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
  });

  it('calls a function, opens a transaction and goes back, without the mouse', async () => {
    const { url, contract, failed } = await openKeyboardScene();
    const { page, faults } = await openPage(opened, `${url}/_/address/${contract}`);
    await page.waitForSelector('details.function summary');
    // The view is drawn again when more of the contract arrives.
    await page.waitForLoadState('networkidle');
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
    // In a field, a slash is a character.
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
