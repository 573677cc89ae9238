const { PANIC_CODES } = require('@nomicfoundation/hardhat-chai-matchers/panic');
const { anyUint, anyValue } = require('@nomicfoundation/hardhat-chai-matchers/withArgs');
const { expect } = require('chai');
const { ethers, network } = require('hardhat');

const YEAR = 365 * 24 * 60 * 60;

/** At least a year after `time`, without a byte of zero: then the gas of a deployment depends on no clock. */
const unlockTimeAfter = (time) => (Math.floor((time + YEAR) / 2 ** 24) + 1) * 2 ** 24 - 1;

describe('hardhat-ethers and hardhat-chai-matchers', () => {
  let owner;
  let other;
  let unlockTime;
  let vault;
  let token;

  async function latestTime() {
    return (await ethers.provider.getBlock('latest')).timestamp;
  }

  async function waitForUnlock() {
    await network.provider.send('evm_increaseTime', [unlockTime - (await latestTime())]);
    await network.provider.send('evm_mine');
  }

  beforeEach(async () => {
    [owner, other] = await ethers.getSigners();
    unlockTime = unlockTimeAfter(await latestTime());
    vault = await ethers.deployContract('Vault', [unlockTime], { value: 100n });
    token = await ethers.deployContract('Token', [1000n]);
  });

  it('deploys a contract with arguments and value', async () => {
    expect(await vault.unlockTime()).to.equal(unlockTime);
    expect(await vault.owner()).to.be.properAddress.and.to.equal(owner.address);
    expect(await ethers.provider.getBalance(vault)).to.equal(100n);
  });

  it('reports the reason of a reverted deployment', async () => {
    const Vault = await ethers.getContractFactory('Vault');
    await expect(Vault.deploy(await latestTime())).to.be.revertedWith('Unlock time is in the past');
  });

  it('recognises reasons, custom errors, panics and reverts without a reason', async () => {
    await expect(vault.withdraw()).to.be.revertedWith('Locked');
    await expect(vault.connect(other).withdraw())
      .to.be.revertedWithCustomError(vault, 'NotOwner')
      .withArgs(other.address, owner.address);
    await expect(vault.average()).to.be.revertedWithPanic(PANIC_CODES.DIVISION_BY_ZERO);
    await expect(vault.deposit()).to.be.revertedWithoutReason();
    await expect(vault.deposit({ value: 1n })).not.to.be.reverted;
  });

  it('recognises the same errors in static calls', async () => {
    await expect(vault.withdraw.staticCall()).to.be.revertedWith('Locked');
    await expect(vault.connect(other).withdraw.staticCall())
      .to.be.revertedWithCustomError(vault, 'NotOwner')
      .withArgs(other.address, owner.address);
    await expect(vault.withdraw.estimateGas()).to.be.revertedWith('Locked');
  });

  it('recognises a revert of a transaction with a given gas limit', async () => {
    await expect(vault.withdraw({ gasLimit: 100_000 })).to.be.reverted;
  });

  it('decodes events and their arguments', async () => {
    await expect(vault.deposit({ value: 5n }))
      .to.emit(vault, 'Deposited')
      .withArgs(owner.address, 5n);
    await waitForUnlock();
    await expect(vault.withdraw()).to.emit(vault, 'Withdrawn').withArgs(anyValue, 105n, anyUint);
    await expect(vault.deposit({ value: 5n })).not.to.emit(vault, 'Withdrawn');
  });

  it('finds the events of a contract', async () => {
    await vault.deposit({ value: 5n });
    await vault.deposit({ value: 6n });
    const events = await vault.queryFilter(vault.filters.Deposited);
    expect(events.map(({ args }) => args.amount)).to.deep.equal([5n, 6n]);
  });

  it('measures balance changes in ether and tokens', async () => {
    await waitForUnlock();
    await expect(vault.withdraw()).to.changeEtherBalances([owner, vault], [100n, -100n]);
    await expect(vault.deposit({ value: 7n })).to.changeEtherBalance(vault, 7n);
    await expect(token.transfer(other, 40n)).to.changeTokenBalances(token, [owner, other], [-40n, 40n]);
    await expect(token.transfer(other, 2n)).to.changeTokenBalance(token, other, 2n);
  });

  it('recognises a custom error of a token', async () => {
    await expect(token.connect(other).transfer(owner, 3n))
      .to.be.revertedWithCustomError(token, 'ERC20InsufficientBalance')
      .withArgs(other.address, 0n, 3n);
  });

  it('signs with accounts of the node', async () => {
    const signature = await owner.signMessage('hello');
    expect(ethers.verifyMessage('hello', signature)).to.equal(owner.address);
    const domain = { name: 'Test', chainId: 33 };
    const types = { Vote: [{ name: 'yes', type: 'bool' }] };
    const typed = await owner.signTypedData(domain, types, { yes: true });
    expect(ethers.verifyTypedData(domain, types, { yes: true }, typed)).to.equal(owner.address);
  });
});
