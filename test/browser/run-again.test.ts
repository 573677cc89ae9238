import { expect, it } from 'vitest';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { notZero, openChecksScene, openScene } from '../support/browser/scene.ts';

/** Fails without value. Otherwise returns CLZ of its input, an opcode since Osaka. */
const CODE = '0x34600857600080fd5b5f351e5f5260205ff3';
const OTHER = `0x${'ab'.repeat(20)}`;

describeInBrowser('the page of a transaction', (opened) => {
  it('runs it again with another sender, value, input, block and hardfork, beside the first run', async () => {
    const { url, call, send } = await openScene({ hardfork: 'prague', noMining: true });
    await call('anvil_setCode', [OTHER, CODE]);
    const hash = await send({ to: OTHER, gas: '0x186a0' });
    await call('evm_mine');
    const { page, faults } = await openPage(opened, `${url}/_/tx/${hash}?show=again`);
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
    await call('anvil_setBalance', [`0x${'cd'.repeat(20)}`, '0xde0b6b3a7640000']);
    await fill('State after block', '1');
    await fill('Input', `0x${'00'.repeat(31)}01`);
    await click(page, '.buttons button', 'Run again');
    // The rules of the chain lack this opcode.
    await untilShown(page, '.runs', 'This run failed');
    await page.selectOption('form select', 'osaka');
    await click(page, '.buttons button', 'Run again');
    await untilShown(page, '.runs', 'This run succeeded');
    expect(await page.$$eval('.run', (runs) => runs.length)).toBe(2);

    await fill('From', 'nobody');
    await click(page, '.buttons button', 'Run again');
    await untilShown(page, '[role=alert]', 'From: expected 0x and 40 hex digits');
    expect(faults).toEqual([]);
  });

  it('runs it again with other arguments of a known function', async () => {
    const { url, check } = await openChecksScene();
    const hash = await check(7n);
    const { page, faults } = await openPage(opened, `${url}/_/tx/${hash}?show=again`);
    const field = '.arguments input';
    const input = `[...document.querySelectorAll('.field')].find(({ textContent }) => textContent.startsWith('Input')).querySelector('input').value`;
    await page.waitForSelector(field);
    expect(await page.$eval(field, ({ value }) => value)).toBe('7');
    await page.click(field, { clickCount: 3 });
    await page.type(field, 'x');
    await untilShown(page, '.arguments .reason', 'value: expected a whole number, got “x” (input unchanged)');
    expect(await page.evaluate(input)).toBe(notZero(7n));
    await page.click(field, { clickCount: 3 });
    await page.type(field, '0');
    await untilTrue(page, `${input} === '${notZero(0n)}'`);
    await click(page, '.buttons button', 'Run again');
    await untilShown(page, '.runs', 'This run failed');
    await untilShown(page, '.runs', 'First run succeeded');
    await untilShown(page, '.runs .stack', 'contracts/Checks.sol:');
    expect(faults).toEqual([]);
  });

  it('draws its gas as a graph, and puts tiny calls into one bar', async () => {
    const { url, call, send } = await openScene();
    // Calls a contract 3,000 times. Each call uses 20 gas.
    const callee = `0x${'abcd'.padStart(40, '0')}`;
    await call('anvil_setCode', [callee, `0x${'5b'.repeat(20)}00`]);
    await call('anvil_setCode', [OTHER, '0x610bb85b5f5f5f5f5f61abcd5af150600190038060035700']);
    const hash = await send({ to: OTHER, gas: '0x1000000' });
    const { page, faults } = await openPage(opened, `${url}/_/tx/${hash}?show=gas`);
    await untilShown(page, '.flame title', '3,000 smaller calls: 60,000 gas');
    expect(await page.$$eval('.flame .bar', (bars) => bars.length)).toBe(2);
    await page.goto(`${url}/_/tx/${hash}`);
    await untilShown(page, '.tree .line', 'call');
    expect(await page.$$eval('.tree .row', (rows) => rows.length)).toBeLessThan(100);
    expect(faults).toEqual([]);
  });
});
