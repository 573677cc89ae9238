import { type JsonRpcProvider, Wallet } from 'ethers';
import type { Address, Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Web3 } from 'web3';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { connectEthers } from '../support/ethers.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { connectViem, type ViemClients } from '../support/viem.ts';

const STRANGER: Address = '0x00000000000000000000000000000000000A11cE';
const GUARD: Address = '0x00000000000000000000000000000000000c0de5';
const HOUR = 3_600;
const [{ address: holder }, { address: other }, { privateKey: ethersKey }, web3Account] = DEV_ACCOUNTS;
const { privateKey: viemKey } = web3Account;

/** Code that reverts before `time` (Unix seconds), then stores the block number. */
function opensAt(timestamp: number): Hex {
  return `0x63${timestamp.toString(16).padStart(8, '0')}4210600f5743600055005b600080fd`;
}

// Clients with local keys estimate gas first. web3 always passes the latest block, and calls with the
// suggested gas price.
describe.each([
  ['rootstock', 'service'],
  ['rootstock', 'anvil'],
  ['prague', 'service'],
  ['prague', 'hardhat'],
] as const)('clients of a node with --hardfork %s --compat %s', (hardfork, compat) => {
  let node: RunningNode;
  let provider: JsonRpcProvider;
  let viem: ViemClients;

  beforeAll(async () => {
    node = await startNode('--hardfork', hardfork, '--compat', compat);
    provider = connectEthers(node.url);
    viem = connectViem(node.url, holder);
  });

  afterAll(async () => {
    provider.destroy();
    await node.stop();
  });

  async function latestTimestamp(): Promise<number> {
    const block = await provider.getBlock('latest');
    if (block === null) throw new Error('no latest block');
    return block.timestamp;
  }

  it('pay legacy gas prices of web3 with the settings of the recipe', async () => {
    const web3 = new Web3(node.url);
    web3.defaultTransactionType = '0x0';
    const [from = '', to = ''] = await web3.eth.getAccounts();
    const transaction = { from, to, value: web3.utils.toWei('1', 'ether') };
    expect(await web3.eth.sendTransaction(transaction)).toMatchObject({ status: 1n, type: 0n });
    web3.eth.accounts.wallet.add(web3Account.privateKey);
    expect(await web3.eth.sendTransaction({ ...transaction, from: web3Account.address })).toMatchObject({
      status: 1n,
      type: 0n,
    });
  });

  it.runIf(hardfork === 'prague')('pay fee market prices of web3 by default', async () => {
    const web3 = new Web3(node.url);
    web3.eth.accounts.wallet.add(web3Account.privateKey);
    const transaction = { to: other, value: 1n };
    for (const from of [holder, web3Account.address]) {
      expect(await web3.eth.sendTransaction({ ...transaction, from })).toMatchObject({
        status: 1n,
        type: 2n,
      });
    }
  });

  it('pay the default prices of ethers and viem, with local keys and keys of the node', async () => {
    const type = hardfork === 'prague' ? 2 : 0;
    for (const signer of [new Wallet(ethersKey, provider), await provider.getSigner(0)]) {
      const sent = await signer.sendTransaction({ to: STRANGER, value: 1n });
      expect(await sent.wait()).toMatchObject({ status: 1, type, gasUsed: 21_000n });
    }
    for (const account of [privateKeyToAccount(viemKey), holder]) {
      const { chain } = viem.writer;
      const hash = await viem.writer.sendTransaction({ account, to: STRANGER, value: 1n, chain });
      expect(await viem.reader.waitForTransactionReceipt({ hash })).toMatchObject({
        status: 'success',
        type: type === 2 ? 'eip1559' : 'legacy',
      });
    }
  });

  describe.each(['evm_increaseTime', 'evm_setNextBlockTimestamp'])('clients after %s', (method) => {
    beforeEach(async () => {
      await provider.send('evm_mine', []);
      const opening = (await latestTimestamp()) + HOUR;
      await provider.send('hardhat_setCode', [GUARD, opensAt(opening)]);
      await expect(provider.estimateGas({ from: holder, to: GUARD, data: '0x01' })).rejects.toThrow();
      await provider.send(method, [method === 'evm_increaseTime' ? HOUR : opening]);
    });

    it('send with a local key of ethers to a contract that opens in the next block', async () => {
      const wallet = new Wallet(ethersKey, provider);
      const sent = await wallet.sendTransaction({ to: GUARD, data: '0x01' });
      expect(await sent.wait()).toMatchObject({ status: 1 });
    });

    it('send with a local key of viem to a contract that opens in the next block', async () => {
      const { writer, reader } = viem;
      const account = privateKeyToAccount(viemKey);
      const hash = await writer.sendTransaction({ account, to: GUARD, data: '0x01', chain: writer.chain });
      expect((await reader.waitForTransactionReceipt({ hash })).status).toBe('success');
    });

    it('estimate and send like Hardhat to a contract that opens in the next block', async () => {
      const message = { from: holder.toLowerCase(), to: GUARD, data: '0x01' };
      const gas = await provider.send('eth_estimateGas', [message]);
      const hash = await provider.send('eth_sendTransaction', [{ ...message, gas }]);
      expect(await provider.getTransactionReceipt(hash)).toMatchObject({ status: 1 });
    });
  });
});
