/** Takes the README's pictures of the explorer from the build: `npm run tool -- pictures`. Browser: `CHROMIUM`. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { encodeFunctionData } from 'viem';
import { createNode } from '../../bin/index.mjs';

const pathOf = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const artifacts = pathOf('fixtures/projects/hardhat-2/artifacts');
const checks = JSON.parse(readFileSync(`${artifacts}/contracts/Checks.sol/Checks.json`, 'utf8'));

const node = await createNode({ artifacts: [artifacts] });
const { url } = await node.listen();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
const page = await browser.newPage();
await page.setViewportSize({ width: 1120, height: 660 });
await page.emulateMedia({ colorScheme: 'light' });
await page.goto(url);
await page.waitForSelector('.chain-facts');

const call = async (method, params = []) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'Content-Type': 'application/json' };
  const { result, error } = await (await fetch(url, { method: 'POST', headers, body })).json();
  if (error !== undefined) throw new Error(error.message);
  return result;
};
const [from, to] = await call('eth_accounts');
const send = (fields) => call('eth_sendTransaction', [{ from, gas: '0x2dc6c0', ...fields }]);
const creation = await send({ data: checks.bytecode });
const { contractAddress } = await call('eth_getTransactionReceipt', [creation]);
const check = (value) =>
  send({
    to: contractAddress,
    data: encodeFunctionData({ abi: checks.abi, functionName: 'notZero', args: [value] }),
  });
for (let count = 0; count < 12; count++) await (count % 4 === 3 ? send({ to, value: '0x1' }) : check(7n));
await call('evm_snapshot');
await call('hardhat_mine', ['0x14']);
const failed = await check(0n);
await page.waitForSelector('.newest-failure .stack');
await page.waitForSelector('.timeline .cell.failed');
await page.screenshot({ path: pathOf('.github/pictures/feed.png') });
await page.goto(`${url}/_/tx/${failed}`);
await page.waitForSelector('.newest-failure .stack');
await page.waitForSelector('.tree .line.failed');
await page.screenshot({ path: pathOf('.github/pictures/failed-transaction.png') });
await browser.close();
await node.close();
