import { encodeFunctionData } from 'viem';
import { expect, it } from 'vitest';
import type { LocalNodeOptions } from '../../src/index.ts';
import { click, describeInBrowser, openPage, untilShown } from '../support/browser/browser.ts';
import { axeFaults, viewFaults } from '../support/browser/layout.ts';
import { openScene, type Scene } from '../support/browser/scene.ts';
import { compileSolidity } from '../support/solidity.ts';

const { input, output } = compileSolidity({
  'Keyed.sol': `// SPDX-License-Identifier: MIT
    pragma solidity ^0.8.20;
    contract Keyed {
      mapping(uint256 => uint256) public numbers;
      mapping(address => uint256) public unused;
      mapping(string => mapping(bool => uint256)) public nested;
      function fill() external { numbers[0] = 1234; }
      function fillMore() external {
        numbers[7_777_777] = 77;
        nested["a text"][true] = 99;
      }
    }`,
});
const { abi, evm } = output.contracts['Keyed.sol']?.Keyed ?? { abi: [], evm: { bytecode: { object: '' } } };

async function openStorageScene(options: LocalNodeOptions = {}): Promise<Scene> {
  const scene = await openScene(options);
  await scene.call('inspect_addArtifacts', [input, output, '0.8.30']);
  return scene;
}

describeInBrowser('the storage of a contract in the explorer', (opened) => {
  it('lists an entry once, and reports unknown keys of a forked contract', async () => {
    const { url, deploy, send } = await openStorageScene();
    const to = await deploy(`0x${evm.bytecode.object}`);
    await send({ to, data: encodeFunctionData({ abi, functionName: 'fill' }) });
    const fork = await openStorageScene({ forkUrl: url });
    const ITEMS =
      "[...document.querySelectorAll('.variables .variables > li')].map((item) => item.textContent)";

    const local = await openPage(opened, `${url}/_/address/${to}?show=storage`);
    await untilShown(local.page, '.variables summary', '1 entry');
    await untilShown(local.page, '.variables > li', 'unused empty');
    const forked = await openPage(opened, `${fork.url}/_/address/${to}?show=storage`);
    await untilShown(forked.page, '.variables > li', 'numbers keys unknown');

    expect(await local.page.evaluate(ITEMS)).toEqual([expect.stringContaining('[0] = 1')]);
    expect([...local.faults, ...forked.faults]).toEqual([]);
  });

  it('shows the entries of mappings for the keys that a reader enters', async () => {
    const { url, deploy, send } = await openStorageScene();
    const to = await deploy(`0x${evm.bytecode.object}`);
    await send({ to, data: encodeFunctionData({ abi, functionName: 'fillMore' }) });
    const fork = await openStorageScene({ forkUrl: url });
    const { page, faults } = await openPage(opened, `${fork.url}/_/address/${to}?show=storage`);
    await untilShown(page, '#main', 'Mappings do not store their keys.');
    const numbers = 'form[aria-label="Keys of numbers"]';
    await page.fill(`${numbers} input`, 'seven');
    await click(page, `${numbers} button`, 'Show entry');
    await untilShown(page, `${numbers} .reason`, 'expected a key of type uint256');
    await page.fill(`${numbers} input`, '7777777');
    await click(page, `${numbers} button`, 'Show entry');
    await untilShown(page, '.variables .variables > li', '[7777777] = 77');
    await untilShown(page, '.variables summary', 'other keys unknown');
    const nested = 'form[aria-label="Keys of nested"]';
    await page.fill(`${nested} input >> nth=0`, 'a text');
    await page.fill(`${nested} input >> nth=1`, 'true');
    await click(page, `${nested} button`, 'Show entry');
    await untilShown(page, '.variables .variables > li', '[true] = 99');
    await untilShown(page, '.variables .variables > li', '[7777777] = 77');
    expect([...(await axeFaults(page)), ...faults]).toEqual([]);
    expect(await viewFaults(opened, page.url(), numbers)).toEqual([]);
  });
});
