import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JsonRpcProvider } from 'ethers';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEV_ACCOUNTS } from '../../support/dev-accounts.ts';
import { type RunningNode, startNode } from '../../support/node-process.ts';
import { recipe } from '../readme-recipe.ts';
import { copyProject, install, type Run, type ToolProject, testCounts } from '../tool-project.ts';
import { addFailing, compareFailures } from './compare-failures.ts';

/** In milliseconds. */
const MAX_INSTALL_TIME = 600_000;
const MAX_RUN_TIME = 900_000;

/** A test file of the project and its number of tests. */
interface Suite {
  readonly file: string;
  readonly tests: number;
}

const MATCHERS: Suite = { file: 'test/matchers.js', tests: 10 };
const NETWORK_HELPERS: Suite = { file: 'test/network-helpers.js', tests: 9 };
const UPGRADES: Suite = { file: 'test/upgrades.js', tests: 6 };
const UPGRADES_AFTER_REVERT: Suite = { file: 'test/upgrades-after-revert.js', tests: 1 };
const ETHEREUM_RULES: Suite = { file: 'test/ethereum-rules.js', tests: 3 };
const ALL = [MATCHERS, NETWORK_HELPERS, UPGRADES, UPGRADES_AFTER_REVERT];

let project: ToolProject;

// All tests share one copy and its contracts, so that one compilation suffices.
beforeAll(async () => {
  await install('hardhat/hardhat-2');
  project = copyProject('hardhat/hardhat-2');
  addFailing(project);
  return () => project.remove();
}, MAX_INSTALL_TIME);

/** A network of the project's config; all of them are the same node. */
type Network = 'node33' | 'localhost';

function hardhat(node: RunningNode, network: Network, ...args: readonly string[]): Run {
  return project.start('hardhat', [...args, '--network', network], node.url);
}

describe('the suites of a Hardhat 2 project', () => {
  it.each<{ options: readonly string[]; network: Network; suites: readonly Suite[] }>([
    { options: [], network: 'node33', suites: ALL },
    // On a network with this name, hardhat-ethers sends without an estimate, so the send must report a
    // revert.
    { options: [], network: 'localhost', suites: ALL },
    { options: ['--hardfork', 'cancun'], network: 'node33', suites: [...ALL, ETHEREUM_RULES] },
    { options: ['--compat', 'anvil'], network: 'node33', suites: ALL },
    { options: ['--compat', 'service'], network: 'node33', suites: ALL },
  ])(
    'pass with the options $options on the network $network',
    async ({ options, network, suites }) => {
      const node = await startNode(...options);
      try {
        const files = suites.map(({ file }) => file);
        const { code, output } = await hardhat(node, network, 'test', ...files).ended;
        const passing = suites.reduce((sum, { tests }) => sum + tests, 0);
        expect({ code, ...testCounts(output) }, output).toEqual({ code: 0, passing, failing: 0, pending: 0 });
      } finally {
        await node.stop();
      }
    },
    MAX_RUN_TIME,
  );
});

it(
  'runs a Hardhat 2 suite with the configuration of the README',
  async () => {
    const own = readFileSync(join(project.directory, 'hardhat.config.js'), 'utf8');
    const [plugins = ''] = own.split('const url =');
    writeFileSync(join(project.directory, 'recipe.js'), recipe('Hardhat 2'));
    // The compiler comes from the npm package, because the tests cannot download one.
    const config = `${plugins}\nmodule.exports = { ...require('./recipe.js'), solidity: solc.version };\n`;
    writeFileSync(join(project.directory, 'readme.config.js'), config);
    const node = await startNode();
    try {
      const { code, output } = await hardhat(
        node,
        'node33',
        '--config',
        'readme.config.js',
        'test',
        MATCHERS.file,
      ).ended;
      expect(code, output).toBe(0);
      expect(testCounts(output)).toMatchObject({ failing: 0, passing: MATCHERS.tests });
    } finally {
      await node.stop();
    }
  },
  MAX_RUN_TIME,
);

/** Prints the type and the price of a transaction that Hardhat fills in. */
const TYPE_SCRIPT = `
const { ethers } = require('hardhat');
(async () => {
  const [signer] = await ethers.getSigners();
  const { hash } = await signer.sendTransaction({ to: '0x00000000000000000000000000000000000A11cE', value: 1n });
  const { type, gasPrice } = await ethers.provider.send('eth_getTransactionByHash', [hash]);
  console.log('type ' + Number(type) + ', price ' + Number(gasPrice));
})();
`;

