import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { ABI, BRIDGE } from '../rootstock/bridge/bridge-scene.ts';
import { describeInBrowser, openPage, untilShown } from '../support/browser/browser.ts';

const FAILURE =
  'Bridge.receiveHeaders failed: the caller is not a member of the federation; charged 200,000 gas';

describeInBrowser('a failed precompile in the explorer', (opened) => {
  it('is shown as failed with its reason, on its page, in its block and in the list', async () => {
    const node = await createNode({ artifacts: [] });
    onTestFinished(() => node.close());
    const { url } = await node.listen({ port: 0 });
    const [from] = (await node.request({ method: 'eth_accounts' })) as string[];
    const data = ABI.encodeFunctionData('receiveHeaders', [[]]);
    const params = [{ from, to: toHex(BRIDGE), data, gas: '0x30d40' }];
    const hash = (await node.request({ method: 'eth_sendTransaction', params })) as string;
    const { page, faults } = await openPage(opened.browser, url);

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
