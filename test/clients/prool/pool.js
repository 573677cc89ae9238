import { Instance, Server } from 'prool';

// NODE_CLI is the path of the node command.
const instance = Instance.anvil({ binary: process.env.NODE_CLI, accounts: 3, compat: 'anvil' });
const server = Server.create({ instance, host: '127.0.0.1' });
const stop = await server.start();
const base = `http://127.0.0.1:${server.address().port}`;

async function call(worker, method, params = []) {
  const response = await fetch(`${base}/${worker}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result } = await response.json();
  return result;
}

const heights = () => Promise.all([1, 2].map((worker) => call(worker, 'eth_blockNumber')));

const found = { accounts: (await call(1, 'eth_accounts')).length, chainId: await call(2, 'eth_chainId') };
await call(1, 'anvil_mine', ['0x3']);
found.heights = await heights();
await fetch(`${base}/1/restart`);
found.heightsAfterRestart = await heights();
const messages = await fetch(`${base}/2/messages`);
found.isHeard = (await messages.json()).some((message) => message.includes('Listening on'));
await stop();
process.stdout.write(JSON.stringify(found));