it.each(['node33', 'keyed'])(
  'sends type 2 under rootstock-next by itself on the network %s, at no less than the minimum gas price',
  async (network) => {
    const accounts = JSON.stringify([DEV_ACCOUNTS[1].privateKey]);
    writeFileSync(join(project.directory, 'type.js'), TYPE_SCRIPT);
    const keyed = `{ ...config.networks.node33, accounts: ${accounts} }`;
    const config = `const config = require('./hardhat.config.js');
module.exports = { ...config, networks: { ...config.networks, keyed: ${keyed} } };`;
    writeFileSync(join(project.directory, 'keyed.config.js'), config);
    const node = await startNode('--hardfork', 'rootstock-next', '--min-gas-price', '60000000');
    try {
      const args = ['--config', 'keyed.config.js', 'run', '--no-compile', 'type.js', '--network', network];
      const { code, output } = await project.start('hardhat', args, node.url).ended;
      expect(code, output).toBe(0);
      const [, type, price] = /type (\d+), price (\d+)/.exec(output) ?? [];
      expect({ type, isEnough: Number(price) >= 60_000_000 }, output).toEqual({ type: '2', isEnough: true });
    } finally {
      await node.stop();
    }
  },
  MAX_RUN_TIME,
);

it(
  'shows the same frames of failed contracts as Hardhat in process, except for the listed differences',
  () => compareFailures(project, ['test']),
  MAX_RUN_TIME,
);

describe('Hardhat Ignition', () => {
  const DEPLOYMENT = 'ignition/deployments/chain-33';
  const MODULE = 'ignition/modules/treasury.js';
  let node: RunningNode;
  let provider: JsonRpcProvider;

  beforeEach(async () => {
    node = await startNode();
    provider = new JsonRpcProvider(node.url, undefined, { staticNetwork: true, cacheTimeout: -1 });
  });

  afterEach(async () => {
    provider.destroy();
    await node.stop();
    rmSync(join(project.directory, DEPLOYMENT), { recursive: true, force: true });
  });

  interface JournalEntry {
    readonly type: string;
    readonly futureId?: string;
    readonly hash?: string;
    readonly receipt?: { readonly blockHash: string; readonly contractAddress?: string };
  }

  function readJournal(): readonly JournalEntry[] {
    const path = join(project.directory, DEPLOYMENT, 'journal.jsonl');
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as JournalEntry);
  }

  function readAddresses(): Readonly<Record<string, string>> {
    return JSON.parse(readFileSync(join(project.directory, DEPLOYMENT, 'deployed_addresses.json'), 'utf8'));
  }

  async function deploy(): Promise<string> {
    const { code, output } = await hardhat(node, 'node33', 'ignition', 'deploy', MODULE).ended;
    expect(code, output).toBe(0);
    return output;
  }

  /** Compares the journal with the chain: the blocks of the four transactions, and both contracts. */
  async function checkDeployment(): Promise<void> {
    const confirmed = readJournal().filter(({ type }) => type === 'TRANSACTION_CONFIRM');
    expect(confirmed.map(({ futureId }) => futureId)).toEqual([
      'Treasury#Token',
      'Treasury#Treasury',
      'Treasury#Token.transfer',
      'Treasury#Treasury.setBudget',
    ]);
    const addresses = readAddresses();
    for (const { futureId, hash, receipt } of confirmed) {
      const mined = await provider.getTransactionReceipt(hash ?? '');
      expect(mined).toMatchObject({ status: 1, blockHash: receipt?.blockHash });
      if (receipt?.contractAddress === undefined) continue;
      expect(addresses[futureId ?? '']).toBe(receipt.contractAddress);
      expect(await provider.getCode(receipt.contractAddress)).not.toBe('0x');
    }
    expect(Object.keys(addresses)).toEqual(['Treasury#Token', 'Treasury#Treasury']);
    expect(await provider.getTransactionCount(DEV_ACCOUNTS[0].address)).toBe(4);
  }

  it(
    'deploys a module of two contracts, and changes nothing when it is deployed again',
    async () => {
      expect(await deploy()).toContain('[ Treasury ] successfully deployed');
      await checkDeployment();
      expect(await deploy()).toContain('[ Treasury ] Nothing new to deploy');
      await checkDeployment();
    },
    MAX_RUN_TIME,
  );

  it(
    'continues a deployment that was interrupted while its first transaction was pending',
    async () => {
      await provider.send('evm_setAutomine', [false]);
      const interrupted = hardhat(node, 'node33', 'ignition', 'deploy', MODULE);
      await vi.waitFor(() => expect(readJournal().map(({ type }) => type)).toContain('TRANSACTION_SEND'), {
        timeout: MAX_RUN_TIME / 2,
        interval: 50,
      });
      interrupted.process.kill('SIGKILL');
      await interrupted.ended;
      await provider.send('evm_setAutomine', [true]);
      await provider.send('evm_mine', []);
      expect(await deploy()).toContain('[ Treasury ] successfully deployed');
      await checkDeployment();
    },
    MAX_RUN_TIME,
  );
});
