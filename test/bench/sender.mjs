// Sends transactions to a contract at a steady rate: node test/bench/sender.mjs <url> <how many> <how many a second>
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

const counter = JSON.parse(
  readFileSync(new URL('../../fixtures/artifacts/shanghai/Counter.json', import.meta.url)),
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

const [url, count, rate] = process.argv.slice(2);
await send(url, Number(count), Number(rate));
