import { expect, it, onTestFinished } from 'vitest';
import { click, describeInBrowser, openPage, untilShown } from '../support/browser/browser.ts';
import { CHECKS_ARTIFACTS, sceneAt, withChecks } from '../support/browser/scene.ts';
import { startNode } from '../support/node-process.ts';

describeInBrowser('the explorer', (opened) => {
  it.each([
    ['base chain', [], ''],
    ['lane', ['--lanes'], '/alice'],
    ['API key', ['--api-key', 'my-key'], '/my-key'],
  ] as const)('opens every view from its URL: %s', async (_, options, path) => {
    const node = await startNode('--artifacts', CHECKS_ARTIFACTS, ...options);
    onTestFinished(() => node.stop());
    const { origin } = new URL(node.url);
    const { contract, check } = await withChecks(await sceneAt(origin + path));
    const hash = await check(0n);
    const { page, faults } = await openPage(opened, `${origin}${path || '/'}`);
    const views: readonly (readonly [place: string, selector: string, text: string])[] = [
      ['feed', '.mined li', 'Checks.notZero'],
      ['feed?search=new', '.mined li', 'new Checks()'],
      ['accounts', 'h1', 'Accounts'],
      ['contracts', 'main', 'Checks'],
      ['gas', 'h1', 'Gas'],
      ['mining', 'h1', 'block #2'],
      ['mining/1', 'h1', 'block #1'],
      ['pool', 'h1', 'Pool'],
      ['lanes', 'h1', 'Lanes'],
      [`tx/${hash}`, 'h1', 'failed'],
      ...['calls', 'source', 'changes', 'gas', 'again', 'copy'].map(
        (tab) => [`tx/${hash}?show=${tab}`, '.inner [aria-current]', ''] as const,
      ),
      ['block/1', 'h1', 'Block #1'],
      ['block/latest', 'h1', 'Block #2'],
      [`address/${contract}`, 'h1', 'Checks'],
      ...['interface', 'events', 'storage', 'source', 'code'].map(
        (tab) => [`address/${contract}?show=${tab}`, '.inner [aria-current]', ''] as const,
      ),
      [`address/${contract}?at=1`, '.banner', 'after block #1'],
    ];
    for (const [place, selector, text] of views) {
      await page.goto(`${origin}${path}/_/${place}`);
      await untilShown(page, selector, text);
    }
    expect(faults).toEqual([]);
  });

  it('explains a URL that leads nowhere', async () => {
    const node = await startNode();
    onTestFinished(() => node.stop());
    const { origin } = new URL(node.url);
    const { page, faults } = await openPage(opened, origin);
    for (const [place, text] of [
      ['nothing', 'Unknown view “nothing”'],
      ['block/77', 'Block 77 not found'],
      ['block/never', 'never'],
      ['tx/0x12', '0x12'],
      ['address/0x12', 'Invalid address “0x12”'],
      ['mining/77', 'Block 77 not found'],
      ['lanes', '--lanes'],
      ['feed?search=never', 'No matching transactions'],
    ] as const) {
      await page.goto(`${origin}/_/${place}`);
      await untilShown(page, 'main .empty, main .failure', text);
    }
    for (const [view, newest] of [
      ['block', 'Block #0'],
      ['mining', 'Mining of block #0'],
    ] as const) {
      await page.goto(`${origin}/_/${view}/77`);
      await click(page, 'main .empty a', 'Open the latest block');
      await untilShown(page, 'h1', newest);
    }
    await page.goto(`${origin}/_/block/1`);
    await untilShown(page, 'main .empty', 'Block 1 not found');
    await click(page, '.acts button', 'Mine');
    await untilShown(page, 'h1', 'Block #1');
    expect(faults).toEqual([]);
  });
});
