// A small benchmark of the built node: node test/bench/bench.mjs [milliseconds for each measurement, default 2000]
// It needs nothing but the build, and prints figures; what is fast enough is for the reader to say.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';

const budget = Number(process.argv[2] ?? 2000);
const STARTS = 7;
const SAMPLES_BEFORE_MEASURING = 50;
const executable = fileURLToPath(new URL('../../bin/node-cli.js', import.meta.url));
const counter = JSON.parse(
  readFileSync(new URL('../../fixtures/artifacts/shanghai/Counter.json', import.meta.url)),
);
const recipient = `0x${'22'.repeat(20)}`;

/** One keep-alive connection: gives the result of each call, one after the other. */
class Client {
  #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #url;

  constructor(url) {
    this.#url = url;
  }

  async call(method, ...params) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(this.#url, { method: 'POST', agent: this.#agent, headers });
    sent.end(body);
    const [response] = await once(sent, 'response');
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    const { result, error } = JSON.parse(text);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  async receipt(transaction) {
    const hash = await this.call('eth_sendTransaction', transaction);
    const receipt = await this.call('eth_getTransactionReceipt', hash);
    if (receipt?.status !== '0x1') throw new Error(`transaction ${hash} was not mined`);
    return receipt;
  }

  close() {
    this.#agent.destroy();
  }
}

/** Starts the node without its log: its process, its address, and when it was started. */
async function start() {
  const begin = performance.now();
  const child = spawn(process.execPath, [executable, 'start', '--port', '0', '--quiet'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  const url = await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      const address = /^Listening on (\S+)\n/m.exec(printed)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', () => reject(new Error(`the node did not start: ${printed}`)));
  });
  return { child, url, begin };
}

async function stop({ child }) {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

function median(values) {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[sorted.length >> 1];
}

/** Milliseconds from the start of the process to the first answer. */
async function startTime() {
  const node = await start();
  const client = new Client(node.url);
  await client.call('eth_chainId');
  const milliseconds = performance.now() - node.begin;
  client.close();
  await stop(node);
  return milliseconds;
}

/** Milliseconds that Node.js needs to start and end without doing anything. */
function bareStartTime() {
  const begin = performance.now();
  execFileSync(process.execPath, ['-e', '0']);
  return performance.now() - begin;
}

/** Resident memory in megabytes; `undefined` where the system has no `ps`. */
function memory({ child }) {
  try {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)])) / 1024;
  } catch {
    return undefined;
  }
}

/** Does the work again and again until the budget is used: the milliseconds of each time. */
async function measure(work) {
  for (let warmUp = 0; warmUp < SAMPLES_BEFORE_MEASURING; warmUp++) await work();
  const times = [];
  for (let begin = performance.now(), end = begin + budget; begin < end; ) {
    await work();
    const now = performance.now();
    times.push(now - begin);
    begin = now;
  }
  return times;
}

const perSecond = (times) => (times.length / times.reduce((sum, time) => sum + time, 0)) * 1000;

/** Milliseconds of each snapshot and of each revert of one transfer. */
async function snapshots(client, transfer) {
  const times = { snapshot: [], revert: [] };
  await measure(async () => {
    const begin = performance.now();
    const id = await client.call('evm_snapshot');
    times.snapshot.push(performance.now() - begin);
    await client.receipt(transfer);
    const before = performance.now();
    if ((await client.call('evm_revert', id)) !== true) throw new Error(`snapshot ${id} was lost`);
    times.revert.push(performance.now() - before);
  });
  return times;
}

async function run() {
  const rows = [];
  const add = (name, value, unit, digits = 0) => {
    rows.push([name, value === undefined ? 'n/a' : value.toFixed(digits), unit]);
  };
  const bare = [];
  const starts = [];
  for (let round = 0; round < STARTS; round++) {
    bare.push(bareStartTime());
    starts.push(await startTime());
  }
  add('start of Node.js alone', median(bare), 'ms');
  add('start to the first answer', median(starts), 'ms');

  const node = await start();
  const client = new Client(node.url);
  const [from] = await client.call('eth_accounts');
  add('memory, idle', memory(node), 'MB');
  add('eth_blockNumber', perSecond(await measure(() => client.call('eth_blockNumber'))), '/s');
  const transfer = { from, to: recipient, value: '0x1' };
  add('transfer and receipt', perSecond(await measure(() => client.receipt(transfer))), '/s');

  const { contractAddress } = await client.receipt({ from, data: counter.bytecode });
  const count = { to: contractAddress, data: '0x06661abd' };
  add(
    'eth_call of a counter',
    perSecond(await measure(() => client.call('eth_call', count, 'latest'))),
    '/s',
  );
  const increment = { from, to: contractAddress, data: '0xd09de08a' };
  add('contract transaction and receipt', perSecond(await measure(() => client.receipt(increment))), '/s');
  const { snapshot, revert } = await snapshots(client, transfer);
  add('evm_snapshot', median(snapshot), 'ms', 3);
  add('evm_revert of one transfer', median(revert), 'ms', 3);
  const mined = await measure(() => client.call('hardhat_mine', '0xf4240'));
  add('hardhat_mine of a million blocks', median(mined), 'ms', 3);
  add('blocks at the end', Number(await client.call('eth_blockNumber')), '');
  add('memory, at the end', memory(node), 'MB');
  client.close();
  await stop(node);

  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value, unit] of rows)
    process.stdout.write(`${name.padEnd(width)}  ${value.padStart(9)} ${unit}\n`);
}

await run();
