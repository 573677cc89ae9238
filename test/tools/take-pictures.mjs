/** Takes the README's pictures of the explorer from the build: `npm run tool -- pictures`. Browser: `CHROMIUM`. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import solc from 'solc';
import { encodeFunctionData, parseEther } from 'viem';
import { createNode } from '../../bin/index.mjs';

const pathOf = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const FILE = 'contracts/Vault.sol';
const input = {
  language: 'Solidity',
  sources: { [FILE]: { content: readFileSync(pathOf('test/support/browser/Vault.sol'), 'utf8') } },
  settings: {
    evmVersion: 'cancun',
    outputSelection: {
      '*': {
        '*': ['abi', 'metadata', 'storageLayout', 'evm.bytecode', 'evm.deployedBytecode'],
        '': ['ast'],
      },
    },
  },
};
const output = JSON.parse(solc.compile(JSON.stringify(input)));
const { abi, evm } = output.contracts[FILE].Vault;

const node = await createNode({ artifacts: [], hardfork: 'cancun' });
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
await call('inspect_addArtifacts', [input, output]);
const [from, to] = await call('eth_accounts');
const send = (fields) => call('eth_sendTransaction', [{ from, gas: '0x2dc6c0', ...fields }]);
const creation = await send({ data: `0x${evm.bytecode.object}` });
const { contractAddress: vault } = await call('eth_getTransactionReceipt', [creation]);
const dataOf = (functionName, ...args) => encodeFunctionData({ abi, functionName, args });
const ether = (amount) => `0x${parseEther(amount).toString(16)}`;
for (let count = 0; count < 12; count++)
  await send(
    count % 4 === 3
      ? { to, value: ether('0.1') }
      : { to: vault, value: ether('0.1'), data: dataOf('deposit') },
  );
await call('evm_snapshot');
await call('hardhat_mine', ['0x14']);
await send({ to: vault, data: dataOf('withdraw', parseEther('0.25')) });
const withdrawal = { to: vault, data: dataOf('withdraw', parseEther('1')) };
await send(withdrawal);
// The estimate fails as expected.
await call('eth_estimateGas', [{ from, ...withdrawal }]).catch(() => undefined);

/** Waits for elements, and takes a picture of the page. */
const take = async (name, ...selectors) => {
  for (const selector of selectors) await page.waitForSelector(selector);
  await page.screenshot({ path: pathOf(`.github/pictures/${name}.png`) });
};
await take('feed', '.newest-failure .excerpt mark', '.timeline .cell.failed');
await page.goto(`${url}/_/debug/failure/2`);
await page.waitForSelector('.code-view .failing mark');
await page.fill('.add-watch input', 'amount - balance');
await page.press('.add-watch input', 'Enter');
await take('debug', '.variable-list', '.watch-value', '.storage-changes li');
await browser.close();
await node.close();
