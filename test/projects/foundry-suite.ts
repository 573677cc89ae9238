import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TestResult } from './compare.ts';
import { freePort, type NodeCommand, startMeasured } from './nodes.ts';
import { runProgram, runToSuccess } from './run-program.ts';
import type { NodeName, RunSuite, Setup, SuiteRun } from './suite.ts';
import { installCompilers } from './workspace.ts';

const CLIENTS = resolve('test/clients');
const FORGE = join(CLIENTS, 'foundry/node_modules/.bin/forge');
const HARDHAT_MODULES = join(CLIENTS, 'hardhat/hardhat-2/node_modules');
const NODE_CLI = resolve('bin/node-cli.js');
const OUTPUT_LENGTH = 3_000;
const DEFAULT_VERSION = '0.8.30';

interface ForgeSuite {
  readonly test_results: Readonly<
    Record<string, { readonly status: 'Success' | 'Failure' | 'Skipped'; readonly reason: string | null }>
  >;
}

const STATES = { Success: 'passed', Failure: 'failed', Skipped: 'skipped' } as const;

/** The results in the output of `forge test --json`. */
export function forgeResults(output: string): readonly TestResult[] {
  const line = output.split('\n').find((text) => text.startsWith('{')) ?? '{}';
  const suites: Record<string, ForgeSuite> = JSON.parse(line);
  return Object.entries(suites).flatMap(([suite, { test_results }]) =>
    Object.entries(test_results).map(([test, { status, reason }]) => ({
      name: `${suite}: ${test}`,
      state: STATES[status],
      ...(status === 'Failure' && { message: reason ?? '' }),
    })),
  );
}

/** Installs the packages of a client test, unless they are installed. */
async function installClient(name: string): Promise<void> {
  const directory = join(CLIENTS, name);
  if (existsSync(join(directory, 'node_modules'))) return;
  await runToSuccess('npm', ['ci', '--ignore-scripts'], { directory });
}

/** Writes a program with the options of the Solidity command that forge uses. */
function writeCompiler(folder: string, version: string): string {
  const file = join(folder, `solc-${version}.cjs`);
  const modules = JSON.stringify(join(folder, 'node_modules', `solc-${version}`));
  writeFileSync(
    file,
    `#!/usr/bin/env node
const { version } = require(${modules} + '/package.json');
if (process.argv.includes('--standard-json')) {
  const input = require('node:fs').readFileSync(0, 'utf8');
  process.stdout.write(require(${modules}).compile(input));
} else process.stdout.write('solc, the solidity compiler commandline interface\\nVersion: ' + version + '\\n');
`,
  );
  chmodSync(file, 0o755);
  return file;
}

/**
 * Prepares the suite of a Foundry project. forge has its own EVM, so the suite runs on a fork of the node: the
 * node serves chain id, blocks, accounts, code and storage.
 */
export async function prepareFoundry(setup: Setup): Promise<RunSuite> {
  const { workspace, compilers, runtime } = setup;
  const { directory } = workspace;
  await installClient('foundry');
  await installClient('hardhat/hardhat-2');
  const settings = JSON.parse(await runToSuccess(FORGE, ['config', '--json'], { directory }));
  const version = /^\d+\.\d+\.\d+$/.test(settings.solc ?? '') ? settings.solc : DEFAULT_VERSION;
  await installCompilers(compilers, [version]);
  const env = {
    ...process.env,
    ...setup.env,
    FOUNDRY_SOLC: writeCompiler(compilers, version),
    FOUNDRY_OFFLINE: 'true',
    FOUNDRY_AUTO_DETECT_SOLC: 'false',
    FOUNDRY_NO_STORAGE_CACHING: 'true',
    FOUNDRY_DISABLE_NIGHTLY_WARNING: 'true',
  };
  await runToSuccess(FORGE, ['build'], { directory, env });
  const nodeDirectory = join(directory, 'projects-output');
  mkdirSync(nodeDirectory, { recursive: true });
  // Hardhat runs only from the packages of its project.
  const modules = join(nodeDirectory, 'node_modules');
  if (!existsSync(modules)) symlinkSync(HARDHAT_MODULES, modules, 'dir');
  writeFileSync(join(nodeDirectory, 'hardhat.config.js'), `module.exports = { solidity: '${version}' };\n`);

  function command(node: NodeName, port: number): NodeCommand {
    const at = ['--port', `${port}`];
    const shared = { directory: nodeDirectory, env };
    if (node === 'node-cli') {
      const options = ['--chain-id', '31337', '--hardfork', 'prague', '--no-predeploys'];
      return { program: runtime, args: [NODE_CLI, 'start', ...at, ...options], ...shared };
    }
    return { program: join(modules, '.bin/hardhat'), args: ['node', ...at], ...shared };
  }

  return async (node): Promise<SuiteRun> => {
    const port = await freePort();
    const server = await startMeasured(command(node, port), port);
    const args = ['test', '--json', '--fuzz-seed', '1', '--fork-url', server.url, ...setup.suiteArgs];
    const begin = performance.now();
    const { output, complaints, isLate } = await runProgram(FORGE, args, {
      directory,
      env,
      limit: setup.limit,
    });
    const seconds = (performance.now() - begin) / 1_000;
    const usage = await server.stop();
    const results = isLate ? [] : forgeResults(output);
    return { results, usage, seconds, isLate, output: `${output}${complaints}`.slice(-OUTPUT_LENGTH) };
  };
}
