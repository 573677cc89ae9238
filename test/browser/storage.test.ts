import { encodeFunctionData, type Hex } from 'viem';
import { expect, it, onTestFinished } from 'vitest';
import { createNode, type LocalNode, type LocalNodeOptions } from '../../src/index.ts';
import { describeInBrowser, openPage, untilShown } from '../support/browser/browser.ts';
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

async function started(
  options: LocalNodeOptions,
): Promise<{ readonly node: LocalNode; readonly url: string }> {
  const node = await createNode(options);
  onTestFinished(() => node.close());
  await node.request({ method: 'inspect_addArtifacts', params: [input, output, '0.8.30'] });
  const { url } = await node.listen();
  return { node, url };
}

describeInBrowser('the storage of a contract in the explorer', (opened) => {
  it('lists an entry once, and reports unknown keys of a forked contract', async () => {
    const { node, url } = await started({});
    const [from] = (await node.request({ method: 'eth_accounts' })) as Hex[];
    const send = async (fields: object): Promise<{ readonly contractAddress: Hex }> => {
      const params = [{ from, gas: '0x4c4b40', ...fields }];
      const hash = await node.request({ method: 'eth_sendTransaction', params });
      const receipt = await node.request({ method: 'eth_getTransactionReceipt', params: [hash] });
      return receipt as { readonly contractAddress: Hex };
    };
    const { contractAddress: to } = await send({ data: `0x${evm.bytecode.object}` });
    await send({ to, data: encodeFunctionData({ abi, functionName: 'fill' }) });
    const fork = await started({ forkUrl: url });
    const ITEMS =
      "[...document.querySelectorAll('.variables .variables > li')].map((item) => item.textContent)";

    const local = await openPage(opened.browser, `${url}/_/address/${to}?show=storage`);
    await untilShown(local.page, '.variables summary', '1 entry');
    await untilShown(local.page, '.variables > li', 'unused empty');
    const forked = await openPage(opened.browser, `${fork.url}/_/address/${to}?show=storage`);
    await untilShown(forked.page, '.variables > li', 'numbers keys unknown');

    expect(await local.page.evaluate(ITEMS)).toEqual([expect.stringContaining('[0] = 1')]);
    expect([...local.faults, ...forked.faults]).toEqual([]);
  });
});
