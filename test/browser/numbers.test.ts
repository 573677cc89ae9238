import { expect, it } from 'vitest';
import { describeInBrowser, openPage, untilShown } from '../support/browser/browser.ts';
import { openScene } from '../support/browser/scene.ts';

/** An expression for the block numbers without thousands separators in the shown text and in labels. */
const UNGROUPED = `[
  document.body.innerText,
  ...[...document.querySelectorAll('title, [title], [aria-label]')].map(
    (part) => [part.textContent, part.getAttribute('title'), part.getAttribute('aria-label')].join(' '),
  ),
].flatMap((text) => text.match(/#\\d{4,}/g) ?? [])`;

describeInBrowser('numbers in the explorer', (opened) => {
  it.each([
    ['block/1234567', 'h1', 'Block #1,234,567'],
    ['mining/1234567', 'h1', 'Mining of block #1,234,567'],
    ['feed?at=1234567', '.banner', 'after block #1,234,567 of #2,000,001'],
    ['lanes', 'td', '#2,000,000'],
    ['gas', '#main', 'Block #2,000,001'],
  ])('have thousands separators in the view %s', async (view, selector, words) => {
    const { url, from, call, send } = await openScene({ lanes: true });
    await call('hardhat_mine', ['0x1e8480']);
    await call('lane_create', [{ key: 'alice' }]);
    await call('evm_snapshot');
    await send({ to: from, value: '0x1' });
    const { page, faults } = await openPage(opened, `${url}/_/${view}`);
    await untilShown(page, selector, words);
    await untilShown(page, '.chain-facts', 'block 2,000,001');
    await untilShown(page, '.acts a', 'Block #');

    expect(await page.evaluate(UNGROUPED)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('show the age of each row of the feed, in a column of one width', async () => {
    const { url, from, send } = await openScene();
    const { page, faults } = await openPage(opened, url);
    await untilShown(page, '.empty', 'No activity yet');
    await send({ to: from, value: '0x1' });
    await untilShown(page, '.feed .item.transaction', 'gas');
    const ages = await page.$$eval('.feed .item > time', (cells) =>
      cells.map((cell) => [cell.textContent, cell.getBoundingClientRect().width] as const),
    );

    for (const [age] of ages) expect(age).toMatch(/^(?:now|\d+ s ago)$/);
    expect(new Set(ages.map(([, width]) => width)).size).toBe(1);
    const font = await page.evaluate(
      "getComputedStyle(document.querySelector('.feed .item > time')).fontVariantNumeric",
    );
    expect(font).toBe('tabular-nums');
    expect(faults).toEqual([]);
  });
});
