// Times whole test suites of users' tools on this node and on others:
//   node test/bench/suites/run.mjs --anvil <program> [--rounds 3]
// A Hardhat 2 and a Hardhat 3 project with a hundred tests each, on OpenZeppelin's contracts, and a Vitest suite with viem. It
// needs a build (npm run build); Hardhat and its plugins are installed outside of this project. The seconds are of this machine.
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
  options: { anvil: { type: 'string' }, rounds: { type: 'string', default: '3' } },
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
    const child = suite.start(server === undefined ? suite.inProcess : 'localhost');
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    const [status] = await once(child, 'close');
    const seconds = (performance.now() - begin) / 1_000;
    const passed = Number(
      /(\d+) passing|# pass (\d+)|Tests +(\d+) passed/
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

const program = (command, args) => () => spawn(command, args, { stdio: 'ignore' });
for (const tool of ['hardhat-2', 'hardhat-3']) install(tool);
const directories = { 'hardhat-2': prepare('hardhat-2'), 'hardhat-3': prepare('hardhat-3') };

const hardhat = (tool, args) => start(tool, directories[tool], 'hardhat', args, { NODE_URL: URL_OF_NODE });

function vitest(network) {
  const program = join(PROJECT, 'node_modules/vitest/vitest.mjs');
  const env = {
    ...process.env,
    NO_COLOR: '1',
    SUITE_PROJECT: directories['hardhat-2'],
    ...(network === 'localhost' && { NODE_URL: URL_OF_NODE }),
  };
  const args = [
    program,
    'run',
    '--root',
    join(HERE, 'vitest'),
    '--config',
    'vitest.config.mjs',
    '--reporter',
    'dot',
  ];
  return spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

const SUITES = [
  {
    name: 'Hardhat 2, ethers, loadFixture',
    inProcess: 'hardhat',
    start: (network) => hardhat('hardhat-2', ['test', '--no-compile', '--network', network, 'tokens.js']),
  },
  {
    name: 'Hardhat 3, viem, loadFixture',
    inProcess: 'inProcess',
    start: (network) =>
      hardhat('hardhat-3', ['test', 'nodejs', '--no-compile', 'tokens.js', '--network', network]),
  },
  { name: 'Vitest, viem, snapshots', start: vitest },
];

const NODES = [
  {
    name: 'node-cli',
    start: program(process.execPath, [
      join(PROJECT, 'bin/node-cli.js'),
      'start',
      '--port',
      String(PORT),
      '--quiet',
    ]),
  },
  ...(values.anvil === undefined
    ? []
    : [{ name: 'Anvil', start: program(values.anvil, ['--port', String(PORT), '--quiet']) }]),
  {
    name: 'Hardhat 2 node',
    start: () => start('hardhat-2', directories['hardhat-2'], 'hardhat', ['node', '--port', String(PORT)]),
  },
  { name: 'in process (Hardhat; createNode and forks for Vitest)' },
];

for (const suite of SUITES) {
  process.stdout.write(`${suite.name}: ${TESTS} tests\n`);
  const results = new Map(NODES.map((node) => [node, []]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const node of NODES) {
      try {
        results.get(node).push(await measure(node, suite));
      } catch (error) {
        // Anvil sometimes loses a transaction right after a revert. The other nodes are measured anyway.
        if (node === NODES[0]) throw error;
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
