// A hundred tests of tokens on OpenZeppelin's contracts, each with a fresh system of them, as most projects write theirs.
const { expect } = require('chai');
const { ethers } = require('hardhat');
const { loadFixture, time } = require('@nomicfoundation/hardhat-network-helpers');

const TESTS_PER_GROUP = 10;
const CAP = 10n ** 24n;
const MINTED = 10n ** 21n;

async function deployed(name, args) {
  const contract = await ethers.deployContract(name, args);
  return contract.waitForDeployment();
}

async function deployTokens() {
  const [admin, alice, bob, carol] = await ethers.getSigners();
  const shares = await deployed('Shares', [admin, CAP]);
  await sent(shares.grantRole(await shares.MINTER(), admin));
  await sent(shares.mint(alice, MINTED));
  const deeds = await deployed('Deeds', [admin]);
  const items = await deployed('Items', [admin]);
  const vault = await deployed('Vault', [shares]);
  await sent(shares.connect(alice).approve(vault, MINTED));
  return { admin, alice, bob, carol, shares, deeds, items, vault };
}

/** Waits for the receipt: not every node mines before it answers. */
const sent = async (sending) => (await sending).wait();

/** Nodes word a revert in different ways, and not all in one that the matchers of Hardhat know. */
async function expectRefusal(calling) {
  const refusal = await calling.then(
    () => null,
    (error) => error,
  );
  expect(refusal).to.be.an('error');
}

const GROUPS = {
  'transfers shares': async ({ shares, alice, bob }, n) => {
    await sent(shares.connect(alice).transfer(bob, n));
    expect(await shares.balanceOf(alice)).to.equal(MINTED - n);
    expect(await shares.balanceOf(bob)).to.equal(n);
  },
  'spends an allowance': async ({ shares, alice, bob, carol }, n) => {
    await sent(shares.connect(alice).approve(bob, n));
    await sent(shares.connect(bob).transferFrom(alice, carol, n));
    expect(await shares.allowance(alice, bob)).to.equal(0n);
    expect(await shares.balanceOf(carol)).to.equal(n);
  },
  'refuses to send more than there is': async ({ shares, bob, carol }, n) => {
    await expectRefusal(shares.connect(bob).transfer.staticCall(carol, n));
  },
  'lets minters alone mint': async ({ shares, alice, bob }, n) => {
    await expectRefusal(shares.connect(alice).mint.staticCall(bob, n));
    const { logs } = await sent(shares.mint(bob, n));
    expect(shares.interface.parseLog(logs[0]).args.value).to.equal(n);
  },
  'moves nothing while it is paused': async ({ shares, alice, bob }, n) => {
    await sent(shares.pause());
    await expectRefusal(shares.connect(alice).transfer.staticCall(bob, n));
    await sent(shares.unpause());
    await sent(shares.connect(alice).transfer(bob, n));
  },
  'takes a permit until it is too late': async ({ shares, alice, bob }, n) => {
    const deadline = BigInt(await time.latest()) + 3_600n;
    const { chainId } = await ethers.provider.getNetwork();
    const domain = { name: 'Shares', version: '1', chainId, verifyingContract: await shares.getAddress() };
    const fields = ['owner', 'spender'].map((name) => ({ name, type: 'address' }));
    const numbers = ['value', 'nonce', 'deadline'].map((name) => ({ name, type: 'uint256' }));
    const permit = { owner: alice.address, spender: bob.address, value: n, nonce: 0n, deadline };
    const signature = await alice.signTypedData(domain, { Permit: [...fields, ...numbers] }, permit);
    const { v, r, s } = ethers.Signature.from(signature);
    await sent(shares.permit(alice, bob, n, deadline, v, r, s));
    expect(await shares.allowance(alice, bob)).to.equal(n);
    await time.increase(3_601);
    await expectRefusal(shares.permit.staticCall(alice, bob, n, deadline, v, r, s));
  },
  'counts votes of the past': async ({ shares, alice, bob }, n) => {
    const { blockNumber } = await sent(shares.connect(alice).delegate(alice));
    await sent(shares.connect(alice).transfer(bob, n));
    expect(await shares.getPastVotes(alice, blockNumber)).to.equal(MINTED);
    expect(await shares.getVotes(alice)).to.equal(MINTED - n);
  },
  'moves deeds': async ({ deeds, alice, bob }, n) => {
    await sent(deeds.mint(alice, n));
    await sent(deeds.connect(alice).transferFrom(alice, bob, n));
    expect(await deeds.ownerOf(n)).to.equal(bob.address);
    await expectRefusal(deeds.connect(alice).transferFrom.staticCall(bob, alice, n));
  },
  'moves batches of items': async ({ items, alice, bob }, n) => {
    const ids = Array.from({ length: 10 }, (_, index) => n + BigInt(index));
    await sent(items.mintBatch(alice, ids, ids));
    await sent(items.connect(alice).safeBatchTransferFrom(alice, bob, ids, ids, '0x'));
    expect(await items.balanceOf(bob, ids[9])).to.equal(ids[9]);
  },
  'pays back what a vault took': async ({ shares, vault, alice }, n) => {
    await sent(vault.connect(alice).deposit(n, alice));
    await sent(shares.mint(vault, n));
    await sent(vault.connect(alice).redeem(await vault.balanceOf(alice), alice, alice));
    expect(await shares.balanceOf(alice)).to.be.greaterThanOrEqual(MINTED);
  },
};

for (const [words, test] of Object.entries(GROUPS)) {
  describe(words, () => {
    for (let index = 1; index <= TESTS_PER_GROUP; index++) {
      it(`amount ${index}`, async () => test(await loadFixture(deployTokens), BigInt(index) * 1_000n));
    }
  });
}
