// Times whole test suites of users' tools on this node, with the plugins of the runners, and on other nodes:
//   node test/bench/suites/run.mjs --anvil <program> [--rounds 3] [--only hardhat-3,jest]
// A Hardhat 2 and a Hardhat 3 project with a hundred tests each, on OpenZeppelin's contracts, and a suite with viem for each of
// the other runners. It needs a build (npm run build); the runners are installed outside of this project. The time of a plugin
// includes the start of its node; the other nodes run before the suite starts. The seconds are of this machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { install, packagesOf, ROOT, start } from '../../../fixtures/projects/tools.mjs';
import { median } from '../statistics.mjs';

const { values } = parseArgs({
  options: {
    anvil: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
});
const HERE = fileURLToPath(new URL('.', import.meta.url));
const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
const PORT = 18_650;
const URL_OF_NODE = `http://127.0.0.1:${PORT}`;
const LOOK_AGAIN_AFTER = 20;
const TICKS_PER_SECOND = 100;
const TESTS = 100;

/**
 * Copies a project, with its Hardhat build output and the packages of its tool, to a folder outside this
 * project.
 */
function prepare(tool) {
  const directory = join(ROOT, `suite-${tool}`);
  rmSync(directory, { recursive: true, force: true });
  cpSync(join(HERE, tool), directory, { recursive: true });
  const type = tool === 'hardhat-3' ? 'module' : 'commonjs';
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, type }));
  const built = JSON.parse(
    gunzipSync(readFileSync(join(PROJECT, 'fixtures/openzeppelin/project.json.gz')), 'utf8'),
  );
  for (const [path, text] of Object.entries(built)) {
    // Hardhat cannot read the shortened build info of this project.
    if (path.includes('/build-info/') || path.endsWith('.dbg.json')) continue;
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  symlinkSync(packagesOf(tool), join(directory, 'node_modules'));
  return directory;
}

/** Processor time of a process in seconds. */
function processorTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Waits until the node replies. Throws if it has ended. */
async function untilItAnswers(server) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
  for (;;) {
    const answer = await fetch(URL_OF_NODE, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    }).catch(() => null);
    if (answer !== null) return;
    if (server.exitCode !== null) throw new Error('the node ended before it answered');
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_AFTER));
  }
}

/** Runs a suite on a node. Returns its seconds, the seconds of the node, and the number of passed tests. */
async function measure(node, suite) {
  const server = node.start?.();
  try {
    // The output is not needed, but must not fill the pipe.
    server?.stdout?.resume();
    if (server !== undefined) await untilItAnswers(server);
    const before = server === undefined ? 0 : processorTime(server.pid);
    const begin = performance.now();
    const child = suite.start(node.way ?? 'url');
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        printed += chunk;
      });
    const [status] = await once(child, 'close');
    const seconds = (performance.now() - begin) / 1_000;
    const passed = Number(
      /(\d+) passing|# pass (\d+)|Tests:? +(\d+) passed/
        .exec(printed)
        ?.slice(1)
        .find((count) => count),
    );
    if (status !== 0 || passed !== TESTS)
      throw new Error(
        `${suite.name} on ${node.name}: ${passed} of ${TESTS} passed\n${printed.slice(-4_000)}`,
      );
    return { seconds, processor: server === undefined ? null : processorTime(server.pid) - before };
  } finally {
    if (server !== undefined && server.exitCode === null) {
      server.kill('SIGKILL');
      await once(server, 'exit');
    }
  }
}

/** Ways to run a suite: on the node at a URL, in the process of the tests, or with the plugin of the runner. */
const NETWORKS = {
  'hardhat-2': { url: 'localhost', inProcess: 'hardhat', plugin: 'nodeCli' },
  'hardhat-3': { url: 'localhost', inProcess: 'inProcess', plugin: 'nodeCli' },
};
const PLUGINS = { 'hardhat-2': 'hardhat2.cjs', 'hardhat-3': 'hardhat.js' };

const program = (command, args) => () => spawn(command, args, { stdio: 'ignore' });
const nodeCli = ['start', '--port', String(PORT), '--quiet'];
for (const tool of ['hardhat-2', 'hardhat-3', 'runners']) install(tool);
const directories = { 'hardhat-2': prepare('hardhat-2'), 'hardhat-3': prepare('hardhat-3') };

