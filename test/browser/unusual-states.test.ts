import { expect, it } from 'vitest';
import {
  click,
  describeInBrowser,
  openPage,
  runBeforeScripts,
  untilShown,
  untilTrue,
} from '../support/browser/browser.ts';
import { viewFaults } from '../support/browser/layout.ts';
import { openScene } from '../support/browser/scene.ts';

const NOBODY = `0x${'ab'.repeat(20)}`;

describeInBrowser('the explorer', (opened) => {
  it('lists many accounts in pages of 100, even if an account has the highest possible balance', async () => {
    const scene = await openScene({ lanes: true, accounts: 250 });
    await scene.call('anvil_setBalance', [scene.from, `0x${'f'.repeat(64)}`]);
    const { page, faults } = await openPage(opened, `${scene.url}/_/accounts`);
    const rows = "document.querySelectorAll('main tbody tr').length";
    await untilTrue(page, `${rows} === 100`);
    await untilShown(page, 'main', '150 more accounts');
    await untilShown(page, 'main tbody td', '584007913129639935');
    await click(page, 'main button', 'Show more');
    await untilTrue(page, `${rows} === 200`);
    await click(page, 'main button', 'Show more');
    await untilTrue(page, `${rows} === 250`);
    expect(faults).toEqual([]);
  });

  it('marks data for an address without code, and calls a plain transfer a transfer', async () => {
    const scene = await openScene({ lanes: true });
    const data = await scene.send({ to: NOBODY, data: '0xa9059cbb' });
    const value = await scene.send({ to: NOBODY, value: '0x1' });
    const { page, faults } = await openPage(opened, `${scene.url}/_/tx/${data}`);
    await untilShown(page, '.tree .tag.bad', 'no code');
    await page.goto(`${scene.url}/_/tx/${value}`);
    await untilShown(page, '.tree .tag', 'transfer');
    expect(await page.$('.tree .tag.bad')).toBeNull();
    expect(faults).toEqual([]);
  });

  it('continues around a crashed part, reports it, and draws it again on request', async () => {
    const { url, call } = await openScene();
    const { page, faults } = await openPage(opened, `${url}/_/feed`);
    // An invalid answer causes a crash of the timeline, which contains the tabs.
    await runBeforeScripts(
      page,
      `{
      const parse = JSON.parse;
      JSON.parse = (text) => {
        const value = parse(text);
        if (globalThis.isBroken !== false && Array.isArray(value?.result?.cells)) value.result.cells = [null];
        return value;
      };
    }`,
    );
    await page.goto(`${url}/_/accounts`);
    await untilShown(page, '[role=alert]', 'This view crashed');
    await untilShown(page, 'main td', 'ether');
    await click(page, 'nav.tabs a', 'Pool');
    await untilShown(page, 'main h1', 'Pool');
    expect(faults.length).toBeGreaterThan(0);
    await page.evaluate('globalThis.isBroken = false');
    await call('evm_mine');
    await click(page, '[role=alert] button', 'Try again');
    await untilTrue(page, "document.querySelector('[role=alert]') === null");
    await untilTrue(page, "document.querySelectorAll('.timeline .cell, .timeline rect').length > 0");
    expect(await page.$$eval('nav.tabs', (tabs) => tabs.length)).toBe(1);
  });

  it('lists lanes with long names on a phone', async () => {
    const scene = await openScene({ lanes: true });
    const names = ['a', 'another-lane-with-a-long-name', 'withoutanyplaceatwhichitcouldbebroken'];
    for (const name of names) await scene.call('evm_mine', [], `/${name}`);
    expect(await viewFaults(opened, `${scene.url}/_/lanes`, 'main tbody')).toEqual([]);
  });

  it('shows the fork block of a chain, and the transfers in its blocks', async () => {
    const upstream = await openScene({ lanes: true });
    for (let sent = 0; sent < 3; sent++) await upstream.send({ to: NOBODY, value: '0x1' });
    const fork = await openScene({ lanes: true, forkUrl: upstream.url });
    const { page, faults } = await openPage(opened, `${fork.url}/_/block/2`);
    await untilShown(page, '.chain-facts', 'forked at block 3');
    await untilShown(page, 'main td', 'transfer');
    await page.goto(`${upstream.url}/_/block/2`);
    await untilShown(page, 'main td', 'transfer');
    expect(await page.$eval('.chain-facts', ({ textContent }) => textContent)).not.toContain('fork');
    expect(faults).toEqual([]);
  });

  it('does not recreate a dropped lane until the user requests it', async () => {
    const scene = await openScene({ lanes: true });
    await scene.call('lane_create', [{ key: 'short' }]);
    const { page, faults } = await openPage(opened, `${scene.url}/short/_/accounts`);
    const keys = async (): Promise<string[]> => {
      const lanes = await scene.call<readonly { readonly key: string }[]>('lane_list');
      return lanes.map(({ key }) => key);
    };
    expect(await keys()).toEqual(['short']);
    await scene.call('lane_drop', ['short']);
    await untilShown(page, '.banner[role=alert]', 'Lane short was dropped');
    expect(await keys()).toEqual([]);
    await click(page, '.banner button', 'Create it again');
    // The explorer hides the banner before its first request creates the lane.
    await expect.poll(keys, { timeout: 60_000 }).toEqual(['short']);
    await untilTrue(page, "document.querySelector('.banner') === null");
    expect(faults).toEqual([]);
  });
});
