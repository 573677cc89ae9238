import { encodeFunctionData } from 'viem';
import { expect, it } from 'vitest';
import type { LocalNodeOptions } from '../../src/index.ts';
import { describeInBrowser, openPage, untilShown } from '../support/browser/browser.ts';
import { openScene, type Scene } from '../support/browser/scene.ts';
import { compileSolidity } from '../support/solidity.ts';

const { input, output } = compileSolidity({
  'Keyed.sol': `// SPDX-License-Identifier: MIT
    pragma solidity ^0.8.20;
    contract Keyed {
      mapping(uint256 => uint256) public numbers;
      mapping(address => uint256) public unused;
      function fill() external { numbers[0] = 1234; }
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
});
