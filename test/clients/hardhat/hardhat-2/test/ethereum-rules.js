const helpers = require('@nomicfoundation/hardhat-network-helpers');
const { expect } = require('chai');
const { ethers, network } = require('hardhat');

// Features that require the rules of an Ethereum hardfork.
describe('hardhat-network-helpers under Ethereum rules', () => {
  it('sets the base fee of the next block', async () => {
    const [holder, other] = await ethers.getSigners();
    await helpers.setNextBlockBaseFeePerGas(5_000_000_000n);
    const sent = await holder.sendTransaction({ to: other, value: 1n });
    const block = await ethers.provider.getBlock((await sent.wait()).blockNumber);
    expect(block.baseFeePerGas).to.equal(5_000_000_000n);
    expect(sent.type).to.equal(2);
  });

  it('sets PREVRANDAO of the next block', async () => {
    await helpers.setPrevRandao(1234);
    await helpers.mine();
    // The header stores PREVRANDAO in the former mix hash field (EIP-4399).
    const { mixHash } = await network.provider.send('eth_getBlockByNumber', ['latest', false]);
    expect(BigInt(mixHash)).to.equal(1234n);
  });

  it('measures balance changes with and without the fee', async () => {
    const [holder, other] = await ethers.getSigners();
    const transfer = { to: other, value: 9n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
    await expect(holder.sendTransaction(transfer)).to.changeEtherBalances([holder, other], [-9n, 9n]);
    const sent = await holder.sendTransaction(transfer);
    const { fee } = await sent.wait();
    await expect(() => sent).to.changeEtherBalance(holder, -9n - fee, { includeFee: true });
  });
});
