// A hundred tests of tokens on OpenZeppelin's contracts, each with a fresh system of them, as most projects write theirs.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { network } from 'hardhat';
import { readArtifact } from './read-artifact.js';

const TESTS_PER_GROUP = 20;
const CAP = 10n ** 24n;
const MINTED = 10n ** 21n;

const { viem, networkHelpers } = await network.connect();
const [admin, alice, bob, carol] = await viem.getWalletClients();
const client = await viem.getPublicClient();

/** Deploys a contract and gives a function that reads it and one that sends as one of the accounts. */
async function deploy(name, args) {
  const { abi, bytecode } = readArtifact(name);
  const hash = await admin.deployContract({ abi, bytecode, args });
  const { contractAddress: address } = await client.waitForTransactionReceipt({ hash, pollingInterval: 5 });
  return {
    address,
    read: (functionName, ...given) => client.readContract({ abi, address, functionName, args: given }),
    send: async (wallet, functionName, ...given) => {
      const sent = await wallet.writeContract({ abi, address, functionName, args: given });
      return client.waitForTransactionReceipt({ hash: sent, pollingInterval: 5 });
    },
    simulate: ({ account }, functionName, ...given) =>
      client.simulateContract({ abi, address, account, functionName, args: given }),
  };
}

async function deployTokens() {
  const shares = await deploy('Shares', [admin.account.address, CAP]);
  await shares.send(admin, 'grantRole', await shares.read('MINTER'), admin.account.address);
  await shares.send(admin, 'mint', alice.account.address, MINTED);
  const deeds = await deploy('Deeds', [admin.account.address]);
  const vault = await deploy('Vault', [shares.address]);
  await shares.send(alice, 'approve', vault.address, MINTED);
  return { shares, deeds, vault };
}

const [ALICE, BOB, CAROL] = [alice, bob, carol].map(({ account }) => account.address);

const GROUPS = {
  'transfers shares': async ({ shares }, n) => {
    await shares.send(alice, 'transfer', BOB, n);
    assert.equal(await shares.read('balanceOf', BOB), n);
    assert.equal(await shares.read('balanceOf', ALICE), MINTED - n);
  },
  'spends an allowance': async ({ shares }, n) => {
    await shares.send(alice, 'approve', BOB, n);
    await shares.send(bob, 'transferFrom', ALICE, CAROL, n);
    assert.equal(await shares.read('balanceOf', CAROL), n);
  },
  'refuses to send more than there is': async ({ shares }, n) => {
    await assert.rejects(shares.simulate(bob, 'transfer', CAROL, n));
  },
  'moves deeds': async ({ deeds }, n) => {
    await deeds.send(admin, 'mint', ALICE, n);
    await deeds.send(alice, 'transferFrom', ALICE, BOB, n);
    assert.equal((await deeds.read('ownerOf', n)).toLowerCase(), BOB.toLowerCase());
  },
  'pays back what a vault took': async ({ shares, vault }, n) => {
    await vault.send(alice, 'deposit', n, ALICE);
    await shares.send(admin, 'mint', vault.address, n);
    await networkHelpers.mine();
    await vault.send(alice, 'redeem', await vault.read('balanceOf', ALICE), ALICE, ALICE);
    assert.ok((await shares.read('balanceOf', ALICE)) >= MINTED);
  },
};

for (const [words, test] of Object.entries(GROUPS)) {
  describe(words, () => {
    for (let index = 1; index <= TESTS_PER_GROUP; index++) {
      it(`amount ${index}`, async () =>
        test(await networkHelpers.loadFixture(deployTokens), BigInt(index) * 1_000n));
    }
  });
}
