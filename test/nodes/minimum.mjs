// Starts the built node on the running version of Node, without packages: `node test/nodes/minimum.mjs`. The test suite
// requires newer versions than the package, because Vitest does.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createNode } from '../../bin/index.mjs';

const node = await createNode({ chainId: 44 });
assert.equal(await node.request({ method: 'eth_chainId' }), '0x2c');
await node.close();

const child = spawn(process.execPath, ['bin/node-cli.js', 'start', '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
let output = '';
child.stdout.on('data', async (chunk) => {
  output += chunk;
  const url = /Listening on (http\S+)/.exec(output)?.[1];
  if (url === undefined || child.killed) return;
  const headers = { 'content-type': 'application/json' };
  const body = '{"jsonrpc":"2.0","id":1,"method":"evm_mine","params":[]}';
  const response = await fetch(url, { method: 'POST', headers, body });
  assert.equal((await response.json()).error, undefined);
  child.kill('SIGTERM');
});
child.on('exit', (code) => {
  assert.equal(code, 0);
  process.stdout.write(`Node ${process.versions.node}: node-cli works\n`);
});
