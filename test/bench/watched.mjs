// Measures the cost of the page to the node that it watches: node test/bench/watched.mjs [sends, default 2000] [sends a second, default 400] [rounds, default 6]
// Prints the processor time of the node's process for so many sends: unwatched, watched by a program that subscribes as the page
// does, and watched by the page in Chromium. All take turns at one node, as two processes of the same node differ by more than watching
// costs. It reads Linux's /proc.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';
import { startNode } from './started-node.mjs';

const TICKS_PER_SECOND = 100;
const WARM_UP = 3_000;
/** Milliseconds for the requests of an opening explorer, which do not count as cost of watching. */
const OPENING = 1_500;
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const sender = fileURLToPath(new URL('./sender.mjs', import.meta.url));

/** The subscriptions of the explorer. */
const SUBSCRIPTIONS = [
  ['newHeads', { pause: 250 }],
  ['activity', { pause: 250, most: 20, except: ['block'] }],
];

/** Processor time of a process in seconds. */
function processorTime(pid) {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13);
  return (Number(user) + Number(system)) / TICKS_PER_SECOND;
}

/** Subscribes and reads. Returns a function that ends the subscription. */
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
  return async () => {
    socket.close();
    return `${messages} messages, ${(bytes / 1e6).toFixed(1)} MB`;
  };
}

async function openBrowser() {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  const page = await browser.newPage();
  await page.setViewportSize({ width: 1440, height: 900 });
  return { browser, page };
}

/** Opens the explorer. Returns a function that leaves it and ends its connection. */
async function watchByPage(page, url) {
  await page.goto(url);
  await page.waitForSelector('.chain-facts');
  return async () => {
    const rows = await page.$$eval('.feed .item', (items) => items.length);
    await page.goto('about:blank');
    return `${rows} rows drawn`;
  };
}

function median(values) {
  return [...values].sort((left, right) => left - right)[values.length >> 1];
}

const [count = 2_000, rate = 400, rounds = 6] = process.argv.slice(2).map(Number);
const node = await startNode();
const opened = existsSync(CHROMIUM) ? await openBrowser() : null;
const watchers = {
  unwatched: async () => async () => '',
  program: () => watchByProgram(node.url),
  ...(opened === null ? {} : { page: () => watchByPage(opened.page, node.url) }),
};

async function send(number) {
  const [code] = await once(fork(sender, [node.url, String(number), String(rate)]), 'exit');
  if (code !== 0) throw new Error('the sends failed');
}

/** Resolves to the processor seconds of the transactions. */
async function measure(watch) {
  const stop = await watch();
  await new Promise((resolve) => setTimeout(resolve, OPENING));
  const before = processorTime(node.child.pid);
  await send(count);
  const seconds = processorTime(node.child.pid) - before;
  return { seconds, note: await stop() };
}

await send(WARM_UP);
const all = new Map(Object.keys(watchers).map((name) => [name, []]));
for (let round = 0; round < rounds; round++) {
  const turns = Object.entries(watchers);
  if (round % 2 === 1) turns.reverse();
  for (const [name, watch] of turns) {
    const { seconds, note } = await measure(watch);
    all.get(name).push(seconds);
    process.stdout.write(
      `${name.padEnd(10)} ${seconds.toFixed(2)} s for ${count} sends at ${rate}/s  ${note}\n`,
    );
  }
}
await opened?.browser.close();
await node.stop();

const bare = all.get('unwatched');
for (const [name, values] of all) {
  const [middle, least] = [median(values), Math.min(...values)];
  process.stdout.write(
    `${name.padEnd(10)} median ${middle.toFixed(2)} s ${(middle / median(bare)).toFixed(2)}  least ${least.toFixed(2)} s ${(least / Math.min(...bare)).toFixed(2)}\n`,
  );
}
