// Measures the cost of a fork of a large chain, and of a transaction in process: node --expose-gc test/bench/lanes.mjs
// Needs a build (npm run build). The numbers are of this machine; no test depends on them.
import { createNode } from '../../bin/index.mjs';

const ACCOUNTS = 5_000;
const CONTRACTS = 100;
const FORKS = 1_000;

/** Creates an account whose code is 1,000 bytes long. */
const CREATION = `0x6103e8600c6000396103e86000f3${'5b'.repeat(1_000)}`;

const MEBIBYTE = 2 ** 20;
const collect = globalThis.gc ?? (() => {});

const memory = () => {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

const print = (what, number, unit) =>
  process.stdout.write(`${what.padEnd(44)} ${number.toFixed(1).padStart(9)} ${unit}\n`);

const base = await createNode();
const [from] = await base.request({ method: 'eth_accounts' });
for (let index = 1; index <= ACCOUNTS; index++) {
  const address = `0x${index.toString(16).padStart(40, '0')}`;
  await base.request({ method: 'hardhat_setBalance', params: [address, '0x1'] });
}
for (let index = 0; index < CONTRACTS; index++) {
  await base.request({ method: 'eth_sendTransaction', params: [{ from, data: CREATION, gas: '0x1e8480' }] });
}

const warmUp = await Promise.all(Array.from({ length: 50 }, () => base.fork()));
await Promise.all(warmUp.map((fork) => fork.close()));

const before = memory();
const forks = [];
const start = performance.now();
for (let index = 0; index < FORKS; index++) forks.push(await base.fork());
const elapsed = performance.now() - start;
print('a fork', (elapsed * 1_000) / FORKS, 'µs');
print('a fork', (memory() - before) / FORKS / 1_024, 'KiB');

const transfer = { method: 'eth_sendTransaction', params: [{ from, to: from, value: '0x1' }] };
for (const fork of forks) await fork.request(transfer);
let answering = 0;
for (const fork of forks) {
  if ((await fork.request({ method: 'eth_blockNumber' })) === `0x${(CONTRACTS + 1).toString(16)}`)
    answering++;
}
print('forks with a block of their own that answer', answering, `of ${FORKS}`);
print('such a fork', (memory() - before) / FORKS / 1_024, 'KiB');
print('memory of the process (resident)', process.memoryUsage().rss / MEBIBYTE, 'MiB');
await Promise.all(forks.map((fork) => fork.close()));

const node = await createNode();
const sendAndReceipt = async () => {
  const hash = await node.request(transfer);
  await node.request({ method: 'eth_getTransactionReceipt', params: [hash] });
};
for (let round = 0; round < 2_000; round++) await sendAndReceipt();
const times = [];
for (let round = 0; round < 2_000; round++) {
  const begin = performance.now();
  await sendAndReceipt();
  times.push(performance.now() - begin);
}
times.sort((left, right) => left - right);
print('send and receipt in process, median', (times[1_000] ?? 0) * 1_000, 'µs');
await node.close();
await base.close();
