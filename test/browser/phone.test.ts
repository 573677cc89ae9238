import { readFileSync } from 'node:fs';
import { type Abi, encodeFunctionData, type Hex } from 'viem';
import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { axeFaults, PHONE, phoneFaults } from '../support/browser/layout.ts';

const artifacts = new URL('../../fixtures/artifacts/shanghai/', import.meta.url);
const read = (name: string): { abi: Abi; bytecode: Hex } =>
  JSON.parse(readFileSync(new URL(`${name}.json`, artifacts), 'utf8'));

interface Scene {
  readonly url: string;
  readonly from: Hex;
  call<Result>(method: string, params?: readonly unknown[]): Promise<Result>;
  send(fields: object): Promise<Hex>;
  deploy(name: string): Promise<Hex>;
}

async function openScene(): Promise<Scene> {
  const node = await createNode({ artifacts: [artifacts.pathname] });
  onTestFinished(() => node.close());
  const { url } = await node.listen({ lanes: true });
  const call = <Result>(method: string, params: readonly unknown[] = []): Promise<Result> =>
    node.request({ method, params }) as Promise<Result>;
  const [from = '0x'] = await call<Hex[]>('eth_accounts');
  const send = (fields: object): Promise<Hex> =>
    call('eth_sendTransaction', [{ from, gas: '0x2dc6c0', ...fields }]);
  return {
    url,
    from,
    call,
    send,
    async deploy(name) {
      const { bytecode } = read(name);
      const hash = await send({ data: bytecode });
      const { contractAddress } = await call<{ contractAddress: Hex }>('eth_getTransactionReceipt', [hash]);
      return contractAddress;
    },
  };
}

describeInBrowser('the page of 390 pixels', (opened) => {
  it('has the names of all views in sight', async () => {
    const { url } = await openScene();
    const { page } = await openPage(opened.browser, `${url}/_/lanes`, PHONE);
    await untilShown(page, 'nav.tabs a', 'Lanes');
    const ends = await page.$$eval('nav.tabs:not(.inner) a', (tabs) =>
      tabs.map((tab) => tab.getBoundingClientRect()).flatMap(({ left, right }) => [left, right]),
    );
    expect(Math.min(...ends)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...ends)).toBeLessThanOrEqual(PHONE.width);
  });

  it('has labels of facts whose words are whole, and calls deep inside others in sight', async () => {
    const { url, call, send } = await openScene();
    const called = `0x${'ca'.repeat(20)}`;
    // Calls itself for as long as there is gas for it.
    await call('anvil_setCode', [called, '0x5f5f5f5f5f305af100']);
    const hash = await send({ to: called, gas: '0x30d40' });
    const { page } = await openPage(opened.browser, `${url}/_/mining`, PHONE);
    await untilShown(page, '.facts dt', 'Cumulative');
    const broken =
      await page.evaluate(`[...document.querySelectorAll('.facts dt')].flatMap(({ firstChild }) =>
      [...firstChild.textContent.matchAll(/\\S+/g)].flatMap(({ index, 0: word }) => {
        const range = document.createRange();
        range.setStart(firstChild, index);
        range.setEnd(firstChild, index + word.length);
        return range.getClientRects().length > 1 ? [word] : [];
      }),
    )`);
    expect(broken).toEqual([]);
    await page.goto(`${url}/_/tx/${hash}`);
    await untilShown(page, '.tree .line', 'depth 21');
    const starts = await page.$$eval('.tree .line .tag', (tags) =>
      tags.map((tag) => tag.getBoundingClientRect().right),
    );
    expect(starts.length).toBeGreaterThan(20);
    expect(Math.max(...starts)).toBeLessThan(PHONE.width - 100);
  });

  it('has rows of one line in the changes of a transaction and in the transactions of a block', async () => {
    const { url, from, send, deploy } = await openScene();
    const vault = await deploy('Vault');
    const args = [`0x${'12'.repeat(32)}`, 'a note that is longer than a line of a phone has room for'];
    const data = encodeFunctionData({ abi: read('Vault').abi, functionName: 'deposit', args });
    const hash = await send({ to: vault, value: '0x7', data });
    const rows = async (path: string): Promise<number[]> => {
      const { page } = await openPage(opened.browser, `${url}/_/${path}`, PHONE);
      await untilShown(page, 'main td', from.slice(0, 6));
      return page.$$eval('main tbody tr', (all) => all.map(({ clientHeight }) => clientHeight));
    };
    const [changes, block] = [await rows(`tx/${hash}?show=changes`), await rows('block/2')];
    expect(changes.length).toBeGreaterThanOrEqual(3);
    expect(block).toHaveLength(1);
    expect(Math.max(...changes, ...block)).toBeLessThan(40);
  });
});

