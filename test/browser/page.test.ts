import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { PHONE, viewFaults } from '../support/browser/layout.ts';
import { CHECKS_ARTIFACTS, openScene, type Scene, withChecks } from '../support/browser/scene.ts';

describeInBrowser('the explorer', (opened) => {
  let scene: Scene;
  const transfer = () => scene.send({ to: scene.from, value: '0x1' });
  /** Deploys the contract Checks and makes it fail; resolves to the hash of the failure. */
  const fail = async () => (await withChecks(scene)).check(0n);
  beforeEach(async () => {
    scene = await openScene({ artifacts: [CHECKS_ARTIFACTS], lanes: true });
  });

  it('shows live activity without script errors or violations of its content policy', async () => {
    const { page, faults } = await openPage(opened, scene.url);
    await untilShown(page, '.empty', 'No activity yet');
    const hash = await transfer();
    await untilShown(page, '.item.request', 'eth_sendTransaction');
    await untilShown(page, '.item.transaction', hash.slice(2, 8));
    await untilShown(page, '.chain-facts', 'block 1');
    expect(faults).toEqual([]);
  });

  it('links the newest failure to its stack trace and its decoded calls', async () => {
    const { page, faults } = await openPage(opened, scene.url);
    await fail();
    await untilShown(page, '.newest-failure', 'Checks.');
    await untilShown(page, '.newest-failure .stack', 'contracts/Checks.sol:');
    await click(page, '.newest-failure a', 'View transaction');
    await untilShown(page, 'h1', 'failed');
    await untilShown(page, '.newest-failure .stack', 'contracts/Checks.sol:');
    await untilShown(page, '.tree .line.failed', 'Checks');
    await page.goBack();
    await untilShown(page, '.filters', 'Only failed');
    expect(faults).toEqual([]);
  });

  it('shows the time since transactions arrived, and the offset of the chain clock in its header', async () => {
    const { page, faults } = await openPage(opened, scene.url);
    await untilShown(page, '.empty', 'No activity yet');
    expect(await page.$eval('.chain-facts', ({ textContent }) => textContent)).not.toContain('clock');
    await transfer();
    await untilShown(page, '.chain-facts', 'block 1');
    await scene.call('evm_increaseTime', [86_400]);
    await untilShown(page, '.chain-facts', 'chain clock: +1 d');
    await transfer();
    await untilShown(page, '.chain-facts', 'block 2');
    await page.type('.filters input[type=search]', scene.from);
    await untilTrue(page, "document.querySelectorAll('.mined li').length === 2");
    const ages = await page.$$eval('.mined li .when', (cells) => cells.map(({ textContent }) => textContent));
    for (const age of ages) expect(age).toMatch(/^(?:now|\d+ s ago)$/);
    await scene.call('evm_setTime', [Math.floor(Date.now() / 1_000)]);
    await untilTrue(page, "!document.querySelector('.chain-facts').textContent.includes('clock')");
    expect(faults).toEqual([]);
  });

  it('pins an earlier failure until it is dismissed', async () => {
    await fail();
    await transfer();
    const { page, faults } = await openPage(opened, scene.url);
    await untilShown(page, '.newest-failure', 'Checks.');
    await untilShown(page, '.newest-failure .stack', 'contracts/Checks.sol:');
    await click(page, '.newest-failure button', '×');
    await untilTrue(page, "document.querySelector('.newest-failure') === null");
    await fail();
    await untilShown(page, '.newest-failure .stack', 'contracts/Checks.sol:');
    expect(faults).toEqual([]);
  });

  it('lists earlier transactions, and filters them by method, sender and failure', async () => {
    await fail();
    const hash = await transfer();
    const { page, faults } = await openPage(opened, scene.url);
    await untilShown(page, '.mined h2', 'Earlier transactions');
    const rows = (): Promise<string[]> =>
      page.$$eval('.mined li', (items) => items.map(({ textContent }) => textContent ?? ''));
    expect(await rows()).toEqual([
      expect.stringContaining(hash.slice(0, 8)),
      expect.stringContaining('Checks.notZero(value: 0)'),
      expect.stringContaining('new Checks()'),
    ]);
    await page.type('.filters input[type=search]', 'NOTZERO');
    await untilShown(page, '.mined h2', 'Matching transactions');
    await untilTrue(page, "document.querySelectorAll('.mined li').length === 1");
    expect(page.url()).toContain('search=NOTZERO');
    await page.reload();
    await untilShown(page, '.mined li', 'notZero');
    expect(await rows()).toHaveLength(1);
    await page.$eval('.filters input[type=search]', (input) => input.focus());
    await page.keyboard.press('Escape');
    await page.keyboard.type(scene.from);
    await untilTrue(page, "document.querySelectorAll('.mined li').length === 3");
    await click(page, '.filters label', 'Only failed');
    await untilTrue(page, "document.querySelectorAll('.mined li').length === 1");
    expect(faults).toEqual([]);
  });

  it('counts the unlisted transactions of a burst, and finds them by a filter', async () => {
    const { page, faults } = await openPage(opened, scene.url);
    await untilShown(page, '.empty', 'No activity yet');
    await scene.call('evm_setAutomine', [false]);
    for (let sent = 0; sent < 60; sent++) await transfer();
    const other = await scene.call<string[]>('eth_accounts').then(([, second = '']) => second);
    await scene.call('eth_sendTransaction', [{ from: other, to: scene.from }]);
    await scene.call('evm_mine');
    await untilShown(page, '.chain-facts', 'block 1');
    await untilShown(page, '.feed .item', 'more transactions');
    await untilShown(page, '.feed .item', 'not listed (at most 20 rows per update, 4 updates per second)');
    await untilShown(page, '.feed-note', 'Requests from before this page was opened are not listed.');
    await click(page, '.filters button', 'Pause');
    await scene.call('evm_mine');
    await untilShown(page, '.chain-facts', 'block 2');
    await untilShown(page, '.filters button', 'Resume (');
    await page.type('.filters input[type=search]', other.slice(2));
    await untilTrue(page, "document.querySelectorAll('.mined li').length === 1");
    expect(faults).toEqual([]);
  });

  it('stays usable while 100,000 blocks are mined in one call', async () => {
    const { page, faults } = await openPage(opened, scene.url);
    await page.evaluate(`{
      window.messages = 0;
      const parse = JSON.parse;
      JSON.parse = (text) => (window.messages++, parse(text));
    }`);
    await scene.call('hardhat_mine', ['0x186a0']);
    await untilShown(page, '.chain-facts', 'block 100');
    await untilShown(page, '.timeline title', 'empty blocks, #2 to #99,999');
    expect(await page.evaluate('window.messages')).toBeLessThan(100);
    await click(page, '.tabs a', 'Accounts');
    await untilShown(page, 'h1', 'Accounts');
    expect(faults).toEqual([]);
  });

  it('reports a crashed view, and keeps the rest usable', async () => {
    const { page } = await openPage(opened, scene.url);
    // An invalid answer makes the view of the lanes throw.
    await page.evaluate(`{
      const parse = JSON.parse;
      JSON.parse = (text) => {
        const message = parse(text);
        return window.isBroken && Array.isArray(message.result) ? { ...message, result: [{ key: 7 }] } : message;
      };
      window.isBroken = true;
    }`);
    await click(page, '.tabs a', 'Lanes');
    await untilShown(page, 'main .failure', 'This view crashed');
    await page.evaluate('window.isBroken = false');
    await transfer();
    await untilShown(page, '.chain-facts', 'block 1');
    await click(page, '.tabs a', 'Feed');
    await untilShown(page, '.filters', 'Only failed');
    await click(page, '.tabs a', 'Lanes');
    await untilShown(page, 'h1', 'Lanes');
    expect(await page.$('main .failure')).toBeNull();
  });

  it('opens the transaction or block of its URL, also after a reload', async () => {
    const hash = await transfer();
    const { page, faults } = await openPage(opened, `${scene.url}/_/tx/${hash}`);
    await untilShown(page, 'h1', 'succeeded');
    await page.reload();
    await untilShown(page, 'h1', 'succeeded');
    await page.goto(`${scene.url}/_/block/1`);
    await untilShown(page, 'h1', 'Block #1');
    await untilShown(page, 'td', hash.slice(2, 6));
    await page.goto(`${scene.url}/_/tx/0x${'12'.repeat(32)}`);
    await untilShown(page, '.empty', 'not found. A revert may have removed it');
    expect(faults).toEqual([]);
  });

  it('scrolls wide rows to their end on a phone', async () => {
    const { page } = await openPage(opened, scene.url, PHONE);
    await fail();
    await untilShown(page, '.feed .item.failed .reason', 'zero');
    await page.$eval('.feed', (list) => {
      list.scrollLeft = list.scrollWidth;
    });
    const ends = await page.$$eval('.feed .item.transaction.failed .reason', (reasons) =>
      reasons.map((reason) => [
        reason.getBoundingClientRect().right,
        reason.scrollWidth - reason.clientWidth,
      ]),
    );
    expect(ends).toHaveLength(1);
    for (const [right = 0, cut] of ends) {
      expect(right).toBeLessThanOrEqual(PHONE.width);
      expect(cut).toBeLessThanOrEqual(0);
    }
  });

  it('steps backwards through the source of a failure, and returns to the failure', async () => {
    const hash = await fail();
    const { page, faults } = await openPage(opened, `${scene.url}/_/tx/${hash}?show=source`);
    await untilShown(page, '.source .here', "require(value != 0, 'zero')");
    await untilShown(page, '.machine .here', 'REVERT');
    await untilShown(page, '.machine .variables', 'value');
    // The compiled code reaches the statement twice.
    await click(page, '.steps-bar button', '‹');
    await untilShown(page, '.steps-bar .mono', '104');
    await click(page, '.steps-bar button', '‹');
    await untilShown(page, '.source .here', 'function notZero');
    await click(page, '.steps-bar button', 'Go to failure');
    await untilShown(page, '.machine .here', 'REVERT');
    await page.click('.steps-bar input[type=checkbox]');
    await click(page, '.steps-bar button', '‹');
    await untilTrue(page, "!document.querySelector('.machine .here').textContent.includes('REVERT')");
    expect(faults).toEqual([]);
  });

  it('shows the changes and the gas of a transaction, and the code to send it again', async () => {
    const hash = await transfer();
    const { page, faults } = await openPage(opened, `${scene.url}/_/tx/${hash}`);
    await click(page, '.inner a', 'Changes');
    await untilShown(page, 'main', 'No changes');
    await click(page, '.inner a', 'Gas');
    await page.waitForSelector('.flame rect');
    await click(page, '.inner a', 'Copy as');
    await untilShown(page, '.code', 'createWalletClient');
    await click(page, 'main button', 'cast');
    await untilShown(page, '.code', `cast send --legacy --rpc-url ${scene.url}`);
    expect(faults).toEqual([]);
  });

  it('finds transactions, blocks, accounts and contracts by one search field', async () => {
    const hash = await transfer();
    const { page, faults } = await openPage(opened, scene.url);
    const search = async (text: string): Promise<void> => {
      await page.keyboard.press('/');
      await untilTrue(page, "document.activeElement.matches('.search input')");
      await page.keyboard.type(text);
      await untilShown(page, '.found', text.startsWith('0x') && text.length === 66 ? 'Transaction' : '');
      await page.keyboard.press('Enter');
    };
    await search(hash);
    await untilShown(page, 'h1', 'Transaction');
    await search('1');
    await untilShown(page, 'h1', 'Block #1');
    await search(scene.from);
    await untilShown(page, 'h1', 'Account');
    // Deployed contracts come before contracts of artifacts.
    await search('linked');
    await untilShown(page, 'h1', 'Contracts');
    await fail();
    await search('checks');
    await untilShown(page, 'h1', 'Checks');
    expect(faults).toEqual([]);
  });

  it('finds functions, events, errors and selectors, and opens their contract', async () => {
    await fail();
    const { page, faults } = await openPage(opened, scene.url);
    const search = async (text: string, found: string): Promise<void> => {
      await page.keyboard.press('/');
      await untilTrue(page, "document.activeElement.matches('.search input')");
      await page.keyboard.type(text);
      await untilShown(page, '.found', found);
      await page.keyboard.press('Enter');
    };
    await search('notzero', 'function of Checks');
    await untilShown(page, 'h1', 'Checks');
    await untilTrue(page, "document.activeElement.closest('details[open]')?.textContent.includes('notZero')");
    await page.evaluate('document.activeElement.blur()');
    const { selector } = (
      await scene.call<{ selector: string; signature: string }[]>('inspect_find', ['notZero('])
    ).find(({ signature }) => signature.startsWith('notZero(')) ?? { selector: '' };
    await search(selector, 'Transactions with this selector');
    // The search also focuses the function that is open.
    await untilTrue(page, "document.activeElement.closest('details[open]')?.textContent.includes('notZero')");
    await page.evaluate('document.activeElement.blur()');
    await search('toosmall', 'error of Checks');
    await untilShown(page, '[aria-current="page"]', 'Source');
    await page.evaluate('document.activeElement.blur()');
    const event = { type: 'event', name: 'Dripped', inputs: [{ name: 'amount', type: 'uint256' }] };
    await scene.call('inspect_addArtifacts', [
      {},
      { contracts: { 'Tap.sol': { Tap: { abi: [event], evm: {} } } } },
    ]);
    await search('dripped', 'event of Tap');
    await untilShown(page, 'h1', 'Contracts');
    await untilTrue(
      page,
      'document.querySelectorAll(\'[aria-label="Known contracts"] tbody tr\').length === 1',
    );
    expect(faults).toEqual([]);
  });

  it('keeps the search results if the search field loses and regains the focus', async () => {
    const { page } = await openPage(opened, scene.url);
    await page.waitForSelector('.search input');
    // The test runs the timers of the page.
    await page.evaluate(`{
      window.timers = new Map();
      window.setTimeout = (callback) => timers.set(timers.size + 1, callback).size;
      window.clearTimeout = (id) => timers.delete(id);
    }`);
    await page.focus('.search input');
    await page.evaluate("document.querySelector('.search input').blur()");
    await page.focus('.search input');
    await page.keyboard.type('0');
    await untilShown(page, '.found', 'Block');
    await page.evaluate('for (const callback of timers.values()) callback()');
    await page.evaluate('new Promise(requestAnimationFrame)');
    expect(await page.$('.found')).not.toBeNull();
  });

  it('mines, takes snapshots and reverts, and shows the removed block in the timeline', async () => {
    const { page, faults } = await openPage(opened, scene.url);
    await click(page, '.acts button', 'Mine');
    await untilShown(page, '.chain-facts', 'block 1');
    await click(page, '.acts button', 'Snapshot');
    await page.waitForSelector('.acts select:not([disabled])');
    await transfer();
    await untilShown(page, '.chain-facts', 'block 2');
    await page.selectOption('.acts select', '0x1');
    await untilShown(page, '.chain-facts', 'block 1');
    await page.waitForSelector('.timeline .side.removed');
    expect(await scene.call('eth_blockNumber')).toBe('0x1');
    expect(faults).toEqual([]);
  });

  it('shows the state after an older block', async () => {
    await transfer();
    await scene.call('hardhat_setBalance', [scene.from, '0xde0b6b3a7640000']);
    await scene.call('evm_mine');
    const { page, faults } = await openPage(opened, `${scene.url}/_/address/${scene.from}`);
    await untilShown(page, '.amount', '1 ether');
    await page.goto(`${scene.url}/_/address/${scene.from}?at=0`);
    await untilShown(page, '.banner', 'after block #0');
    await untilShown(page, '.amount', '000 ether');
    expect(faults).toEqual([]);
  });

  it('forks a lane, and opens it at its own path', async () => {
    await transfer();
    const { page, faults } = await openPage(opened, scene.url);
    await untilShown(page, '.acts button', 'Fork lane here');
    await click(page, '.acts button', 'Fork lane here');
    await untilShown(page, '[role="status"]', 'created at block #1');
    const [lane] = await scene.call<{ key: string }[]>('lane_list');
    // The focus moves to the link to the lane.
    await untilTrue(page, "document.activeElement?.tagName === 'A'");
    await page.keyboard.press('Enter');
    await untilShown(page, '.chain-facts', `lane ${lane?.key}`);
    await scene.call('evm_mine', [], `/${lane?.key}`);
    await untilShown(page, '.chain-facts', 'block 2');
    await page.goBack();
    await untilShown(page, '.chain-facts', 'block 1');
    expect(faults).toEqual([]);
  });

  it('follows a reset of the chain', async () => {
    const hash = await transfer();
    const { page, faults } = await openPage(opened, `${scene.url}/_/tx/${hash}`);
    await untilShown(page, 'h1', 'succeeded');
    await scene.call('hardhat_reset');
    await untilShown(page, '.empty', 'not found. A revert may have removed it');
    await untilShown(page, '.chain-facts', 'block 0');
    expect(faults).toEqual([]);
  });

  it('notices another chain at its URL, even if it is longer and has the same genesis block', async () => {
    const same = { artifacts: [], timestamp: 1_700_000_000 };
    const before = await createNode(same);
    const { url, port } = await before.listen();
    const [from] = (await before.request({ method: 'eth_accounts' })) as string[];
    const params = [{ from, to: from, value: '0x1' }];
    const hash = await before.request({ method: 'eth_sendTransaction', params });
    const { page } = await openPage(opened, `${url}/_/tx/${hash}`);
    await untilShown(page, 'h1', 'succeeded');
    await before.close();
    const after = await createNode(same);
    onTestFinished(() => after.close());
    await after.request({ method: 'hardhat_mine', params: ['0x5'] });
    await after.listen({ port });
    await untilShown(page, '.empty', 'not found. A revert may have removed it');
    await untilShown(page, '.chain-facts', 'block 5');
  });

  it('is dark if the system or its button selects dark', async () => {
    const { page } = await openPage(opened, scene.url);
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await ground();
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.click('.theme');
    expect(await ground()).toBe(light);
    await page.click('.theme');
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await ground()).toBe(dark);
  });

  it.each([
    'feed?at=1',
    'accounts',
    'lanes',
    'block/1',
    'nowhere',
    'tx/$failed?show=source',
    'tx/$failed?show=gas',
    'tx/$failed?show=again',
    'tx/$failed?show=copy',
  ])('fits a phone and a desktop, without accessibility faults: %s', async (view) => {
    const url = `${scene.url}/_/${view.replace('$failed', await fail())}`;
    expect(await viewFaults(opened, url, 'main h1, main h2')).toEqual([]);
  });
});
