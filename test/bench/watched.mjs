// What the node pays for being watched: node test/bench/watched.mjs [sends, default 10000] [sends a second, default 400] [rounds, default 3]
// Prints the processor time of the node's process for so many sends: unwatched, watched by a program that subscribes as the page
// does, and watched by the page in Chromium, one after the other in each round. It reads Linux's /proc.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';

const TICKS_PER_SECOND = 100;
const WARM_UP = 1_000;
const executable = fileURLToPath(new URL('../../bin/node-cli.js', import.meta.url));
const project = fileURLToPath(new URL('../../fixtures/projects/hardhat-2/artifacts', import.meta.url));
const counter = JSON.parse(
  readFileSync(new URL('../../fixtures/artifacts/shanghai/Counter.json', import.meta.url)),
);
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** What the page subscribes to. */
const SUBSCRIPTIONS = JSON.parse(
  process.env.SUBSCRIPTIONS ??
    '[["newHeads",{"pause":250}],["activity",{"pause":250,"most":20,"except":["block"]}]]',
);

async function call(url, agent, method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const sent = request(url, { method: 'POST', agent, headers });
  sent.end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  const { result, error } = JSON.parse(text);
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** Sends `count` transactions, `rate` a second, as they would come from a program that waits for none of them. */
async function send(url, count, rate) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const [from] = await call(url, agent, 'eth_accounts', []);
  const created = await call(url, agent, 'eth_sendTransaction', [{ from, data: counter.bytecode }]);
  const { contractAddress } = await call(url, agent, 'eth_getTransactionReceipt', [created]);
  const increment = { from, to: contractAddress, data: '0xd09de08a', gas: '0x30d40' };
  const begin = performance.now();
  const answers = [];
  for (let sent = 0; sent < count; ) {
    const due = Math.min(count, Math.ceil(((performance.now() - begin) * rate) / 1_000));
    for (; sent < due; sent++) answers.push(call(url, agent, 'eth_sendTransaction', [increment]));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all(answers);
  agent.destroy();
}

async function start() {
  const child = spawn(
    process.execPath,
    [
      ...(process.env.NODE_FLAGS ?? '').split(' ').filter(Boolean),
      executable,
      'start',
      '--port',
      '0',
      ...(process.env.LOG === '1' ? [] : ['--quiet']),
      '--artifacts',
      project,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let printed = '';
  const url = await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      if (printed.length < 100_000) printed += chunk;
      const address = /^Listening on (\S+)\n/m.exec(printed)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', () => reject(new Error(`the node did not start: ${printed}`)));
  });
  return { child, url };
}

/** Seconds of processor time that a process has used. */
function processorTime(pid) {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13);
  return (Number(user) + Number(system)) / TICKS_PER_SECOND;
}

/** Subscribes and reads; gives the function that ends it. */
async function watchByProgram(url) {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), 'node-cli-quiet');
  await once(socket, 'open');
  let messages = 0;
  let bytes = 0;
  socket.on('message', (data) => {
    messages++;
    bytes += data.length;
  });
  for (const [id, params] of SUBSCRIPTIONS.entries())
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }));
  return () => {
    socket.close();
    return `${messages} messages, ${(bytes / 1e6).toFixed(1)} MB`;
  };
}

async function watchByPage(url) {
  const { launch } = await import('puppeteer-core');
  const browser = await launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  const page = await browser.newPage();
  await page.setViewport({ width: 1440, height: 900 });
  await page.goto(url);
  await page.waitForSelector('.chain-facts');
  return async () => {
    const rows = await page.$$eval('.feed .item', (items) => items.length).catch(() => 0);
    await browser.close();
    return `${rows} rows drawn`;
  };
}

const WATCHERS = { unwatched: async () => () => '', program: watchByProgram, page: watchByPage };

/** Seconds of processor time for the sends. */
async function measure(name, count, rate) {
  const { child, url } = await start();
  const run = (number) =>
    once(fork(fileURLToPath(import.meta.url), ['send', url, String(number), String(rate)]), 'exit');
  await run(WARM_UP);
  const stop = await WATCHERS[name](url);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const before = processorTime(child.pid);
  const [code] = await run(count);
  if (code !== 0) throw new Error('the sends failed');
  const seconds = processorTime(child.pid) - before;
  const note = await stop();
  child.kill('SIGTERM');
  await once(child, 'exit');
  return { seconds, note };
}

async function main(count = 10_000, rate = 400, rounds = 3) {
  const names = (process.env.WATCHERS ?? 'unwatched,program,page')
    .split(',')
    .filter((name) => name !== 'page' || existsSync(CHROMIUM));
  const all = new Map(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const { seconds, note } = await measure(name, count, rate);
      all.get(name).push(seconds);
      process.stdout.write(
        `${name.padEnd(10)} ${seconds.toFixed(2)} s for ${count} sends at ${rate}/s  ${note}\n`,
      );
    }
  }
  const median = (values) => [...values].sort((left, right) => left - right)[values.length >> 1];
  const bare = median(all.get(names[0]));
  for (const [name, values] of all)
    process.stdout.write(
      `median ${name.padEnd(10)} ${median(values).toFixed(2)} s  ${(median(values) / bare).toFixed(2)}\n`,
    );
}

const [first, ...rest] = process.argv.slice(2);
if (first === 'send') await send(rest[0], Number(rest[1]), Number(rest[2]));
else await main(...[first, ...rest].filter(Boolean).map(Number));
