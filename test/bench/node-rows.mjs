// The rows of a started node: requests, transactions, blocks and memory.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseGwei } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { Client } from './client.mjs';
import { startNode } from './started-node.mjs';
import { measure, median, perSecond, quantile } from './statistics.mjs';

const counter = JSON.parse(
  readFileSync(new URL('../../fixtures/artifacts/shanghai/Counter.json', import.meta.url)),
);
const recipient = `0x${'22'.repeat(20)}`;
const IN_FLIGHT = 32;
const BATCH = 100;
const SENDERS = 25;
const OF_EACH = 20;

/** Resident memory in megabytes; `undefined` if the system has no `ps`. */
function memory({ child }) {
  try {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)])) / 1024;
  } catch {
    return undefined;
  }
}

/** Yields a row with the rate per second, and a row with the slowest of a hundred. */
function* rates(name, times) {
  yield { name, value: perSecond(times), unit: '/s' };
  yield { name: `${name}: p99`, value: quantile(times, 0.99), unit: 'ms' };
}

/** Signed transfers of several funded senders. */
async function signedTransfers(client, from) {
  const accounts = Array.from({ length: SENDERS }, (_, index) =>
    privateKeyToAccount(`0x${(index + 1_000).toString(16).padStart(64, '0')}`),
  );
  for (const { address } of accounts) await client.receipt({ from, to: address, value: '0xde0b6b3a7640000' });
  const chainId = Number(await client.call('eth_chainId'));
  const fields = {
    type: 'legacy',
    chainId,
    gasPrice: parseGwei('1'),
    gas: 21_000n,
    to: recipient,
    value: 1n,
  };
  return (first) =>
    Promise.all(
      accounts.flatMap((account) =>
        Array.from({ length: OF_EACH }, (_, index) =>
          account.signTransaction({ ...fields, nonce: first + index }),
        ),
      ),
    );
}

/** Milliseconds to send 500 signed transfers concurrently, and to mine them in one block. */
async function* blockRows(client, crowd, from) {
  const sign = await signedTransfers(client, from);
  const times = { sent: [], mined: [] };
  for (let round = 0; round < 5; round++) {
    const signed = await sign(round * OF_EACH);
    await client.call('evm_setAutomine', false);
    const begin = performance.now();
    await Promise.all(signed.map((raw) => crowd.call('eth_sendRawTransaction', raw)));
    const sent = performance.now();
    await client.call('evm_mine');
    times.sent.push(sent - begin);
    times.mined.push(performance.now() - sent);
    const { transactions } = await client.call('eth_getBlockByNumber', 'latest', false);
    if (transactions.length !== signed.length) throw new Error(`${transactions.length} in the block`);
    await client.call('evm_setAutomine', true);
  }
  yield { name: 'send 500 signed transfers', value: median(times.sent), unit: 'ms' };
  yield { name: 'mine a block of 500 transfers: the first', value: times.mined[0], unit: 'ms' };
  yield { name: 'mine a block of 500 transfers', value: median(times.mined), unit: 'ms' };
}

async function* snapshotRows(client, budget, transfer) {
  const times = { snapshot: [], revert: [] };
  await measure(budget, async () => {
    const begin = performance.now();
    const id = await client.call('evm_snapshot');
    times.snapshot.push(performance.now() - begin);
    await client.receipt(transfer);
    const before = performance.now();
    if ((await client.call('evm_revert', id)) !== true) throw new Error(`snapshot ${id} was lost`);
    times.revert.push(performance.now() - before);
  });
  yield { name: 'evm_snapshot', value: median(times.snapshot), unit: 'ms' };
  yield { name: 'evm_revert of one transfer', value: median(times.revert), unit: 'ms' };
}

/** Yields the rows of one node. `milliseconds` is the time per row. */
export async function* nodeRows(budget) {
  const node = await startNode(['--quiet', '--no-artifacts']);
  const client = new Client(node.url);
  const crowd = new Client(node.url, IN_FLIGHT);
  const [from] = await client.call('eth_accounts');
  yield { name: 'memory: idle', value: memory(node), unit: 'MB' };

  yield* blockRows(client, crowd, from);
  yield* rates('eth_blockNumber', await measure(budget, () => client.call('eth_blockNumber')));
  const balances = Array.from({ length: IN_FLIGHT }, () => ['eth_getBalance', from, 'latest']);
  const inFlight = await measure(budget, () => Promise.all(balances.map((call) => crowd.call(...call))));
  yield {
    name: `eth_getBalance: ${IN_FLIGHT} under way`,
    value: IN_FLIGHT * perSecond(inFlight),
    unit: '/s',
  };
  const batches = await measure(budget, () => client.batch(BATCH, 'eth_getBalance', from, 'latest'));
  yield { name: `a batch of ${BATCH} eth_getBalance`, value: perSecond(batches), unit: '/s' };

  const transfer = { from, to: recipient, value: '0x1' };
  yield* rates('transfer and receipt', await measure(budget, () => client.receipt(transfer)));
  const { contractAddress } = await client.receipt({ from, data: counter.bytecode });
  const count = { to: contractAddress, data: '0x06661abd' };
  yield* rates(
    'eth_call of a counter',
    await measure(budget, () => client.call('eth_call', count, 'latest')),
  );
  const increment = { from, to: contractAddress, data: '0xd09de08a' };
  const sent = await measure(budget, () => client.receipt(increment));
  yield* rates('contract transaction and receipt', sent);
  yield { name: 'memory: after the transactions', value: memory(node), unit: 'MB' };

  yield* snapshotRows(client, budget, transfer);
  const empty = await measure(budget, () => client.call('hardhat_mine', '0xf4240'));
  yield { name: 'hardhat_mine of a million blocks', value: median(empty), unit: 'ms' };
  yield { name: 'memory: at the end', value: memory(node), unit: 'MB' };
  client.close();
  crowd.close();
  await node.stop();
}
