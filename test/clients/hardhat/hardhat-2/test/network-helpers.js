const helpers = require('@nomicfoundation/hardhat-network-helpers');
const { expect } = require('chai');
const { ethers, network } = require('hardhat');

const { time } = helpers;
const STRANGER = '0x00000000000000000000000000000000000a11ce';

/** Runtime code of a contract that returns 42. */
const ANSWERS_42 = '0x602a60005260206000f3';

describe('hardhat-network-helpers', () => {
  let holder;
  let other;

  beforeEach(async () => {
    await helpers.reset();
    [holder, other] = await ethers.getSigners();
  });

  async function latestBlock() {
    return ethers.provider.getBlock('latest');
  }

  it('restores the state of a fixture', async () => {
    async function deploy() {
      return ethers.deployContract('Token', [1000n]);
    }
    const token = await helpers.loadFixture(deploy);
    const height = await time.latestBlock();
    await token.transfer(other, 10n);
    const again = await helpers.loadFixture(deploy);
    expect(again).to.equal(token);
    expect(await token.balanceOf(other)).to.equal(0n);
    expect(await time.latestBlock()).to.equal(height);
  });

  it('changes the time', async () => {
    const start = await time.latest();
    expect(await time.increase(3600)).to.equal(start + 3600);
    expect(await time.latest()).to.equal(start + 3600);
    await time.increaseTo(start + 7200);
    expect(await time.latest()).to.equal(start + 7200);
    await time.setNextBlockTimestamp(start + 10_000);
    await holder.sendTransaction({ to: other, value: 1n });
    expect(await time.latest()).to.equal(start + 10_000);
    await time.increase(time.duration.days(1));
    expect(await time.latest()).to.equal(start + 10_000 + 86_400);
    await expect(time.increaseTo(start)).to.be.rejected;
  });

  it('mines blocks', async () => {
    await helpers.mine();
    expect(await time.latestBlock()).to.equal(1);
    const start = await time.latest();
    await helpers.mine(1000);
    expect(await time.latestBlock()).to.equal(1001);
    await helpers.mine(10, { interval: 60 });
    expect(await time.latestBlock()).to.equal(1011);
    const block = await latestBlock();
    expect((await ethers.provider.getBlock(1010)).timestamp).to.equal(block.timestamp - 60);
    expect(block.timestamp).to.be.at.least(start + 999 + 9 * 60);
    await helpers.mineUpTo(2000);
    expect(await time.latestBlock()).to.equal(2000);
  });

  it('sends from an impersonated account', async () => {
    await helpers.impersonateAccount(STRANGER);
    await helpers.setBalance(STRANGER, ethers.parseEther('1'));
    const stranger = await ethers.getSigner(STRANGER);
    const token = await ethers.deployContract('Token', [5n], stranger);
    await expect(stranger.sendTransaction({ to: other, value: 3n })).to.changeEtherBalance(other, 3n);
    expect(await token.balanceOf(stranger)).to.equal(5n);
    await helpers.stopImpersonatingAccount(STRANGER);
    await expect(stranger.sendTransaction({ to: other, value: 3n })).to.be.rejected;
    const impersonated = await ethers.getImpersonatedSigner(STRANGER);
    await expect(impersonated.sendTransaction({ to: other, value: 3n })).to.changeEtherBalance(other, 3n);
  });

  it('sets balance, nonce, code and storage of an account', async () => {
    await helpers.setBalance(STRANGER, 7n);
    await helpers.setNonce(STRANGER, 4);
    await helpers.setCode(STRANGER, ANSWERS_42);
    await helpers.setStorageAt(STRANGER, 3, 99);
    expect(await ethers.provider.getBalance(STRANGER)).to.equal(7n);
    expect(await ethers.provider.getTransactionCount(STRANGER)).to.equal(4);
    expect(BigInt(await ethers.provider.call({ to: STRANGER }))).to.equal(42n);
    expect(BigInt(await helpers.getStorageAt(STRANGER, 3))).to.equal(99n);
    expect(BigInt(await helpers.getStorageAt(STRANGER, 4))).to.equal(0n);
    await expect(helpers.setNonce(holder.address, 0)).not.to.be.rejected;
  });

  it('restores snapshots', async () => {
    const before = await helpers.takeSnapshot();
    await holder.sendTransaction({ to: STRANGER, value: 1n });
    const between = await helpers.takeSnapshot();
    await holder.sendTransaction({ to: STRANGER, value: 1n });
    await between.restore();
    expect(await ethers.provider.getBalance(STRANGER)).to.equal(1n);
    await between.restore();
    await before.restore();
    expect(await ethers.provider.getBalance(STRANGER)).to.equal(0n);
    expect(await time.latestBlock()).to.equal(0);
    await expect(between.restore()).to.be.rejected;
  });

  it('drops a transaction from the pool', async () => {
    await network.provider.send('evm_setAutomine', [false]);
    try {
      const dropped = await holder.sendTransaction({ to: STRANGER, value: 1n });
      const kept = await other.sendTransaction({ to: STRANGER, value: 2n });
      expect(await helpers.dropTransaction(dropped.hash)).to.equal(true);
      expect(await helpers.dropTransaction(dropped.hash)).to.equal(false);
      await helpers.mine();
      expect(await ethers.provider.getBalance(STRANGER)).to.equal(2n);
      await expect(helpers.dropTransaction(kept.hash)).to.be.rejected;
    } finally {
      await network.provider.send('evm_setAutomine', [true]);
    }
  });

  it('sets the miner and gas limit of the next blocks', async () => {
    await helpers.setCoinbase(STRANGER);
    await helpers.setBlockGasLimit(12_000_000);
    await helpers.mine();
    const { miner, gasLimit } = await latestBlock();
    expect(miner.toLowerCase()).to.equal(STRANGER);
    expect(gasLimit).to.equal(12_000_000n);
  });

  it('resets the chain', async () => {
    await holder.sendTransaction({ to: STRANGER, value: 1n });
    await helpers.reset();
    expect(await time.latestBlock()).to.equal(0);
    expect(await ethers.provider.getBalance(STRANGER)).to.equal(0n);
    expect(await ethers.provider.getTransactionCount(holder)).to.equal(0);
  });
});