/** Returns a function that starts a Hardhat suite. */
const hardhat = (tool, args) => (way) =>
  start(tool, directories[tool], 'hardhat', [...args, '--network', NETWORKS[tool][way]], {
    NODE_URL: URL_OF_NODE,
    ...(way === 'plugin' && { SUITE_PLUGIN: join(PROJECT, 'dist/runners', PLUGINS[tool]) }),
  });

/** Returns a function that starts the viem suite with the program of a runner. */
const viem = (path, args) => (way) => {
  const env = {
    ...process.env,
    NO_COLOR: '1',
    // The plugin for Jest loads packages of Jest.
    NODE_PATH: RUNNERS,
    SUITE_PROJECT: directories['hardhat-2'],
    ...(way === 'url' && { NODE_URL: URL_OF_NODE }),
    ...(way === 'plugin' && { SUITE_PLUGIN: 'true' }),
  };
  const cwd = join(HERE, 'viem');
  return spawn(process.execPath, [...path, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
};

const RUNNERS = packagesOf('runners');
const TESTS_OF_HARDHAT = ['test', '--no-compile', 'tokens.js'];
const SUITES = [
  {
    name: 'hardhat-2',
    title: 'Hardhat 2, ethers, loadFixture',
    start: hardhat('hardhat-2', TESTS_OF_HARDHAT),
  },
  {
    name: 'hardhat-3',
    title: 'Hardhat 3, viem, loadFixture',
    start: hardhat('hardhat-3', ['test', 'nodejs', '--no-compile', 'tokens.js']),
  },
  {
    name: 'vitest',
    title: 'Vitest, viem, snapshots',
    start: viem(
      [join(PROJECT, 'node_modules/vitest/vitest.mjs')],
      ['run', '--config', 'vitest.config.mjs', '--reporter', 'dot'],
    ),
  },
  {
    name: 'jest',
    title: 'Jest, viem, snapshots',
    start: viem([join(RUNNERS, 'jest/bin/jest.js')], ['--config', 'jest.config.cjs']),
  },
  {
    name: 'mocha',
    title: 'Mocha, viem, snapshots',
    start: viem([join(RUNNERS, 'mocha/bin/mocha.js')], ['--config', 'mocharc.cjs', 'tokens.mocha.cjs']),
  },
  {
    name: 'node-test',
    title: "Node's test runner, viem, snapshots",
    start: viem(['--require', './node-test.cjs'], ['--test', '--test-reporter=tap', 'tokens.node-test.cjs']),
  },
];

const NODES = [
  { name: 'node-cli', start: program(process.execPath, [join(PROJECT, 'bin/node-cli.js'), ...nodeCli]) },
  ...(values.anvil === undefined
    ? []
    : [{ name: 'Anvil', start: program(values.anvil, ['--port', String(PORT), '--quiet']) }]),
  {
    name: 'Hardhat 2 node',
    // viem repeats each call that reverts on it.
    isFor: ({ name }) => name.startsWith('hardhat'),
    start: () => start('hardhat-2', directories['hardhat-2'], 'hardhat', ['node', '--port', String(PORT)]),
  },
  { name: 'in process (EDR; createNode and forks with viem)', way: 'inProcess' },
  { name: 'plugin of node-cli', way: 'plugin' },
];

for (const suite of SUITES) {
  if (values.only !== undefined && !values.only.split(',').includes(suite.name)) continue;
  process.stdout.write(`${suite.title}: ${TESTS} tests\n`);
  const results = new Map(NODES.map((node) => [node, []]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const node of NODES) {
      if (node.isFor?.(suite) === false) continue;
      try {
        results.get(node).push(await measure(node, suite));
      } catch (error) {
        // Anvil sometimes loses a transaction right after a revert. The other nodes are measured anyway.
        if (node.name !== 'Anvil') throw error;
        process.stdout.write(`  a run failed: ${error.message.split('\n')[0]}\n`);
      }
    }
  }
  for (const [{ name }, measured] of results) {
    if (measured.length === 0) continue;
    const [seconds, processor] = ['seconds', 'processor'].map((key) =>
      median(measured.map((one) => one[key])),
    );
    const ofNode = processor === null ? '' : `, the node's processor ${processor.toFixed(2)} s`;
    process.stdout.write(`  ${name.padEnd(54)} ${seconds.toFixed(2).padStart(7)} s${ofNode}\n`);
  }
}
