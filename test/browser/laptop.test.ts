import { expect, it } from 'vitest';
import { describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { openScene } from '../support/browser/scene.ts';

const LAPTOP = { width: 1280, height: 720 };

/** The parts of the frame that take one line each. */
const LINES = ['.top', '.below', '.acts', '.tabs:not(.inner)', '.chain-facts'];

/** An expression for the parts whose children are not in one line, or are wider than the part. */
const WRAPPED = `${JSON.stringify(LINES)}.filter((selector) => {
  const part = document.querySelector(selector);
  const middles = [...part.children].filter(({ popover }) => !popover).map((child) => {
    const { top, bottom } = child.getBoundingClientRect();
    return (top + bottom) / 2;
  });
  return Math.max(...middles) - Math.min(...middles) > 8 || part.scrollWidth > part.clientWidth;
})`;

describeInBrowser('the explorer', (opened) => {
  it.each([760, 1_000, 1_239])(
    'shows the header of a fork in one line at a width of %i pixels',
    async (width) => {
      const upstream = await openScene();
      await upstream.call('hardhat_mine', ['0x1e8480']);
      const { url, call } = await openScene({ forkUrl: upstream.url, lanes: true });
      await call('evm_mine', [], '/alice');
      const { page, faults } = await openPage(opened, `${url}/alice/_/feed`, { width, height: 720 });
      await untilShown(page, '.chain-facts', 'forked at block 2,000,000');
      const middles = await page.$$eval('.top > *', (parts) =>
        parts
          .map((part) => part.getBoundingClientRect())
          .filter(({ height }) => height > 0)
          .map(({ top, bottom }) => (top + bottom) / 2),
      );
      expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(8);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(faults).toEqual([]);
    },
  );

  it('shows its header, its tabs and its buttons in one line each at a width of 1,280 pixels', async () => {
    const upstream = await openScene();
    // The clock of this chain is 23 days ahead after these blocks.
    await upstream.call('hardhat_mine', ['0x1e8480']);
    const { url, call } = await openScene({ forkUrl: upstream.url, lanes: true });
    await call('evm_increaseTime', [86_400 * 365], '/alice');
    await call('evm_mine', [], '/alice');
    await call('evm_mine', [], '/alice');
    for (const at of ['', '?at=2000001']) {
      const { page, faults } = await openPage(opened, `${url}/alice/_/feed${at}`, LAPTOP);
      await untilShown(page, '.chain-facts', 'lane alice');
      await untilShown(page, '.chain-facts', 'forked at block 2,000,000');
      await untilShown(page, '.chain-facts', 'chain clock: +388 d');
      await untilShown(page, '.acts button', 'Fork lane here');
      if (at !== '') await untilShown(page, '.acts button', 'Revert here');
      await untilTrue(page, "document.querySelector('.below > .acts') !== null");
      expect(await page.evaluate(WRAPPED)).toEqual([]);
      expect(faults).toEqual([]);
    }
  });
});
