import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { startNode } from '../support/node-process.ts';
import { copyProject, install, type ToolProject, testCounts } from './tool-project.ts';

/** In milliseconds. */
const LONG = 900_000;

const README = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');

/** Foundry's packages contain the programs of one system each. */
const HAS_FOUNDRY = process.platform === 'linux' && process.arch === 'x64';

/** Returns the code of the README's recipe with that title. */
function recipe(title: string): string {
  const [, section = ''] = README.split(`**${title}**`);
  return /```\w+\n([\s\S]*?)```/.exec(section)?.[1] ?? expect.unreachable(`no recipe ${title}`);
}

async function openProject(name: string, runtime?: string): Promise<ToolProject> {
  if (runtime !== undefined) await install(runtime);
  await install(name, runtime);
  const project = copyProject(name, runtime);
  onTestFinished(() => project.remove());
  return project;
}

/** Runs a program of the project on a new node, whose URL is in NODE_CLI_URL, and returns its output. */
async function run(project: ToolProject, program: string, ...args: readonly string[]): Promise<string> {
  const node = await startNode();
  onTestFinished(() => node.stop());
  const { code, output } = await project.start(program, args, node.url).ended;
  expect(code, output).toBe(0);
  return output;
}

it(
  'runs a Hardhat 2 suite with the configuration of the README',
  async () => {
    const project = await openProject('hardhat/hardhat-2');
    const path = join(project.directory, 'hardhat.config.js');
    const [plugins = ''] = readFileSync(path, 'utf8').split('const url =');
    writeFileSync(join(project.directory, 'recipe.js'), recipe('Hardhat 2'));
    // The compiler comes from the npm package, because the tests cannot download one.
    writeFileSync(
      path,
      `${plugins}\nmodule.exports = { ...require('./recipe.js'), solidity: solc.version };\n`,
    );

    const output = await run(project, 'hardhat', 'test', 'test/matchers.js', '--network', 'node33');

    expect(testCounts(output)).toMatchObject({ failing: 0, passing: 10 });
  },
  LONG,
);

it(
  'runs a Hardhat 3 suite with the configuration of the README',
  async () => {
    const project = await openProject('hardhat/hardhat-3', 'hardhat/node-22');
    const path = join(project.directory, 'hardhat.config.js');
    const own = readFileSync(path, 'utf8').replace(
      / {2}networks: \{[\s\S]*?\n {2}\},\n/,
      '  networks: recipe.networks,\n',
    );
    writeFileSync(join(project.directory, 'recipe.js'), recipe('Hardhat 3'));
    writeFileSync(path, `import recipe from './recipe.js';\n${own}`);

    const output = await run(project, 'hardhat', 'test', 'test/vault.js', '--network', 'node33');

    expect(testCounts(output).failing).toBe(0);
    expect(testCounts(output).passing).toBeGreaterThan(0);
  },
  LONG,
);

it.skipIf(!HAS_FOUNDRY)(
  'runs the commands of the README in a Foundry project',
  async () => {
    const project = await openProject('foundry');
    const counter = 'contract Counter { uint256 public number; function increment() external { number++; } }';
    writeFileSync(join(project.directory, 'src', 'Counter.sol'), `pragma solidity ^0.8.0;\n${counter}\n`);
    writeFileSync(join(project.directory, 'recipe.sh'), `set -e\n${recipe('Foundry')}`);

    const output = await run(project, 'sh', 'recipe.sh');

    expect(output).toContain('Deployed to: 0x');
    expect(output).toMatch(/status +1 \(success\)/);
  },
  LONG,
);
