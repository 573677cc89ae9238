import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { phoneFaults } from '../support/browser/layout.ts';

const MINE = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_mine', params: [] }),
};
const NOBODY = `0x${'ab'.repeat(20)}`;

interface Scene {
  readonly url: string;
  readonly from: string;
  call<Result>(method: string, params?: readonly unknown[]): Promise<Result>;
  /** Calls a method of lanes, which programs call over HTTP. */
  lanes<Result>(method: string, params?: readonly unknown[]): Promise<Result>;
}

async function openScene(options: Parameters<typeof createNode>[0] = {}): Promise<Scene> {
  const node = await createNode({ artifacts: [], ...options });
  onTestFinished(() => node.close());
  const { url } = await node.listen({ port: 0, lanes: true });
  const call = <Result>(method: string, params: readonly unknown[] = []): Promise<Result> =>
    node.request({ method, params }) as Promise<Result>;
  const [from = ''] = await call<string[]>('eth_accounts');
  const lanes = async <Result>(method: string, params: readonly unknown[] = []): Promise<Result> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body });
    return ((await response.json()) as { readonly result: Result }).result;
  };
  return { url, from, call, lanes };
}

describeInBrowser('the page in states that are not usual', (opened) => {
  it('lists the accounts of a node that has many a hundred at a time, also one that has all wei that there can be', async () => {
    const scene = await openScene({ accounts: 250 });
    await scene.call('anvil_setBalance', [scene.from, `0x${'f'.repeat(64)}`]);
    const { page, faults } = await openPage(opened.browser, `${scene.url}/_/accounts`);
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

  it('marks data that were sent to an address without code, and says of bare value that it is a transfer', async () => {
    const scene = await openScene();
    const send = (fields: object): Promise<string> =>
      scene.call('eth_sendTransaction', [{ from: scene.from, to: NOBODY, ...fields }]);
    const [data, value] = [await send({ data: '0xa9059cbb' }), await send({ value: '0x1' })];
    const { page, faults } = await openPage(opened.browser, `${scene.url}/_/tx/${data}`);
    await untilShown(page, '.tree .tag.bad', 'no code');
    await page.goto(`${scene.url}/_/tx/${value}`);
    await untilShown(page, '.tree .tag', 'transfer');
    expect(await page.$('.tree .tag.bad')).toBeNull();
    expect(faults).toEqual([]);
  });

  it('goes on around a part that cannot be drawn, says so, and draws it again', async () => {
    const node = await createNode({ artifacts: [] });
    onTestFinished(() => node.close());
    const { url } = await node.listen({ port: 0 });
    const { page, faults } = await openPage(opened.browser, `${url}/_/feed`);
    // Answers that no node gives stand for a bug of the page, first in the time line, which has the tabs, and then in a view.
    await page.evaluateOnNewDocument(`{
      const parse = JSON.parse;
      JSON.parse = (text) => {
        const value = parse(text);
        if (globalThis.isBroken !== false && Array.isArray(value?.result?.cells)) value.result.cells = [null];
        return value;
      };
    }`);
    await page.goto(`${url}/_/accounts`);
    await untilShown(page, '[role=alert]', 'This view crashed');
    await untilShown(page, 'main td', 'ether');
    await click(page, 'nav.tabs a', 'Pool');
    await untilShown(page, 'main h1', 'Pool');
    expect(faults.length).toBeGreaterThan(0);
    await page.evaluate('globalThis.isBroken = false');
    await node.request({ method: 'evm_mine' });
    await click(page, '[role=alert] button', 'Try again');
    await untilTrue(page, "document.querySelector('[role=alert]') === null");
    await untilTrue(page, "document.querySelectorAll('.timeline .cell, .timeline rect').length > 0");
    expect(await page.$$eval('nav.tabs', (tabs) => tabs.length)).toBe(1);
  });

  it('lists lanes with long names within the width of a phone', async () => {
    const scene = await openScene();
    const names = ['a', 'another-lane-with-a-long-name', 'withoutanyplaceatwhichitcouldbebroken'];
    for (const name of names) await fetch(`${scene.url}/${name}`, MINE);
    expect(await phoneFaults(opened.browser, `${scene.url}/_/lanes`, 'main tbody')).toEqual([]);
  });

  it('says after which block a chain was forked, and calls transfers in its blocks so', async () => {
    const upstream = await openScene();
    for (let sent = 0; sent < 3; sent++) {
      await upstream.call('eth_sendTransaction', [{ from: upstream.from, to: NOBODY, value: '0x1' }]);
    }
    const fork = await openScene({ forkUrl: upstream.url });
    const { page, faults } = await openPage(opened.browser, `${fork.url}/_/block/2`);
    await untilShown(page, '.chain-facts', 'forked at block 3');
    await untilShown(page, 'main td', 'transfer');
    await page.goto(`${upstream.url}/_/block/2`);
    await untilShown(page, 'main td', 'transfer');
    expect(await page.$eval('.chain-facts', ({ textContent }) => textContent)).not.toContain('fork');
    expect(faults).toEqual([]);
  });

  it('leaves a lane that was dropped under it alone, and makes it anew when somebody asks', async () => {
    const scene = await openScene();
    await scene.lanes('lane_create', [{ key: 'short' }]);
    const { page, faults } = await openPage(opened.browser, `${scene.url}/short/_/accounts`);
    const keys = async (): Promise<string[]> => {
      const lanes = await scene.lanes<readonly { readonly key: string }[]>('lane_list');
      return lanes.map(({ key }) => key);
    };
    expect(await keys()).toEqual(['short']);
    await scene.lanes('lane_drop', ['short']);
    await untilShown(page, '.banner[role=alert]', 'Lane short was dropped');
    expect(await keys()).toEqual([]);
    await click(page, '.banner button', 'Create it again');
    await untilTrue(page, "document.querySelector('.banner') === null");
    expect(await keys()).toEqual(['short']);
    expect(faults).toEqual([]);
  });
});
