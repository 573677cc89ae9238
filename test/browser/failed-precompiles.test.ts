import { expect, it } from 'vitest';
import { toHex } from '../../src/primitives/hex.ts';
import { ABI, BRIDGE } from '../rootstock/bridge/bridge-scene.ts';
import { describeInBrowser, openPage, untilShown } from '../support/browser/browser.ts';
import { openScene } from '../support/browser/scene.ts';

const FAILURE =
  'Bridge.receiveHeaders failed: the caller is not a member of the federation; charged 200,000 gas';

describeInBrowser('the explorer', (opened) => {
  it('shows a failed precompile as failed, with its reason, on its page, in its block and in the feed', async () => {
    const { url, send } = await openScene();
    const data = ABI.encodeFunctionData('receiveHeaders', [[]]);
    const hash = await send({ to: toHex(BRIDGE), data, gas: '0x30d40' });
    const { page, faults } = await openPage(opened, url);

    await page.goto(`${url}/_/tx/${hash}`);
    await untilShown(page, 'h1 .tag', 'failed');
    await untilShown(page, 'main', FAILURE);
    await page.goto(`${url}/_/block/1`);
    await untilShown(page, 'main td', 'failed');
    await page.goto(`${url}/_/`);
    await untilShown(page, '.item.failed', 'Bridge.receiveHeaders');

    expect(faults).toEqual([]);
  });
});
