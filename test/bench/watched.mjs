// Measures the cost of the page to the node that it watches: node test/bench/watched.mjs [sends, default 10000] [sends a second, default 400] [rounds, default 3]
// Prints the processor time of the node's process for so many sends: unwatched, watched by a program that subscribes as the page
// does, and watched by the page in Chromium, one after the other in each round. It reads Linux's /proc.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';
import { startNode } from './started-node.mjs';

const TICKS_PER_SECOND = 100;
const WARM_UP = 1_000;
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const sender = fileURLToPath(new URL('./sender.mjs', import.meta.url));

/** The subscriptions of the page. */
const SUBSCRIPTIONS = [
  ['newHeads', { pause: 250 }],
  ['activity', { pause: 250, most: 20, except: ['block'] }],
];

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
  const node = await startNode();
  const send = async (number) => {
    const [code] = await once(fork(sender, [node.url, String(number), String(rate)]), 'exit');
    if (code !== 0) throw new Error('the sends failed');
  };
  await send(WARM_UP);
  const stop = await WATCHERS[name](node.url);
  // The requests of the page while it is opened are not part of the cost of watching.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const before = processorTime(node.child.pid);
  await send(count);
  const seconds = processorTime(node.child.pid) - before;
  const note = await stop();
  await node.stop();
  return { seconds, note };
}

function median(values) {
  return [...values].sort((left, right) => left - right)[values.length >> 1];
}

const [count = 10_000, rate = 400, rounds = 3] = process.argv.slice(2).map(Number);
const names = Object.keys(WATCHERS).filter((name) => name !== 'page' || existsSync(CHROMIUM));
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
const bare = median(all.get('unwatched'));
for (const [name, values] of all)
  process.stdout.write(
    `median ${name.padEnd(10)} ${median(values).toFixed(2)} s  ${(median(values) / bare).toFixed(2)}\n`,
  );
