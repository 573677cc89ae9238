// A hundred tests of tokens with viem, each on a fresh system of contracts. If NODE_URL is set, each test
// reverts that node to a snapshot; otherwise, it forks a node of the library.
import { readFileSync } from 'node:fs';
import { createPublicClient, createWalletClient, custom, http } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const TESTS_PER_GROUP = 25;
const CAP = 10n ** 24n;
const MINTED = 10n ** 21n;

const url = process.env.NODE_URL;
const { createNode } = url === undefined ? await import('../../../../bin/index.mjs') : {};
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

let base;
let deployed;
let accounts;
let snapshot;

async function deployTokens({ request, deploy }) {
  accounts = await request('eth_accounts');
  const [admin, alice] = accounts;
  const shares = await deploy('Shares', admin, [admin, CAP]);
  await shares.send(admin, 'grantRole', await shares.read('MINTER'), admin);
  await shares.send(admin, 'mint', alice, MINTED);
  const deeds = await deploy('Deeds', admin, [admin]);
  return { shares: shares.address, deeds: deeds.address };
}

beforeAll(async () => {
  base = url === undefined ? await createNode() : null;
  deployed = await deployTokens(system(url === undefined ? inProcess(base) : http(url)));
});

afterAll(() => base?.close());

let fork;
let shares;
let deeds;

beforeEach(async () => {
  fork = await base?.fork();
  const { request, at } = system(url === undefined ? inProcess(fork) : http(url));
  shares = at(deployed.shares, artifactOf('Shares').abi);
  deeds = at(deployed.deeds, artifactOf('Deeds').abi);
  if (url === undefined) return () => fork.close();
  snapshot = await request('evm_snapshot');
  return () => request('evm_revert', [snapshot]);
});

const GROUPS = {
  'transfers shares': async (n) => {
    const [, alice, bob] = accounts;
    await shares.send(alice, 'transfer', bob, n);
    expect(await shares.read('balanceOf', bob)).toBe(n);
    expect(await shares.read('balanceOf', alice)).toBe(MINTED - n);
  },
  'spends an allowance': async (n) => {
    const [, alice, bob, carol] = accounts;
    await shares.send(alice, 'approve', bob, n);
    await shares.send(bob, 'transferFrom', alice, carol, n);
    expect(await shares.read('balanceOf', carol)).toBe(n);
  },
  'refuses to send more than there is': async (n) => {
    const [, , bob, carol] = accounts;
    await expect(shares.simulate(bob, 'transfer', carol, n)).rejects.toThrow();
  },
  'moves deeds': async (n) => {
    const [admin, alice, bob] = accounts;
    await deeds.send(admin, 'mint', alice, n);
    await deeds.send(alice, 'transferFrom', alice, bob, n);
    expect((await deeds.read('ownerOf', n)).toLowerCase()).toBe(bob.toLowerCase());
  },
};

for (const [words, test] of Object.entries(GROUPS)) {
  describe(words, () => {
    for (let index = 1; index <= TESTS_PER_GROUP; index++) {
      it(`amount ${index}`, () => test(BigInt(index) * 1_000n));
    }
  });
}
