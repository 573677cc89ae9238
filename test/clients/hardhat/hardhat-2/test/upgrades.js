const { expect } = require('chai');
const { ethers, upgrades } = require('hardhat');

describe('hardhat-upgrades', () => {
  it('deploys a transparent proxy and upgrades it', async () => {
    const Counter = await ethers.getContractFactory('Counter');
    const counter = await upgrades.deployProxy(Counter, [5n]);
    await counter.increment();
    const implementation = await upgrades.erc1967.getImplementationAddress(await counter.getAddress());
    const upgraded = await upgrades.upgradeProxy(counter, await ethers.getContractFactory('CounterV2'));
    expect(await upgraded.getAddress()).to.equal(await counter.getAddress());
    expect(await upgrades.erc1967.getImplementationAddress(await counter.getAddress())).not.to.equal(
      implementation,
    );
    await upgraded.decrement();
    expect(await upgraded.count()).to.equal(5n);
    expect(await upgraded.decrements()).to.equal(1n);
  });

  it('rejects an upgrade that moves storage', async () => {
    const counter = await upgrades.deployProxy(await ethers.getContractFactory('Counter'), [5n]);
    const Moved = await ethers.getContractFactory('CounterMoved');
    await expect(upgrades.upgradeProxy(counter, Moved)).to.be.rejectedWith(
      'New storage layout is incompatible',
    );
  });

  it('deploys a UUPS proxy and upgrades it', async () => {
    const box = await upgrades.deployProxy(await ethers.getContractFactory('Box'), [21n], { kind: 'uups' });
    expect(await box.version()).to.equal('1');
    const upgraded = await upgrades.upgradeProxy(box, await ethers.getContractFactory('BoxV2'));
    await upgraded.double();
    expect(await upgraded.version()).to.equal('2');
    expect(await upgraded.value()).to.equal(42n);
  });

  it('rejects an upgrade of a UUPS proxy by another account', async () => {
    const [, other] = await ethers.getSigners();
    const box = await upgrades.deployProxy(await ethers.getContractFactory('Box'), [1n], { kind: 'uups' });
    const BoxV2 = await ethers.getContractFactory('BoxV2', other);
    await expect(upgrades.upgradeProxy(box, BoxV2)).to.be.revertedWithCustomError(box, 'NotOwner');
  });

  it('deploys a beacon with two proxies and upgrades both', async () => {
    const Counter = await ethers.getContractFactory('Counter');
    const beacon = await upgrades.deployBeacon(Counter);
    const first = await upgrades.deployBeaconProxy(beacon, Counter, [1n]);
    const second = await upgrades.deployBeaconProxy(beacon, Counter, [2n]);
    const CounterV2 = await ethers.getContractFactory('CounterV2');
    await upgrades.upgradeBeacon(beacon, CounterV2);
    for (const proxy of [first, second]) await CounterV2.attach(proxy).decrement();
    expect([await first.count(), await second.count()]).to.deep.equal([0n, 1n]);
  });

  it('reuses an implementation that is already deployed', async () => {
    const Counter = await ethers.getContractFactory('Counter');
    const addresses = [];
    for (const start of [1n, 2n]) {
      const counter = await upgrades.deployProxy(Counter, [start]);
      addresses.push(await upgrades.erc1967.getImplementationAddress(await counter.getAddress()));
    }
    expect(addresses[0]).to.equal(addresses[1]);
  });
});
