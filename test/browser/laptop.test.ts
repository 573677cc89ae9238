import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';

const LAPTOP = { width: 1280, height: 720 };

/** The parts of the frame that take one line each. */
const LINES = ['.top', '.below', '.acts', '.tabs:not(.inner)', '.chain-facts'];

/** Returns the code for the parts whose children are not in one line, or are wider than the part. */
const WRAPPED = `${JSON.stringify(LINES)}.filter((selector) => {
  const part = document.querySelector(selector);
  const middles = [...part.children].filter(({ popover }) => !popover).map((child) => {
    const { top, bottom } = child.getBoundingClientRect();
    return (top + bottom) / 2;
  });
  return Math.max(...middles) - Math.min(...middles) > 8 || part.scrollWidth > part.clientWidth;
})`;

describeInBrowser('the explorer at a width of 1,280 pixels', (opened) => {
  it('has its header, its tabs and its buttons in one line each', async () => {
    const upstream = await createNode();
    onTestFinished(() => upstream.close());
    // The clock of this chain is 23 days ahead after these blocks.
    await upstream.request({ method: 'hardhat_mine', params: ['0x1e8480'] });
    const { url: forkUrl } = await upstream.listen();
    const node = await createNode({ forkUrl });
    onTestFinished(() => node.close());
    const { url } = await node.listen({ lanes: true });
    const post = (path: string, method: string, params: readonly unknown[] = []): Promise<unknown> =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
    await post('/alice', 'evm_increaseTime', [86_400 * 365]);
    await post('/alice', 'evm_mine');
    await post('/alice', 'evm_mine');
    for (const at of ['', '?at=2000001']) {
      const { page, faults } = await openPage(opened.browser, `${url}/alice/_/feed${at}`, LAPTOP);
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