describeInBrowser('the calls of a transaction', (opened) => {
  it('have bars of gas that are named as they are labelled, also where a label has no room', async () => {
    const { url, send, deploy } = await openScene();
    const factory = await deploy('Factory');
    const data = encodeFunctionData({ abi: read('Factory').abi, functionName: 'createMany', args: [3n] });
    const hash = await send({ to: factory, data });
    const path = `${url}/_/tx/${hash}?show=gas`;
    expect(await phoneFaults(opened.browser, path, '.flame .tone-1 text')).toEqual([]);
  });

  it('stand beside those of another run under a name of their own', async () => {
    const { url, from, send } = await openScene();
    const hash = await send({ to: from });
    const { page } = await openPage(opened.browser, `${url}/_/tx/${hash}?show=again`);
    await click(page, 'main button', 'Run again');
    await untilShown(page, '.run h2', 'First run');
    await page.waitForSelector('.run + .run .tree .line');
    expect(await axeFaults(page)).toEqual([]);
  });

  it('quote texts, brace structs, and keep names apart from their arguments', async () => {
    const { url, from, send, deploy } = await openScene();
    const ledger = await deploy('Ledger');
    const { abi } = read('Ledger');
    const entry = { id: 5n, owner: from, name: 'one, two', amounts: [-1n, 2n], open: true };
    const hash = await send({
      to: ledger,
      data: encodeFunctionData({ abi, functionName: 'add', args: [entry] }),
    });
    const { page } = await openPage(opened.browser, `${url}/_/tx/${hash}`);
    await untilShown(page, '.tree .event', 'Added');
    await untilShown(page, '.tree .line', 'name: "one, two", amounts: [-1, 2], open: true }');
    const [name = 0, brackets = 0] = await page.$eval('.tree .event', (event) =>
      [...event.querySelectorAll('b, .parameters')].map((part) => {
        const { left, right } = part.getBoundingClientRect();
        return part.tagName === 'B' ? right : left;
      }),
    );
    expect(brackets).toBeGreaterThanOrEqual(name);
  });
});

describeInBrowser('the page', (opened) => {
  it('lists its keys, by a key and by a button, and says of a search that finds nothing that it does, without faults', async () => {
    const { url } = await openScene();
    const { page, faults } = await openPage(opened.browser, `${url}/_/accounts`);
    await untilShown(page, 'main td', 'ether');
    await page.keyboard.press('?');
    await untilShown(page, '.keys:popover-open', 'Timeline');
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await untilTrue(page, "document.querySelector('.keys:popover-open') === null");
    await page.keyboard.press('/');
    await page.keyboard.type('what? /');
    await untilShown(page, '.found', 'No results');
    expect(await page.$('.keys:popover-open')).toBeNull();
    expect(await axeFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('has the block that an address names in the time line, also before those that are drawn at first', async () => {
    const { url, from, send, call } = await openScene();
    for (let made = 0; made < 260; made++) await send({ to: from, value: '0x1' });
    const { page, faults } = await openPage(opened.browser, `${url}/_/accounts?at=7`);
    await untilTrue(page, "document.querySelector('.timeline .hit.chosen') !== null");
    await untilTrue(
      page,
      `(() => {
        const { left, right } = document.querySelector('.timeline .hit.chosen').getBoundingClientRect();
        return left >= 0 && right <= innerWidth;
      })()`,
    );
    expect(await call('eth_blockNumber')).toBe('0x104');
    expect(faults).toEqual([]);
  });

  it('draws its plots in the colours of the theme that is chosen while they are seen', async () => {
    const { url, from, send } = await openScene();
    await send({ to: from, value: '0x1' });
    const { page } = await openPage(opened.browser, `${url}/_/gas`);
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
    const marked = (colour: string): Promise<void> =>
      untilTrue(
        page,
        `[...document.querySelectorAll('.plot .u-marker')].some(({ style }) => style.cssText.includes('${colour}'))`,
      );
    await marked('rgb(11, 107, 99)');
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await marked('rgb(95, 208, 195)');
    await click(page, '.theme[title^=Colour]', '◐');
    await marked('rgb(11, 107, 99)');
  });
});
