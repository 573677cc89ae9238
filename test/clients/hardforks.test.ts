import { type Contract, isCallException, type JsonRpcProvider, type JsonRpcSigner, Wallet } from 'ethers';
import type { Address } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { connectEthers, deploy, read, write } from '../support/ethers.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { connectViem, deployWithViem, type ViemClients } from '../support/viem.ts';

const STRANGER: Address = '0x00000000000000000000000000000000000A11cE';
const [{ address: holder }, , { privateKey: ethersKey }, { privateKey: viemKey }] = DEV_ACCOUNTS;

describe.each(['shanghai', 'cancun'] as const)('a node with --hardfork %s', (hardfork) => {
  let node: RunningNode;
  let provider: JsonRpcProvider;
  let unlocked: JsonRpcSigner;
  let wallet: Wallet;
  let viem: ViemClients;

  beforeAll(async () => {
    node = await startNode('--hardfork', hardfork);
    provider = connectEthers(node.url);
    unlocked = await provider.getSigner(0);
    wallet = new Wallet(ethersKey, provider);
    viem = connectViem(node.url, holder);
  });

  afterAll(async () => {
    provider.destroy();
    await node.stop();
  });

  async function latestBlock() {
    const block = await provider.getBlock('latest');
    if (block === null) throw new Error('no latest block');
    return block;
  }

  it('lowers the base fee by an eighth after an empty block', async () => {
    await provider.send('evm_mine', []);
    const before = (await latestBlock()).baseFeePerGas ?? 0n;
    expect(before).toBeGreaterThan(0n);
    await provider.send('evm_mine', []);
    expect((await latestBlock()).baseFeePerGas).toBe(before - before / 8n);
  });

  it('accepts fee market transactions that ethers sends by default', async () => {
    const before = await provider.getBalance(wallet.address);
    const sent = await wallet.sendTransaction({ to: STRANGER, value: 5n });
    expect(sent.type).toBe(2);
    const receipt = await sent.wait();
    const { baseFeePerGas } = await latestBlock();
    const { maxFeePerGas, maxPriorityFeePerGas } = sent;
    if (!receipt || baseFeePerGas === null || maxFeePerGas === null || maxPriorityFeePerGas === null) {
      throw new Error('a fee is missing');
    }
    const gasPrice = baseFeePerGas + maxPriorityFeePerGas;
    expect(gasPrice).toBeLessThan(maxFeePerGas);
    expect(receipt).toMatchObject({ status: 1, type: 2, gasUsed: 21_000n, gasPrice });
    expect(await provider.getBalance(wallet.address)).toBe(before - 5n - 21_000n * gasPrice);
    expect(await provider.getTransaction(sent.hash)).toMatchObject({
      type: 2,
      maxFeePerGas,
      maxPriorityFeePerGas,
    });
  });

  it('accepts fee market transactions that viem sends by default', async () => {
    const account = privateKeyToAccount(viemKey);
    const hash = await viem.writer.sendTransaction({
      account,
      to: STRANGER,
      value: 5n,
      chain: viem.writer.chain,
    });
    expect(await viem.reader.waitForTransactionReceipt({ hash })).toMatchObject({
      status: 'success',
      type: 'eip1559',
    });
    expect(await viem.reader.getTransaction({ hash })).toMatchObject({
      type: 'eip1559',
      accessList: [],
      chainId: 33,
    });
  });

  it('accepts legacy transactions and access lists', async () => {
    const gasPrice = 2n * ((await latestBlock()).baseFeePerGas ?? 0n);
    const legacy = await (await wallet.sendTransaction({ to: STRANGER, type: 0, gasPrice })).wait();
    expect(legacy).toMatchObject({ status: 1, type: 0, gasPrice });
    const accessList = [{ address: STRANGER, storageKeys: [`0x${'00'.repeat(32)}`] }];
    const listed = await (
      await wallet.sendTransaction({ to: STRANGER, type: 1, gasPrice, accessList })
    ).wait();
    expect(listed).toMatchObject({ status: 1, type: 1, gasUsed: 21_000n + 2_400n + 1_900n });
    expect(await provider.getTransaction(listed?.hash ?? '')).toMatchObject({ accessList });
  });

  it('returns the base fee of the block to contracts', async () => {
    const clock = await deploy(unlocked, hardfork, 'Clock');
    const { baseFeePerGas } = await latestBlock();
    expect(await read(clock, 'baseFee', { gasPrice: baseFeePerGas })).toBe(baseFeePerGas);
    expect(await read(clock, 'gasPrice', { gasPrice: baseFeePerGas })).toBe(baseFeePerGas);
  });

  it('deploys and uses a token with both clients', async () => {
    const ethersToken = await deploy(unlocked, hardfork, 'Token', 'Gold', 'GLD', holder, 100n);
    await write(ethersToken, 'transfer', STRANGER, 1n);
    const viemToken = await deployWithViem(viem, hardfork, 'Token', ['Gold', 'GLD', holder, 100n]);
    const transfer = { ...viemToken, functionName: 'transfer', args: [STRANGER, 1n] };
    const { writer, reader } = viem;
    const hash = await writer.writeContract({ ...transfer, account: holder, chain: writer.chain });
    expect((await reader.waitForTransactionReceipt({ hash })).logs).toHaveLength(1);
    for (const address of [await ethersToken.getAddress(), viemToken.address] as Address[]) {
      const balance = { ...viemToken, address, functionName: 'balanceOf', args: [STRANGER] };
      expect(await reader.readContract(balance)).toBe(1n);
    }
  });

  it(`${hardfork === 'cancun' ? 'has' : 'does not have'} transient storage`, async () => {
    const lock: Contract = await deploy(unlocked, 'cancun', 'Lock');
    const passed = await read(lock, 'pass').then(
      () => true,
      (error) => (isCallException(error) ? false : Promise.reject(error)),
    );
    expect(passed).toBe(hardfork === 'cancun');
  });
});
