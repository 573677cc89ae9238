import { ContractFactory, getCreateAddress, type JsonRpcProvider, parseEther } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArtifact } from '../support/artifacts.ts';
import { connectEthers } from '../support/ethers.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';

function factoryOf(name: string): ContractFactory {
  const { abi, bytecode } = readArtifact('cancun', name);
  return new ContractFactory(JSON.stringify(abi), bytecode);
}

describe.each([
  ['service'],
  ['anvil'],
  ['hardhat'],
  ['anvil', '--hardfork', 'prague'],
  ['hardhat', '--hardfork', 'cancun'],
] as const)('ethers contract factories with compat %s %s %s', (compat, ...options) => {
  let node: RunningNode;
  let provider: JsonRpcProvider;

  beforeAll(async () => {
    node = await startNode('--compat', compat, ...options);
    provider = connectEthers(node.url);
  });

  afterAll(async () => {
    provider.destroy();
    await node.stop();
  });

  it('create a contract at the address of sender and nonce, and wait for it', async () => {
    const signer = await provider.getSigner(0);
    const from = signer.address;
    const nonce = await provider.getTransactionCount(from);
    const factory = factoryOf('Token').connect(signer);
    const token = await factory.deploy('Gold', 'GLD', from, parseEther('7'));
    expect(await token.getAddress()).toBe(getCreateAddress({ from, nonce }));
    const deployed = await token.waitForDeployment();
    expect(await deployed.getFunction('symbol').staticCall()).toBe('GLD');
    expect((await token.deploymentTransaction()?.wait())?.contractAddress).toBe(token.target);
    expect(await token.getDeployedCode()).not.toBeNull();
  });

  it('send gas limit and gas price, and attach to an existing contract', async () => {
    const signer = await provider.getSigner(1);
    const gasPrice = 3_000_000_000n;
    const factory = factoryOf('Counter').connect(signer);
    const created = await factory.deploy({ gasLimit: 1_000_000n, gasPrice });
    const transaction = created.deploymentTransaction();
    expect([transaction?.gasLimit, transaction?.gasPrice]).toEqual([1_000_000n, gasPrice]);
    await created.waitForDeployment();
    const attached = factory.attach(created.target);
    await (await attached.getFunction('increase').send(3)).wait();
    expect(await attached.getFunction('count').staticCall()).toBe(3n);
  });

  it('reject value for a constructor that is not payable, without a transaction', async () => {
    const signer = await provider.getSigner(2);
    const factory = factoryOf('Counter').connect(signer);
    const creation = await factory.getDeployTransaction();
    await expect(signer.sendTransaction({ ...creation, value: 1n })).rejects.toThrow(/revert/);
    expect(await provider.getTransactionCount(signer.address)).toBe(0);
  });

  it('report a constructor that fails in its block', async () => {
    const signer = await provider.getSigner(3);
    const creation = await factoryOf('Counter').getDeployTransaction();
    const sending = signer.sendTransaction({ ...creation, value: 1n, gasLimit: 1_000_000n });
    if (compat === 'hardhat') await expect(sending).rejects.toThrow(/reverted without a reason/);
    else await expect((await sending).wait()).rejects.toMatchObject({ code: 'CALL_EXCEPTION' });
    expect(await provider.getTransactionCount(signer.address)).toBe(1);
  });
});
