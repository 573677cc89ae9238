import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { CHROMIUM, click, HOW_TO_GET_ONE, launchBrowser, openPage, untilShown } from './browser.ts';

/** Fails without value; else returns what CLZ gives for its input, which is an opcode from Osaka on alone. */
const CODE = '0x34600857600080fd5b5f351e5f5260205ff3';
const OTHER = `0x${'ab'.repeat(20)}`;

if (CHROMIUM === null) {
  it.skip(`a transaction run again in a browser: there is none here; ${HOW_TO_GET_ONE}`, () => undefined);
}

describe.skipIf(CHROMIUM === null)('a transaction in the page', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });

  afterAll(() => browser?.close());

  it('is run again with another sender, value, input, block and hardfork, beside the first run', async () => {
    const node = await createNode({ hardfork: 'prague', noMining: true });
    onTestFinished(() => node.close());
    const { url } = await node.listen({ port: 0 });
    const [from] = (await node.request({ method: 'eth_accounts' })) as string[];
    await node.request({ method: 'anvil_setCode', params: [OTHER, CODE] });
    const send = { from, to: OTHER, gas: '0x186a0' };
    const hash = await node.request({ method: 'eth_sendTransaction', params: [send] });
    await node.request({ method: 'evm_mine' });
    const { page, faults } = await openPage(browser, `${url}/_/tx/${hash}?show=again`);
    await untilShown(page, '.run h2', 'First run failed');

    const fill = async (label: string, text: string): Promise<void> => {
      const fields = `[...document.querySelectorAll('.field')]`;
      await page.evaluate(`(() => {
        const input = ${fields}.find(({ textContent }) => textContent.startsWith(${JSON.stringify(label)})).querySelector('input');
        input.value = ${JSON.stringify(text)};
        input.dispatchEvent(new Event('input', { bubbles: true }));
      })()`);
    };
    await fill('Value', '0.5');
    await fill('From', `0x${'cd'.repeat(20)}`);
    await node.request({ method: 'anvil_setBalance', params: [`0x${'cd'.repeat(20)}`, '0xde0b6b3a7640000'] });
    await fill('On the state', '1');
    await fill('Input', `0x${'00'.repeat(31)}01`);
    await click(page, '.buttons button', 'Run again');
    // Under the rules of the chain there is no such opcode.
    await untilShown(page, '.runs', 'This run failed');
    await page.select('form select', 'osaka');
    await click(page, '.buttons button', 'Run again');
    await untilShown(page, '.runs', 'This run succeeded');
    expect(await page.$$eval('.run', (runs) => runs.length)).toBe(2);

    await fill('From', 'nobody');
    await click(page, '.buttons button', 'Run again');
    await untilShown(page, '[role=alert]', 'From: 0x and 40 hexadecimal digits are expected');
    expect(faults).toEqual([]);
  });
});
