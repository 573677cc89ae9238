import { encodeFunctionData } from 'viem';
import { expect, it } from 'vitest';
import { readArtifact } from '../support/artifacts.ts';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { axeFaults, PHONE, viewFaults } from '../support/browser/layout.ts';
import { openScene } from '../support/browser/scene.ts';

const artifacts = new URL('../../fixtures/artifacts/shanghai/', import.meta.url);
/** A chain with lanes. `deploy` takes the name of an artifact. */
async function openPhoneScene() {
  const scene = await openScene({ artifacts: [artifacts.pathname], lanes: true });
  return { ...scene, deploy: (name: string) => scene.deploy(readArtifact('shanghai', name).bytecode) };
}

describeInBrowser('the explorer', (opened) => {
  it('shows the names of all views on a phone', async () => {
    const { url } = await openPhoneScene();
    const { page } = await openPage(opened, `${url}/_/lanes`, PHONE);
    await untilShown(page, 'nav.tabs a', 'Lanes');
    const ends = await page.$$eval('nav.tabs:not(.inner) a', (tabs) =>
      tabs.map((tab) => tab.getBoundingClientRect()).flatMap(({ left, right }) => [left, right]),
    );
    expect(Math.min(...ends)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...ends)).toBeLessThanOrEqual(PHONE.width);
  });

  it('breaks no word of a label on a phone, and keeps deep calls in view', async () => {
    const { url, call, send } = await openPhoneScene();
    const called = `0x${'ca'.repeat(20)}`;
    // Calls itself until the gas runs out.
    await call('anvil_setCode', [called, '0x5f5f5f5f5f305af100']);
    const hash = await send({ to: called, gas: '0x30d40' });
    const { page } = await openPage(opened, `${url}/_/mining`, PHONE);
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

  it('shows each change of a transaction and each transaction of a block in one line on a phone', async () => {
    const { url, send, deploy } = await openPhoneScene();
    const vault = await deploy('Vault');
    const args = [`0x${'12'.repeat(32)}`, 'a note that is longer than a line of a phone has room for'];
    const data = encodeFunctionData({
      abi: readArtifact('shanghai', 'Vault').abi,
      functionName: 'deposit',
      args,
    });
    const hash = await send({ to: vault, value: '0x7', data });
    const rows = async (path: string): Promise<number[]> => {
      const { page } = await openPage(opened, `${url}/_/${path}`, PHONE);
      await untilShown(page, 'main td', 'Account 0');
      return page.$$eval('main tbody tr', (all) => all.map(({ clientHeight }) => clientHeight));
    };
    const [changes, block] = [await rows(`tx/${hash}?show=changes`), await rows('block/2')];
    expect(changes.length).toBeGreaterThanOrEqual(3);
    expect(block).toHaveLength(1);
    expect(Math.max(...changes, ...block)).toBeLessThan(40);
  });

  it('names the gas bars like their labels, even if a label has no room', async () => {
    const { url, send, deploy } = await openPhoneScene();
    const factory = await deploy('Factory');
    const data = encodeFunctionData({
      abi: readArtifact('shanghai', 'Factory').abi,
      functionName: 'createMany',
      args: [3n],
    });
    const hash = await send({ to: factory, data });
    const path = `${url}/_/tx/${hash}?show=gas`;
    expect(await viewFaults(opened, path, '.flame .tone-1 text')).toEqual([]);
  });

  it('names the calls of the first run and of another run differently', async () => {
    const { url, from, send } = await openPhoneScene();
    const hash = await send({ to: from });
    const { page } = await openPage(opened, `${url}/_/tx/${hash}?show=again`);
    await click(page, 'main button', 'Run again');
    await untilShown(page, '.run h2', 'First run');
    await page.waitForSelector('.run + .run .tree .line');
    expect(await axeFaults(page)).toEqual([]);
  });

  it('quotes texts, puts structs in braces, and separates names from their arguments', async () => {
    const { url, from, send, deploy } = await openPhoneScene();
    const ledger = await deploy('Ledger');
    const { abi } = readArtifact('shanghai', 'Ledger');
    const entry = { id: 5n, owner: from, name: 'one, two', amounts: [-1n, 2n], open: true };
    const hash = await send({
      to: ledger,
      data: encodeFunctionData({ abi, functionName: 'add', args: [entry] }),
    });
    const { page } = await openPage(opened, `${url}/_/tx/${hash}`);
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

  it('lists its keys, and reports a search without results, without accessibility faults', async () => {
    const { url } = await openPhoneScene();
    const { page, faults } = await openPage(opened, `${url}/_/accounts`);
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

  it('shows the block of the URL in the timeline, even if the block is older than the first drawn one', async () => {
    const { url, from, send, call } = await openPhoneScene();
    for (let made = 0; made < 260; made++) await send({ to: from, value: '0x1' });
    const { page, faults } = await openPage(opened, `${url}/_/accounts?at=7`);
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

  it('redraws plots in the colours of a newly chosen theme', async () => {
    const { url, from, send } = await openPhoneScene();
    await send({ to: from, value: '0x1' });
    const { page } = await openPage(opened, `${url}/_/gas`);
    await page.emulateMedia({ colorScheme: 'light' });
    const marked = (colour: string): Promise<void> =>
      untilTrue(
        page,
        `[...document.querySelectorAll('.plot .u-marker')].some(({ style }) => style.cssText.includes('${colour}'))`,
      );
    await marked('rgb(11, 107, 99)');
    await page.emulateMedia({ colorScheme: 'dark' });
    await marked('rgb(95, 208, 195)');
    await click(page, '.theme[title^=Colour]', '◐');
    await marked('rgb(11, 107, 99)');
  });
});
