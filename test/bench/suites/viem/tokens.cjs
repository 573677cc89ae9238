// A hundred tests of tokens with viem, each on a fresh system of contracts, for each runner. A node is at NODE_URL or at
// NODE_CLI_URL (the plugin of the runner). Each test reverts that node to a snapshot. Without a URL, each test forks a node of
// the library.
const assert = require('node:assert/strict');
const { readFileSync } = require('node:fs');
const { createPublicClient, createWalletClient, custom, http } = require('viem');

const GROUPS = 4;
const CAP = 10n ** 24n;
const MINTED = 10n ** 21n;

/** Transport of a node in the same process. Without it, viem retries each reverting call. */
const inProcess = (node) => custom(node, { retryCount: 0 });

const artifactOf = (name) =>
  JSON.parse(
    readFileSync(`${process.env.SUITE_PROJECT}/artifacts/contracts/Tokens.sol/${name}.json`, 'utf8'),
  );

/** Returns a scene on a chain behind a transport. */
function system(transport) {
  const client = createPublicClient({ transport, pollingInterval: 5 });
  const wallet = createWalletClient({ transport });
  const request = (method, params = []) => client.request({ method, params });
  const at = (address, abi) => ({
    address,
    read: (functionName, ...args) => client.readContract({ abi, address, functionName, args }),
    send: async (account, functionName, ...args) => {
      const hash = await wallet.writeContract({ abi, address, functionName, args, account, chain: null });
      return client.waitForTransactionReceipt({ hash });
    },
    simulate: (account, functionName, ...args) =>
      client.simulateContract({ abi, address, functionName, args, account }),
  });
  const deploy = async (name, account, args) => {
    const { abi, bytecode } = artifactOf(name);
    const hash = await wallet.deployContract({ abi, bytecode, args, account, chain: null });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    return at(contractAddress, abi);
  };
  return { request, deploy, at };
}

async function deployTokens({ request, deploy }) {
  const accounts = await request('eth_accounts');
  const [admin, alice] = accounts;
  const shares = await deploy('Shares', admin, [admin, CAP]);
  await shares.send(admin, 'grantRole', await shares.read('MINTER'), admin);
  await shares.send(admin, 'mint', alice, MINTED);
  const deeds = await deploy('Deeds', admin, [admin]);
  return { accounts, shares: shares.address, deeds: deeds.address };
}

/** The tests by group. `it` is one test's scene. */
const TESTS = {
  'transfers shares': async ({ shares, accounts: [, alice, bob] }, n) => {
    await shares.send(alice, 'transfer', bob, n);
    assert.equal(await shares.read('balanceOf', bob), n);
    assert.equal(await shares.read('balanceOf', alice), MINTED - n);
  },
  'spends an allowance': async ({ shares, accounts: [, alice, bob, carol] }, n) => {
    await shares.send(alice, 'approve', bob, n);
    await shares.send(bob, 'transferFrom', alice, carol, n);
    assert.equal(await shares.read('balanceOf', carol), n);
  },
  'refuses to send more than there is': async ({ shares, accounts: [, , bob, carol] }, n) => {
    await assert.rejects(shares.simulate(bob, 'transfer', carol, n));
  },
  'moves deeds': async ({ deeds, accounts: [admin, alice, bob] }, n) => {
    await deeds.send(admin, 'mint', alice, n);
    await deeds.send(alice, 'transferFrom', alice, bob, n);
    assert.equal((await deeds.read('ownerOf', n)).toLowerCase(), bob.toLowerCase());
  },
};

/** Adds the tests to a runner: its functions by the names of Mocha. */
exports.addTests = ({ describe, it, before, after, beforeEach, afterEach }) => {
  const count = Number(process.env.SUITE_TESTS ?? 100);
  let url;
  let base = null;
  let deployed;
  let fork = null;
  let snapshot;
  let scene;

  before(async () => {
    url = process.env.NODE_URL ?? process.env.NODE_CLI_URL;
    if (url === undefined) base = await require('../../../../bin/require.cjs').createNode();
    deployed = await deployTokens(system(base === null ? http(url) : inProcess(base)));
  });
  after(() => base?.close());
  beforeEach(async () => {
    fork = base === null ? null : await base.fork();
    const { request, at } = system(fork === null ? http(url) : inProcess(fork));
    const { accounts, shares, deeds } = deployed;
    scene = {
      request,
      accounts,
      shares: at(shares, artifactOf('Shares').abi),
      deeds: at(deeds, artifactOf('Deeds').abi),
    };
    if (fork === null) snapshot = await request('evm_snapshot');
  });
  afterEach(() => (fork === null ? scene.request('evm_revert', [snapshot]) : fork.close()));

  const groups = Object.entries(TESTS);
  for (const [index, [words, test]] of groups.entries()) {
    const size = Math.ceil((count - index) / GROUPS);
    if (size > 0)
      describe(words, () => {
        for (let n = 1; n <= size; n++) it(`amount ${n}`, () => test(scene, BigInt(n) * 1_000n));
      });
  }
};
