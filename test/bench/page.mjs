// The page under load, in Chromium: node test/bench/page.mjs [seconds of the feed, default 60] [transactions a second, default 500]
// Prints when the page of a chain of 10,000 blocks is first painted, and the page's heap, after collecting, while its feed runs.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { startNode } from './started-node.mjs';

const BLOCKS = 10_000;
const PAINTS = 5;
const EXAMPLES = 6;
const MEGABYTE = 2 ** 20;
const executable = process.env.CHROMIUM ?? '/usr/bin/chromium';
const sender = fileURLToPath(new URL('./sender.mjs', import.meta.url));

function median(values) {
  return [...values].sort((left, right) => left - right)[values.length >> 1];
}

async function call(url, method, params = []) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  });
  return (await response.json()).result;
}

/** Milliseconds from the last file of the first view to the drawn timeline, by the explorer's own clock. */
async function firstPaint(browser, url) {
  const page = await browser.newPage();
  await page.addInitScript(() => {
    const look = () => {
      if (document.querySelector('.timeline .cell') === null) requestAnimationFrame(look);
      else requestAnimationFrame(() => window.setTimeout(() => (window.drawnAt = performance.now())));
    };
    requestAnimationFrame(look);
  });
  await page.goto(url);
  // The content policy of the explorer forbids page.waitForFunction, which evaluates text in the page.
  while (!(await page.evaluate('window.drawnAt !== undefined'))) await setTimeout(20);
  const { drawn, files } = await page.evaluate(() => ({
    drawn: window.drawnAt,
    files: Math.max(...performance.getEntriesByType('resource').map(({ responseEnd }) => responseEnd)),
  }));
  await page.close();
  return { drawn, afterFiles: drawn - files };
}

/** Bytes of the explorer's heap and its number of nodes, after garbage collection. */
async function sizeOf(session) {
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const measured = (wanted) => metrics.find(({ name }) => name === wanted).value;
  return { heap: measured('JSHeapUsedSize'), nodes: measured('Nodes') };
}

const [seconds = 60, rate = 500] = process.argv.slice(2).map(Number);
const node = await startNode();
const [from] = await call(node.url, 'eth_accounts');
for (let made = 0; made < BLOCKS; made++)
  await call(node.url, 'eth_sendTransaction', [{ from, to: from, value: '0x1' }]);
const browser = await chromium.launch({
  executablePath: executable,
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
const paints = [];
for (let painted = 0; painted < PAINTS; painted++) paints.push(await firstPaint(browser, node.url));
process.stdout.write(
  `first paint of ${BLOCKS} blocks: ${median(paints.map(({ drawn }) => drawn)).toFixed(0)} ms after the address was opened, ${median(paints.map(({ afterFiles }) => afterFiles)).toFixed(0)} ms after the files\n`,
);

const page = await browser.newPage();
await page.setViewportSize({ width: 1440, height: 900 });
await page.goto(node.url);
await page.waitForSelector('.chain-facts');
const session = await page.context().newCDPSession(page);
await session.send('Performance.enable');
for (let example = 0; example <= EXAMPLES; example++) {
  if (example > 0) {
    const sending = fork(sender, [node.url, String((rate * seconds) / EXAMPLES), String(rate)]);
    const [code] = await once(sending, 'exit');
    if (code !== 0) throw new Error('the sends failed');
  }
  const { heap, nodes } = await sizeOf(session);
  process.stdout.write(
    `after ${((example * seconds) / EXAMPLES).toFixed(0).padStart(3)} s at ${rate}/s: heap ${(heap / MEGABYTE).toFixed(2)} MB, ${nodes} nodes of the document\n`,
  );
}
await browser.close();
await node.stop();
