import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, extname, join, resolve } from 'node:path';
import type { TestResult } from './compare.ts';
import { type NetworkSettings, nodeOptions } from './node-options.ts';
import { freePort, type NodeCommand, startMeasured } from './nodes.ts';
import { runProgram, runToSuccess } from './run-program.ts';
import type { NodeName, RunSuite, Setup, SuiteRun } from './suite.ts';
import { copyForRun, installCompilers } from './workspace.ts';

const WRAPPER = resolve('test/projects/hardhat-config.cjs');
const NODE_CLI = resolve('bin/node-cli.js');
const OUTPUT_LENGTH = 3_000;
/** Hardhat 3 does not print its resolved network; these are its defaults. */
const HARDHAT_3_NETWORK: NetworkSettings = {
  chainId: 31_337,
  hardfork: 'osaka',
  blockGasLimit: 60_000_000,
  allowUnlimitedContractSize: true,
  accounts: {
    mnemonic: 'test test test test test test test test test test test junk',
    path: "m/44'/60'/0'/0/",
    count: 20,
    accountsBalance: '10000000000000000000000',
  },
};

interface ProjectSettings {
  readonly versions: readonly string[];
  readonly network?: NetworkSettings;
  readonly paths?: Readonly<Record<string, string>>;
}

/** Writes the config that wraps the project's config. Returns its file name. */
function writeWrapper({ workspace: { directory, kind, config = '' } }: Setup): string {
  const ending = extname(config);
  const file = `projects.config${ending}`;
  const wrapper = JSON.stringify(WRAPPER);
  const text =
    kind === 'hardhat-2'
      ? `// @ts-nocheck\nconst { wrapHardhat2 } = require(${wrapper});\n` +
        `module.exports = wrapHardhat2(require('./${config}'), require('hardhat/config'));\n`
      : `// @ts-nocheck\nimport wrapper from ${wrapper};\nimport own from './${config}';\n` +
        'export default wrapper.wrapHardhat3(own);\n';
  writeFileSync(join(directory, file), text);
  return file;
}

interface BuildInfo {
  readonly output: { readonly sources?: Readonly<Record<string, { readonly ast?: unknown }>> };
}

/**
 * Copies the compiler outputs that Hardhat's node can read. It does not start if the project has an output of
 * a compiler that returns no `ast`. Returns the folder of the copies.
 */
function copyBuildInfos(directory: string, artifacts: string): string {
  const source = join(artifacts, 'build-info');
  const copies = join(directory, 'projects-output', 'node-artifacts');
  mkdirSync(join(copies, 'build-info'), { recursive: true });
  for (const file of existsSync(source) ? readdirSync(source) : []) {
    const text = readFileSync(join(source, file), 'utf8');
    const { output }: BuildInfo = JSON.parse(text);
    const isReadable = Object.values(output.sources ?? {}).every(({ ast }) => ast !== undefined);
    if (isReadable) writeFileSync(join(copies, 'build-info', file), text);
  }
  return copies;
}

/** Writes a config without plugins for the node, as plugins can change the chain at its start. */
function writeNodeConfig(directory: string, { network, versions, paths }: ProjectSettings): string {
  const file = 'projects-node.config.cjs';
  const { sources, cache, artifacts = join(directory, 'artifacts') } = paths ?? {};
  const config = {
    solidity: versions[0],
    networks: { hardhat: network },
    paths: { sources, cache, artifacts: copyBuildInfos(directory, artifacts) },
  };
  writeFileSync(join(directory, file), `module.exports = ${JSON.stringify(config, null, 2)};\n`);
  return file;
}

/** Prepares the suite of a Hardhat project: reads its settings, installs its compilers, and compiles it. */
export async function prepareHardhat(setup: Setup): Promise<RunSuite> {
  const { workspace, compilers, runtime } = setup;
  const { directory, kind } = workspace;
  const scratch = join(directory, 'projects-output');
  mkdirSync(scratch, { recursive: true });
  const settingsFile = join(scratch, 'settings.json');
  const env = {
    ...process.env,
    ...setup.env,
    PATH: [dirname(runtime), process.env.PATH].join(delimiter),
    PROJECTS_COMPILERS: compilers,
    HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
    HARDHAT_DISABLE_TELEMETRY: 'true',
    // Older versions of Hardhat check types, which the installed versions of types can fail.
    TS_NODE_TRANSPILE_ONLY: '1',
    NO_COLOR: '1',
    FORCE_COLOR: '0',
  };
  const program = join(directory, 'node_modules/.bin/hardhat');
  const config = writeWrapper(setup);
  const settingsTask = kind === 'hardhat-2' ? ['projects:settings'] : ['--help'];
  rmSync(settingsFile, { force: true });
  await runToSuccess(program, ['--config', config, ...settingsTask], {
    directory,
    env: { ...env, PROJECTS_SETTINGS: settingsFile },
  });
  const settings: ProjectSettings = JSON.parse(readFileSync(settingsFile, 'utf8'));
  await installCompilers(compilers, settings.versions);
  const build = kind === 'hardhat-2' ? 'compile' : 'build';
  await runToSuccess(program, ['--config', config, build], { directory, env });
  const nodeConfig = kind === 'hardhat-2' ? writeNodeConfig(directory, settings) : config;

  function command(node: NodeName, port: number, folder: string): NodeCommand {
    const at = ['--port', `${port}`];
    if (node === 'node-cli') {
      const options = nodeOptions(settings.network ?? HARDHAT_3_NETWORK);
      return { program: runtime, args: [NODE_CLI, 'start', ...at, ...options], directory: folder, env };
    }
    const args = ['--config', nodeConfig, 'node', ...at, '--hostname', '127.0.0.1'];
    return { program, args, directory: folder, env };
  }

  return async (node): Promise<SuiteRun> => {
    const folder = copyForRun(workspace, node);
    const port = await freePort();
    const server = await startMeasured(command(node, port, folder), port);
    const file = join(scratch, `results-${node}.jsonl`);
    rmSync(file, { force: true });
    const test = kind === 'hardhat-2' ? ['test'] : ['test', 'mocha'];
    const args = ['--config', config, ...test, '--no-compile', '--network', 'localhost', ...setup.suiteArgs];
    const begin = performance.now();
    const { output, complaints, isLate } = await runProgram(program, args, {
      directory: folder,
      env: { ...env, PROJECTS_URL: server.url, PROJECTS_RESULTS: file },
      limit: setup.limit,
    });
    const seconds = (performance.now() - begin) / 1_000;
    const usage = await server.stop();
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    const results = lines.map((line): TestResult => JSON.parse(line));
    return { results, usage, seconds, isLate, output: `${output}${complaints}`.slice(-OUTPUT_LENGTH) };
  };
}
