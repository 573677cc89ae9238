// The rows of starts: the node, its first transactions, and the library.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { encodeDeployData, encodeFunctionData } from 'viem';
import { Client } from './client.mjs';
import { startNode } from './started-node.mjs';
import { median } from './statistics.mjs';

const library = fileURLToPath(new URL('./library.mjs', import.meta.url));
const artifact = (name) =>
  JSON.parse(readFileSync(new URL(`../../fixtures/artifacts/shanghai/${name}.json`, import.meta.url)));
const counter = artifact('Counter');
const token = artifact('Token');
const recipient = `0x${'22'.repeat(20)}`;

/** Milliseconds that Node.js needs to start and exit. */
function bareStart() {
  const begin = performance.now();
  execFileSync(process.execPath, ['-e', '0']);
  return performance.now() - begin;
}

/** Milliseconds from the start of the process to the first reply, and of the first transactions after it. */
async function start() {
  const begin = performance.now();
  const node = await startNode(['--quiet', '--no-artifacts']);
  const client = new Client(node.url);
  await client.call('eth_chainId');
  const answered = performance.now();
  const [from] = await client.call('eth_accounts');
  await client.receipt({ from, to: recipient, value: '0xde0b6b3a7640000' });
  await client.receipt({ from, data: counter.bytecode });
  const creation = encodeDeployData({ ...token, args: ['Token', 'TKN', from, 10n ** 24n] });
  const { contractAddress } = await client.receipt({ from, data: creation });
  const transfer = encodeFunctionData({ ...token, functionName: 'transfer', args: [recipient, 1n] });
  await client.receipt({ from, to: contractAddress, data: transfer });
  const sent = performance.now();
  client.close();
  await node.stop();
  return { answered: answered - begin, sent: sent - answered };
}

/** Yields the rows: medians of several processes, started alternately. */
export async function* startRows(rounds) {
  const times = { bare: [], answered: [], sent: [], library: [] };
  for (let round = 0; round < rounds; round++) {
    times.bare.push(bareStart());
    const { answered, sent } = await start();
    times.answered.push(answered);
    times.sent.push(sent);
    times.library.push(JSON.parse(execFileSync(process.execPath, [library], { encoding: 'utf8' })));
  }
  const ofLibrary = (part) => median(times.library.map((each) => each[part]));
  yield { name: 'start of Node.js alone', value: median(times.bare), unit: 'ms' };
  yield { name: 'start to the first answer', value: median(times.answered), unit: 'ms' };
  yield {
    name: 'first transactions: fund and deploy two and use one',
    value: median(times.sent),
    unit: 'ms',
  };
  yield { name: 'library: import', value: ofLibrary('imported'), unit: 'ms' };
  yield { name: 'library: createNode', value: ofLibrary('created'), unit: 'ms' };
  yield { name: 'library: first transaction', value: ofLibrary('sent'), unit: 'ms' };
  yield { name: 'library: a second node', value: ofLibrary('second'), unit: 'ms' };
}
