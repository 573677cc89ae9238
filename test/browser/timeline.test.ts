import { expect, it } from 'vitest';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { axeFaults, viewFaults } from '../support/browser/layout.ts';
import { openScene } from '../support/browser/scene.ts';

async function openTimelineScene() {
  const { url, from, call, send } = await openScene({ lanes: true });
  return { url, call, send: (path = '', value = '0x1') => send({ to: from, value }, path) };
}

describeInBrowser('the timeline of the explorer', (opened) => {
  it('lists each lane with its blocks and its fork point, and opens the lane', async () => {
    const { url, call, send } = await openTimelineScene();
    for (let sent = 0; sent < 3; sent++) await send();
    await call('lane_create', [{ key: 'alice', from: { block: '0x2' } }]);
    await call('evm_mine', [], '/alice');
    const { page, faults } = await openPage(opened, url);
    await page.waitForSelector(
      '.timeline .lanes a[aria-label="alice #3: forked from the base chain at block #2, 1 block since"]',
    );
    expect(await page.$$eval('.timeline .lane .cell', (cells) => cells.length)).toBe(1);
    // The explorer follows the lanes even if the shown chain does not change.
    await send('/alice');
    await untilTrue(page, "document.querySelectorAll('.timeline .lane .cell').length === 2");
    await call('lane_create', [{ key: 'bob' }]);
    await untilShown(page, '.timeline .lanes a', 'bob');
    await page.waitForSelector('.timeline .lane .start');
    await click(page, '.timeline .lanes a', 'alice');
    await untilShown(page, '.chain-facts', 'lane alice');
    await untilShown(page, '.timeline .lanes a', 'base chain');
    expect(page.url()).toBe(`${url}/alice/_/feed`);
    expect(faults).toEqual([]);
  });

  it('moves by keys, and describes each block in words', async () => {
    const { url, call, send } = await openTimelineScene();
    await call('hardhat_mine', ['0x32']);
    await send();
    const { page, faults } = await openPage(opened, url);
    await page.waitForSelector('.timeline .cell.used');
    await page.focus('.timeline [role=slider]');
    const press = async (key: 'ArrowLeft' | 'Home' | 'End' | 'PageUp' | 'PageDown', words: string) => {
      await page.keyboard.press(key);
      await page.waitForSelector(`.timeline [role=slider][aria-valuetext^="${words}"]`);
    };
    await press('ArrowLeft', 'Block #50, in 51 empty blocks');
    await press('PageDown', 'Block #40, in');
    await untilShown(page, '.banner', 'after block #40');
    await press('Home', 'Block #0, in');
    await press('PageUp', 'Block #10, in');
    await press('End', 'Block #51: 1 transaction,');
    expect(new URL(page.url()).search).toBe('');
    await page.keyboard.press('Enter');
    await untilShown(page, 'h1', 'Block #51');
    expect(faults).toEqual([]);
  });

  it('shows reverted blocks below each other, and flags snapshots', async () => {
    const { url, call, send } = await openTimelineScene();
    await send();
    const { page, faults } = await openPage(opened, url);
    for (const value of ['0x2', '0x3']) {
      await call('evm_snapshot', ['before']);
      await send('', value);
      await call('evm_revert', ['before']);
    }
    await untilTrue(page, "document.querySelectorAll('.timeline .side.removed').length === 2");
    await page.waitForSelector('.timeline .flag');
    const [first = 0, second = 0] = await page.$$eval('.timeline .side.removed', (sides) =>
      sides.map((side) => side.getBoundingClientRect().bottom),
    );
    expect(second).toBeGreaterThan(first);
    await untilShown(page, '.timeline .unseen li', 'Block #2: 1 transaction');
    await untilShown(page, '.timeline .unseen li', 'Snapshot before at block #1');
    expect(faults).toEqual([]);
  });

  it('shows older blocks on demand, and keeps them when new blocks arrive', async () => {
    const { url, call, send } = await openTimelineScene();
    await call('evm_setAutomine', [true]);
    for (let sent = 0; sent < 230; sent++) await send();
    const { page, faults } = await openPage(opened, url);
    // The newest block is fully visible.
    await untilTrue(
      page,
      `(() => {
        const newest = document.querySelector('.timeline .hit.chosen')?.getBoundingClientRect();
        return newest?.right - document.querySelector('.timeline .line').getBoundingClientRect().right < 1;
      })()`,
    );
    await click(page, '.timeline .older', 'Older');
    await untilTrue(page, "document.querySelectorAll('.timeline .cell').length === 231");
    await untilTrue(page, "document.querySelector('.timeline .older') === null");
    await send();
    await untilTrue(page, "document.querySelectorAll('.timeline .cell').length >= 231");
    await untilShown(page, '.timeline title', 'Block #231');
    await untilShown(page, '.timeline title', 'Block #1:');
    expect(faults).toEqual([]);
  });

  it.each([
    { width: 1_440, most: 96 },
    { width: 390, most: 140 },
  ])('takes at most $most pixels with the header at a width of $width', async ({ width, most }) => {
    const upstream = await openScene();
    await upstream.call('hardhat_mine', ['0x1e8480']);
    const { url, from, call, send } = await openScene({ forkUrl: upstream.url, lanes: true });
    for (let sent = 0; sent < 150; sent++) await send({ to: from, value: '0x1' });
    for (const value of ['0x2', '0x3']) {
      await call('evm_snapshot', ['before']);
      await send({ to: from, value });
      await call('evm_revert', ['before']);
    }
    for (let made = 0; made < 10; made++)
      await call('lane_create', [{ key: `a-long-name-of-a-lane-${made}` }]);
    const { page, faults } = await openPage(opened, `${url}/a-long-name-of-a-lane-1/_/feed`, {
      width,
      height: 800,
    });
    await untilShown(page, '.timeline .lanes a', 'base chain');
    await untilShown(page, '.chain-facts', 'clock');
    await untilShown(page, '.timeline .legend', 'transactions');
    await untilShown(page, '.timeline .axis text', '#2,000,1');
    const bottom = await page.$eval('.timeline', (part) => part.getBoundingClientRect().bottom);
    expect(bottom).toBeLessThanOrEqual(most);
    const cut = await page.evaluate(`(() => {
      const line = document.querySelector('.timeline .line');
      return line.scrollHeight > line.clientHeight;
    })()`);
    expect(cut).toBe(false);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect([...(await axeFaults(page)), ...faults]).toEqual([]);
  });

  it('lists in its legend only the marks that are drawn', async () => {
    const { url, call, send } = await openTimelineScene();
    await send();
    const { page, faults } = await openPage(opened, url);
    const legend = "[...document.querySelectorAll('.legend li')].map((item) => item.textContent).join()";
    await untilTrue(page, `${legend} === 'height = gas,transactions,empty'`);
    await call('evm_snapshot');
    await call('lane_create', [{ key: 'alice' }]);
    await send();
    await untilTrue(page, `${legend} === 'height = gas,transactions,empty,snapshot,lane'`);
    await untilShown(page, '.timeline .fork-mark title', 'alice forked at block #1');
    expect(faults).toEqual([]);
  });

  it('dims the blocks of the forked chain, and explains them in its legend', async () => {
    const upstream = await openTimelineScene();
    for (let sent = 0; sent < 3; sent++) await upstream.send();
    const { url, from, send } = await openScene({ forkUrl: upstream.url });
    await send({ to: from, value: '0x1' });
    const { page, faults } = await openPage(opened, url);
    await untilShown(page, '.timeline .legend', 'forked chain');
    await untilShown(page, '.timeline .cell.upstream title', 'Block #3');
    await untilShown(page, '.timeline .cell.upstream title', '; from the forked chain');
    await untilShown(page, '.timeline .cell.used:not(.upstream) title', 'Block #4');
    const opacities = await page.evaluate(`['.used:not(.upstream)', '.upstream'].map((kind) =>
      getComputedStyle(document.querySelector('.timeline .cell' + kind + ' .bar')).opacity)`);
    expect(opacities).toEqual(['1', '0.4']);
    expect([...(await axeFaults(page)), ...faults]).toEqual([]);
    const local = await openPage(opened, upstream.url);
    await untilShown(local.page, '.timeline .legend', 'transactions');
    expect(await local.page.$$('.timeline .upstream')).toEqual([]);
  });

  it('shows lanes beside each other, also a lane that was forked from another lane', async () => {
    const { url, call } = await openTimelineScene();
    await call('lane_create', [{ key: 'alice' }]);
    await call('evm_mine', [], '/alice');
    await call('lane_create', [{ key: 'bob', from: { lane: 'alice' } }]);
    const { page } = await openPage(opened, url);
    await page.waitForSelector('.timeline .lanes a[aria-label*="forked from lane alice at block #1"]');
    const tops = await page.$$eval('.timeline .lanes a', (links) =>
      links.map((link) => link.getBoundingClientRect().top),
    );
    expect(tops).toHaveLength(2);
    expect(new Set(tops).size).toBe(1);
  });

  it('fits on a phone with lanes, without accessibility faults', async () => {
    const { url, call, send } = await openTimelineScene();
    for (let sent = 0; sent < 40; sent++) await send();
    for (let made = 0; made < 10; made++) await call('lane_create', [{ key: `lane-${made}` }]);
    expect(await viewFaults(opened, url, '.timeline .lanes a')).toEqual([]);
    const { page } = await openPage(opened, url);
    await untilShown(page, '.more-lanes', '2 more lanes');
  });
});
