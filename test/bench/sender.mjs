// Sends transactions to a contract at a steady rate: node test/bench/sender.mjs <url> <how many> <how many a second>
import { readFileSync } from 'node:fs';
import { Client } from './client.mjs';

const counter = JSON.parse(
  readFileSync(new URL('../../fixtures/artifacts/shanghai/Counter.json', import.meta.url)),
);

/** Sends `count` transactions, `rate` per second, without waiting for replies. */
async function send(url, count, rate) {
  const client = new Client(url, 8);
  const [from] = await client.call('eth_accounts');
  const { contractAddress } = await client.receipt({ from, data: counter.bytecode });
  const increment = { from, to: contractAddress, data: '0xd09de08a', gas: '0x30d40' };
  const begin = performance.now();
  const answers = [];
  for (let sent = 0; sent < count; ) {
    const due = Math.min(count, Math.ceil(((performance.now() - begin) * rate) / 1_000));
    for (; sent < due; sent++) answers.push(client.call('eth_sendTransaction', increment));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all(answers);
  client.close();
}

const [url, count, rate] = process.argv.slice(2);
await send(url, Number(count), Number(rate));
