// Measures the tunings of src/start/tunings.ts: `node test/bench/tunings.mjs [--pairs 40] [--only code-cache]`, after a build.
// Starts nodes with and without each tuning, alternately, and prints the gain in percent: the median of the pairs. It measures
// processor time, because that depends less on other programs than waiting time. It reads Linux's /proc.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { Client } from './client.mjs';
import { median } from './statistics.mjs';

const executable = fileURLToPath(new URL('../../bin/node-cli.js', import.meta.url));
const counter = JSON.parse(
  readFileSync(new URL('../../fixtures/artifacts/shanghai/Counter.json', import.meta.url)),
);
/** Milliseconds until a warm-up has ended. */
const SETTLED = 2_500;
const TESTS = 40;
/** Tests of a short suite, and the milliseconds of other work of its runner between them. */
const SUITE_TESTS = 50;
const BETWEEN_TESTS = 20;
/** Transfers before the block, and in it. */
const TRANSFERS = 800;
const BLOCK = 500;
/** Clients of concurrent sends, and the transactions of each. */
const IN_FLIGHT = 32;
const SENDS = 100;
/** Rounds of a busy node, and the transactions of each client in a round. */
const ROUNDS = 10;
const ROUND_SENDS = 15;
/** A call with an endless loop. Its gas is enough for 20,000 steps. */
const ENDLESS_LOOP = { data: '0x5b600056', gas: '0x20788' };
/** Creation code of a contract that computes the 21st Fibonacci number by recursion. */
const LOOP_CREATION =
  '0x6080604052348015600f57600080fd5b50609280601d6000396000f3fe6080604052348015600f57600080fd5b506000601a60156025565b11602357600080fd5b005b600060028210605457603d60396002846072565b6025565b604860396001856072565b605091906082565b6056565b815b92915050565b634e487b7160e01b600052601160045260246000fd5b818103818111156056576056605c565b808201808211156056576056605c56';
const LOOP_CALLS = 40;

/** Milliseconds of processor time that the threads of a process have used. */
function processorTime({ pid }) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map((id) => readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]);
  return times.reduce((sum, time) => sum + Number(time), 0) / 1e6;
}

/** Megabytes of memory of a process. */
function memory({ pid }) {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

/** Funds an account, deploys a contract and uses it. */
async function firstTransactions(client) {
  const [from, to] = await client.call('eth_accounts');
  await client.receipt({ from, to, value: '0x1' });
  const { contractAddress } = await client.receipt({ from, data: counter.bytecode });
  await client.receipt({ from, to: contractAddress, data: '0xd09de08a' });
}

/** The rows: each one returns the cost of a node that has just answered its first request. */
const ROWS = {
  start: async (child) => processorTime(child),
  async 'first transactions'(_child, client) {
    await pause(SETTLED);
    const began = performance.now();
    await firstTransactions(client);
    return performance.now() - began;
  },
  async block(_child, client) {
    const [from, to] = await client.call('eth_accounts');
    const transfer = { from, to, value: '0x1', gas: '0x5208' };
    for (let count = 0; count < TRANSFERS; count++) await client.receipt(transfer);
    await client.call('evm_setAutomine', false);
    for (let count = 0; count < BLOCK; count++) await client.call('eth_sendTransaction', transfer);
    const began = performance.now();
    await client.call('evm_mine');
    return performance.now() - began;
  },
  async 'short suite'(child, client) {
    await pause(SETTLED);
    const began = processorTime(child);
    for (let test = 0; test < SUITE_TESTS; test++) {
      const snapshot = await client.call('evm_snapshot');
      await firstTransactions(client);
      await client.call('evm_revert', snapshot);
      await pause(BETWEEN_TESTS);
    }
    return processorTime(child) - began;
  },
  async 'concurrent sends'(child, client) {
    const [from, to] = await client.call('eth_accounts');
    const began = processorTime(child);
    const send = async () => {
      for (let count = 0; count < SENDS; count++)
        await client.receipt({ from, to, value: '0x1', gas: '0x5208' });
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, send));
    return processorTime(child) - began;
  },
  async loop(_child, client) {
    await pause(SETTLED);
    const [from] = await client.call('eth_accounts');
    const { contractAddress } = await client.receipt({ from, data: LOOP_CREATION });
    const times = [];
    for (let count = 0; count < LOOP_CALLS; count++) {
      const began = performance.now();
      await client.call('eth_call', { to: contractAddress, data: '0x' }, 'latest');
      times.push(performance.now() - began);
    }
    return median(times);
  },
  async memory(child, client) {
    for (let test = 0; test < TESTS; test++) {
      const snapshot = await client.call('evm_snapshot');
      for (let round = 0; round < 3; round++) await firstTransactions(client);
      await client.call('evm_revert', snapshot);
    }
    return memory(child);
  },
  async 'memory of a busy node'(child, client) {
    const [from] = await client.call('eth_accounts');
    const { contractAddress: to } = await client.receipt({ from, data: counter.bytecode });
    const send = async () => {
      for (let count = 0; count < ROUND_SENDS; count++) {
        await client.receipt({ from, to, data: '0xd09de08a', gas: '0x186a0' });
      }
    };
    const sizes = [];
    for (let round = 0; round < ROUNDS; round++) {
      const snapshot = await client.call('evm_snapshot');
      await Promise.all(Array.from({ length: IN_FLIGHT }, send));
      await client.call('debug_traceCall', ENDLESS_LOOP, 'latest');
      await client.call('evm_revert', snapshot);
      sizes.push(memory(child));
    }
    return median(sizes.slice(ROUNDS / 2));
  },
};

/** Starts a node without the tunings of `off`, and returns the cost of the row. */
async function costOf(row, off) {
  const child = spawn(
    process.execPath,
    [executable, 'start', '--port', '0', '--quiet', '--no-artifacts', '--no-config'],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODECLI_TUNINGS_OFF: off } },
  );
  const ended = once(child, 'exit');
  const [line] = await once(child.stdout, 'data');
  const client = new Client(/http:\S+/.exec(line)[0], IN_FLIGHT);
  await client.call('eth_chainId');
  const cost = await ROWS[row](child, client);
  client.close();
  child.kill('SIGTERM');
  await ended;
  return cost;
}

/** Returns the tunings of the source. */
async function readTunings() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../src/start/tunings.ts', import.meta.url))],
    format: 'esm',
    write: false,
  });
  const { TUNINGS } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  return Object.entries(TUNINGS);
}

const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '40' }, only: { type: 'string' } },
});
process.stdout.write(`Node ${process.versions.node}: gain in percent, medians of ${values.pairs} pairs\n`);
for (const [name, { row }] of await readTunings()) {
  if (values.only !== undefined && values.only !== name) continue;
  // Writes the code cache.
  await costOf('first transactions', '');
  const gains = [];
  for (let pair = 0; pair < Number(values.pairs); pair++) {
    const costs = {};
    for (const off of pair % 2 === 0 ? ['', name] : [name, '']) costs[off] = await costOf(row, off);
    gains.push(100 * (1 - costs[''] / costs[name]));
  }
  process.stdout.write(`${name.padEnd(14)} ${row.padEnd(20)} ${median(gains).toFixed(1).padStart(6)}\n`);
}
