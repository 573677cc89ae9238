import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { network } from 'hardhat';
import { getAddress, parseEther } from 'viem';

const YEAR = 365 * 24 * 60 * 60;

/** At least a year after `time`, without a byte of zero: then the gas of a deployment depends on no clock. */
const unlockTimeAfter = (time) => (Math.floor((time + YEAR) / 2 ** 24) + 1) * 2 ** 24 - 1;
const STRANGER = '0x00000000000000000000000000000000000a11ce';

describe('hardhat-viem and hardhat-network-helpers', async () => {
  const { viem, networkHelpers } = await network.create();
  const reader = await viem.getPublicClient();
  const controls = await viem.getTestClient();
  const [owner, other] = await viem.getWalletClients();

  async function deployVault() {
    const unlockTime = BigInt(unlockTimeAfter(await networkHelpers.time.latest()));
    const vault = await viem.deployContract('Vault', [unlockTime], { value: 100n });
    return { vault, unlockTime };
  }

  it('deploys a contract with arguments and value', async () => {
    const { vault, unlockTime } = await networkHelpers.loadFixture(deployVault);
    assert.equal(await vault.read.unlockTime(), unlockTime);
    assert.equal(await vault.read.owner(), getAddress(owner.account.address));
    assert.equal(await reader.getBalance({ address: vault.address }), 100n);
  });

  it('writes, waits for the receipt and finds the event', async () => {
    const { vault } = await networkHelpers.loadFixture(deployVault);
    const hash = await vault.write.deposit({ value: 5n });
    assert.equal((await reader.waitForTransactionReceipt({ hash })).status, 'success');
    const [event] = await vault.getEvents.Deposited();
    assert.deepEqual(event.args, { from: getAddress(owner.account.address), amount: 5n });
  });

  it('decodes reasons and custom errors', async () => {
    const { vault } = await networkHelpers.loadFixture(deployVault);
    await assert.rejects(vault.write.withdraw(), /Locked/);
    await assert.rejects(vault.simulate.withdraw({ account: other.account }), /NotOwner/);
  });

  it('changes the time', async () => {
    const { vault, unlockTime } = await networkHelpers.loadFixture(deployVault);
    await networkHelpers.time.increaseTo(unlockTime);
    assert.equal(await networkHelpers.time.latest(), Number(unlockTime));
    await vault.write.withdraw();
    assert.equal(await reader.getBalance({ address: vault.address }), 0n);
    const later = Number(unlockTime) + 500;
    await networkHelpers.time.setNextBlockTimestamp(later);
    await networkHelpers.mine();
    assert.equal(await networkHelpers.time.latest(), later);
    assert.equal(await networkHelpers.time.increase(60), later + 60);
  });

  it('restores the state of a fixture', async () => {
    const first = await networkHelpers.loadFixture(deployVault);
    await first.vault.write.deposit({ value: 5n });
    const second = await networkHelpers.loadFixture(deployVault);
    assert.equal(second, first);
    assert.equal(await reader.getBalance({ address: first.vault.address }), 100n);
  });

  it('mines blocks', async () => {
    const height = await networkHelpers.time.latestBlock();
    await networkHelpers.mine(1000, { interval: 12 });
    assert.equal(await networkHelpers.time.latestBlock(), height + 1000);
    await networkHelpers.mineUpTo(height + 2000);
    assert.equal(await networkHelpers.time.latestBlock(), height + 2000);
  });

  it('sets properties of an account, and impersonates it', async () => {
    await networkHelpers.setBalance(STRANGER, parseEther('1'));
    await networkHelpers.setNonce(STRANGER, 7);
    await networkHelpers.setCode(STRANGER, '0x602a60005260206000f3');
    await networkHelpers.setStorageAt(STRANGER, 3, 99);
    assert.equal(BigInt(await networkHelpers.getStorageAt(STRANGER, 3)), 99n);
    assert.equal(BigInt((await reader.call({ to: STRANGER })).data), 42n);
    await networkHelpers.setCode(STRANGER, '0x');
    await networkHelpers.impersonateAccount(STRANGER);
    const stranger = await viem.getWalletClient(STRANGER);
    const hash = await stranger.sendTransaction({ to: other.account.address, value: 1n });
    assert.equal((await reader.getTransaction({ hash })).nonce, 7);
    await networkHelpers.stopImpersonatingAccount(STRANGER);
  });

  it('restores snapshots', async () => {
    const balance = await reader.getBalance({ address: other.account.address });
    const snapshot = await networkHelpers.takeSnapshot();
    await owner.sendTransaction({ to: other.account.address, value: 1n });
    await snapshot.restore();
    assert.equal(await reader.getBalance({ address: other.account.address }), balance);
  });

  it('controls mining with the viem test client, in seconds', async () => {
    await controls.setAutomine(false);
    const hash = await owner.sendTransaction({ to: other.account.address, value: 1n });
    await assert.rejects(reader.getTransactionReceipt({ hash }));
    assert.equal(await networkHelpers.dropTransaction(hash), true);
    await controls.setAutomine(true);
    await controls.setIntervalMining({ interval: 3600 });
    assert.equal(await reader.request({ method: 'anvil_getIntervalMining' }), 3600);
    await controls.setIntervalMining({ interval: 0 });
    // As in Anvil, any interval ends automine, even 0. In compat anvil, the node returns a number.
    const isAnvil = typeof (await reader.request({ method: 'evm_increaseTime', params: [0] })) === 'number';
    assert.equal(await controls.getAutomine(), !isAnvil);
    await controls.setAutomine(true);
  });
});
