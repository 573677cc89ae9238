// Starts the built node once and uses the library once, to fill the code cache (src/start/README.md). Later
// starts are faster then, even if they end within a second.
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const CACHE = 'dist/cache';
const INTERVAL = 50;
/** Milliseconds until the build continues without a code cache. The user's first start then creates it. */
const PATIENCE = 15_000;

const REQUEST = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] };

async function isKept() {
  const files = await readdir(CACHE).catch(() => []);
  return files.some((name) => /^main-.*\.bin$/.test(name));
}

/** Starts the node without options from the environment, and sends a typical first request. */
async function startAndWait() {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^NODE_(CLI_|OPTIONS$)/i.test(name)),
  );
  const args = ['bin/node-cli.js', 'start', '--no-config', '--port', '0', '--quiet'];
  const node = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const hasEnded = new Promise((resolve) => node.once('exit', resolve));
  const patience = new AbortController();
  const isLate = pause(PATIENCE, undefined, { signal: patience.signal }).catch(() => undefined);
  try {
    const line = await Promise.race([
      new Promise((resolve) => createInterface({ input: node.stdout }).once('line', resolve)),
      hasEnded,
      isLate,
    ]);
    const url = /http:\S+/.exec(line)?.[0];
    if (url === undefined) return false;
    await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(REQUEST),
      signal: patience.signal,
    });
    const end = performance.now() + PATIENCE;
    while (!(await isKept()) && node.exitCode === null && performance.now() < end) await pause(INTERVAL);
    return await isKept();
  } finally {
    patience.abort();
    node.kill();
    await hasEnded;
  }
}

/** Makes typical first requests of tests in this process. At its end, the code cache is written. */
async function useLibrary() {
  const { createNode } = await import('../../bin/index.mjs');
  const node = await createNode();
  const ask = (method, ...params) => node.request({ method, params });
  const [from, to] = await ask('eth_accounts');
  const transaction = { from, to, value: '0x1' };
  const snapshot = await ask('evm_snapshot');
  await ask('eth_estimateGas', transaction);
  await ask('eth_getTransactionReceipt', await ask('eth_sendTransaction', transaction));
  await ask('eth_call', transaction, 'latest');
  await ask('eth_getBlockByNumber', 'latest', true);
  await ask('evm_revert', snapshot);
  await node.close();
}

await useLibrary();
const isDone = await startAndWait().catch(() => false);
if (!isDone) process.stderr.write('the code cache is empty; the first start fills it\n');
