import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { DEV_ACCOUNTS } from '../../support/dev-accounts.ts';
import { startNode } from '../../support/node-process.ts';
import { startServiceFork } from '../../support/service-fork.ts';
import { recipe } from '../readme-recipe.ts';
import { copyProject, install, type ToolProject, testCounts } from '../tool-project.ts';
import { addFailing, compareFailures } from './compare-failures.ts';

/** In milliseconds. */
const MAX_INSTALL_TIME = 600_000;
const MAX_RUN_TIME = 900_000;

/** A test file of the project and its number of tests. */
const VAULT = { file: 'test/vault.js', tests: 9 };
const OSAKA = { file: 'test/widths.js', tests: 1 };

let project: ToolProject;

// Hardhat 3 does not run with Node 20.
beforeAll(async () => {
  await install('hardhat/node-22');
  await install('hardhat/hardhat-3', 'hardhat/node-22');
  project = copyProject('hardhat/hardhat-3', 'hardhat/node-22');
  addFailing(project);
  return () => project.remove();
}, MAX_INSTALL_TIME);

it.each([
  { options: [], network: 'localhost', suites: [VAULT] },
  { options: [], network: 'node33', suites: [VAULT] },
  { options: ['--compat', 'anvil'], network: 'node33', suites: [VAULT] },
  { options: ['--hardfork', 'latest'], network: 'localhost', suites: [VAULT, OSAKA] },
])(
  'the tests of a Hardhat 3 project pass with the options $options on the network $network',
  async ({ options, network, suites }) => {
    const node = await startNode(...options);
    try {
      const files = suites.map(({ file }) => file);
      const run = project.start('hardhat', ['test', 'nodejs', ...files, '--network', network], node.url);
      const { code, output } = await run.ended;
      const passing = suites.reduce((sum, { tests }) => sum + tests, 0);
      const expected = { code: 0, passing, failing: 0, pending: 0 };
      expect({ code, ...testCounts(output) }, output).toEqual(expected);
    } finally {
      await node.stop();
    }
  },
  MAX_RUN_TIME,
);

const TYPE_SCRIPT = `import { network } from 'hardhat';
const { viem } = await network.connect();
const [wallet] = await viem.getWalletClients();
const hash = await wallet.sendTransaction({ to: '0x00000000000000000000000000000000000a11ce', value: 1n });
const { type, effectiveGasPrice } = await (await viem.getPublicClient()).waitForTransactionReceipt({ hash });
console.log('type ' + type + ', price ' + effectiveGasPrice);
`;

it.each(['node33', 'keyed'])(
  'sends type 2 under rootstock-next by itself on the network %s, at no less than the minimum gas price',
  async (network) => {
    const accounts = JSON.stringify([DEV_ACCOUNTS[1].privateKey]);
    writeFileSync(join(project.directory, 'type.js'), TYPE_SCRIPT);
    const keyed = `{ ...config.networks.node33, accounts: ${accounts} }`;
    const config = `import config from './hardhat.config.js';
export default { ...config, networks: { ...config.networks, keyed: ${keyed} } };`;
    writeFileSync(join(project.directory, 'keyed.config.js'), config);
    const node = await startNode('--hardfork', 'rootstock-next', '--min-gas-price', '60000000');
    try {
      const args = ['--config', 'keyed.config.js', 'run', '--no-compile', 'type.js', '--network', network];
      const { code, output } = await project.start('hardhat', args, node.url).ended;
      expect(code, output).toBe(0);
      const [, type, price] = /type (\w+), price (\d+)/.exec(output) ?? [];
      const expected = { type: 'eip1559', isEnough: true };
      expect({ type, isEnough: Number(price) >= 60_000_000 }, output).toEqual(expected);
    } finally {
      await node.stop();
    }
  },
  MAX_RUN_TIME,
);

it(
  'the tests of a Hardhat 3 project pass on a fork of a service with few methods',
  async () => {
    const upstream = await startNode();
    onTestFinished(() => upstream.stop());
    const fork = await startServiceFork(upstream.url);
    onTestFinished(() => fork.stop());
    const run = project.start('hardhat', ['test', 'nodejs', VAULT.file, '--network', 'node33'], fork.url);
    const { code, output } = await run.ended;
    const expected = { code: 0, passing: VAULT.tests, failing: 0, pending: 0 };
    expect({ code, ...testCounts(output) }, output).toEqual(expected);
  },
  MAX_RUN_TIME,
);

it(
  'runs a Hardhat 3 suite with the configuration of the README',
  async () => {
    const own = readFileSync(join(project.directory, 'hardhat.config.js'), 'utf8');
    const networks = / {2}networks: \{[\s\S]*?\n {2}\},\n/;
    const config = own.replace(networks, '  networks: recipe.networks,\n');
    writeFileSync(join(project.directory, 'recipe.js'), recipe('Hardhat 3'));
    writeFileSync(
      join(project.directory, 'readme.config.js'),
      `import recipe from './recipe.js';\n${config}`,
    );
    const node = await startNode();
    try {
      const task = ['--config', 'readme.config.js', 'test', 'nodejs', VAULT.file, '--network', 'node33'];
      const { code, output } = await project.start('hardhat', task, node.url).ended;
      expect(code, output).toBe(0);
      expect(testCounts(output)).toMatchObject({ failing: 0, passing: VAULT.tests });
    } finally {
      await node.stop();
    }
  },
  MAX_RUN_TIME,
);

it(
  'Hardhat 3 shows the same frames of failed contracts as in process, except for the listed differences',
  () => compareFailures(project, ['test', 'nodejs']),
  MAX_RUN_TIME,
);
