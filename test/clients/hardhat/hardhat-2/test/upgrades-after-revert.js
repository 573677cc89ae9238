const { expect } = require('chai');
const { ethers, network, upgrades } = require('hardhat');

describe('hardhat-upgrades after a revert', () => {
  it('deploys an implementation again after a revert to an earlier block', async () => {
    const CounterV2 = await ethers.getContractFactory('CounterV2');
    const snapshot = await network.provider.send('evm_snapshot');
    await upgrades.deployProxy(CounterV2, [1n]);
    await network.provider.send('evm_revert', [snapshot]);
    const counter = await upgrades.deployProxy(CounterV2, [2n]);
    expect(await counter.count()).to.equal(2n);
  });
});
