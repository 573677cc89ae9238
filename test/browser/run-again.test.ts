import { readFileSync } from 'node:fs';
import { encodeFunctionData } from 'viem';
import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';

const artifacts = new URL('../../fixtures/projects/hardhat-2/artifacts/', import.meta.url);
const checks = JSON.parse(readFileSync(new URL('contracts/Checks.sol/Checks.json', artifacts), 'utf8'));

/** Fails without value; else returns what CLZ gives for its input, which is an opcode from Osaka on alone. */
const CODE = '0x34600857600080fd5b5f351e5f5260205ff3';
const OTHER = `0x${'ab'.repeat(20)}`;

describeInBrowser('a transaction in the page', (opened) => {
  it('is run again with another sender, value, input, block and hardfork, beside the first run', async () => {
    const node = await createNode({ hardfork: 'prague', noMining: true });
    onTestFinished(() => node.close());
    const { url } = await node.listen({ port: 0 });
    const [from] = (await node.request({ method: 'eth_accounts' })) as string[];
    await node.request({ method: 'anvil_setCode', params: [OTHER, CODE] });
    const send = { from, to: OTHER, gas: '0x186a0' };
    const hash = await node.request({ method: 'eth_sendTransaction', params: [send] });
    await node.request({ method: 'evm_mine' });
    const { page, faults } = await openPage(opened.browser, `${url}/_/tx/${hash}?show=again`);
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
    await fill('State after block', '1');
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
    await untilShown(page, '[role=alert]', 'From: expected 0x and 40 hex digits');
    expect(faults).toEqual([]);
  });

  it('is run again with other arguments of a function that is known, which change its input', async () => {
    const node = await createNode({ artifacts: [artifacts.pathname] });
    onTestFinished(() => node.close());
    const { url } = await node.listen({ port: 0 });
    const [from] = (await node.request({ method: 'eth_accounts' })) as string[];
    const send = (fields: object): Promise<unknown> =>
      node.request({ method: 'eth_sendTransaction', params: [{ from, gas: '0x2dc6c0', ...fields }] });
    const creation = await send({ data: checks.bytecode });
    const receipt = await node.request({ method: 'eth_getTransactionReceipt', params: [creation] });
    const { contractAddress: to } = receipt as { contractAddress: string };
    const data = encodeFunctionData({ abi: checks.abi, functionName: 'notZero', args: [7n] });
    const hash = await send({ to, data });
    const { page, faults } = await openPage(opened.browser, `${url}/_/tx/${hash}?show=again`);
    const field = '.arguments input';
    const input = `[...document.querySelectorAll('.field')].find(({ textContent }) => textContent.startsWith('Input')).querySelector('input').value`;
    await page.waitForSelector(field);
    expect(await page.$eval(field, ({ value }) => value)).toBe('7');
    await page.click(field, { count: 3 });
    await page.type(field, 'x');
    await untilShown(page, '.arguments .reason', 'value: expected a whole number, got “x” (input unchanged)');
    expect(await page.evaluate(input)).toBe(data);
    await page.click(field, { count: 3 });
    await page.type(field, '0');
    await untilTrue(page, `${input} === '${data.slice(0, -1)}0'`);
    await click(page, '.buttons button', 'Run again');
    await untilShown(page, '.runs', 'This run failed');
    await untilShown(page, '.runs', 'First run succeeded');
    await untilShown(page, '.runs .stack', 'contracts/Checks.sol:');
    expect(faults).toEqual([]);
  });

  it('has its gas as a graph, in which calls that are too thin to be seen share a bar', async () => {
    const node = await createNode({ artifacts: [] });
    onTestFinished(() => node.close());
    const { url } = await node.listen({ port: 0 });
    const [from] = (await node.request({ method: 'eth_accounts' })) as string[];
    // Calls an account 3,000 times, which does nothing for 20 gas.
    const callee = `0x${'abcd'.padStart(40, '0')}`;
    await node.request({ method: 'anvil_setCode', params: [callee, `0x${'5b'.repeat(20)}00`] });
    const code = '0x610bb85b5f5f5f5f5f61abcd5af150600190038060035700';
    await node.request({ method: 'anvil_setCode', params: [OTHER, code] });
    const params = [{ from, to: OTHER, gas: '0x1000000' }];
    const hash = await node.request({ method: 'eth_sendTransaction', params });
    const { page, faults } = await openPage(opened.browser, `${url}/_/tx/${hash}?show=gas`);
    await untilShown(page, '.flame title', '3,000 smaller calls: 60,000 gas');
    expect(await page.$$eval('.flame .bar', (bars) => bars.length)).toBe(2);
    await page.goto(`${url}/_/tx/${hash}`);
    await untilShown(page, '.tree .line', 'call');
    expect(await page.$$eval('.tree .row', (rows) => rows.length)).toBeLessThan(100);
    expect(faults).toEqual([]);
  });
});
