import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { run, startNode } from './installed-package.ts';

/** Sends requests in one write and returns the results, by the order of the requests. */
async function resultsAt(pipe: string, methods: readonly string[]): Promise<unknown[]> {
  const socket = connect(pipe);
  socket.setEncoding('utf8');
  socket.write(
    methods.map((method, id) => JSON.stringify({ jsonrpc: '2.0', id, method, params: [] })).join('\n'),
  );
  let text = '';
  const results: unknown[] = [];
  for await (const chunk of socket) {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const { id, result } = JSON.parse(line) as { id: number; result: unknown };
      results[id] = result;
    }
    if (Object.keys(results).length === methods.length) break;
  }
  return results;
}

describe('--ipc', () => {
  it('answers requests on a named pipe', async () => {
    const pipe = `\\\\.\\pipe\\node-cli-${process.pid}`;
    const node = await startNode(['--ipc', pipe]);

    assert.deepEqual(await resultsAt(pipe, ['eth_chainId', 'eth_blockNumber']), ['0x21', '0x0']);
    await node.stop();
  });

  it('uses the pipe node-cli by default', async () => {
    const node = await startNode(['--ipc']);

    assert.deepEqual(await resultsAt('\\\\.\\pipe\\node-cli', ['eth_chainId']), ['0x21']);
    await node.stop();
  });

  it('rejects a pipe in use', async () => {
    const pipe = `\\\\.\\pipe\\node-cli-used-${process.pid}`;
    const node = await startNode(['--ipc', pipe]);
    const { code, errors } = await run(['start', '--port', '0', '--ipc', pipe]);

    assert.notEqual(code, 0);
    assert.match(errors, /another program listens on this path; stop it or pass another path/);
    assert.deepEqual(await resultsAt(pipe, ['eth_chainId']), ['0x21']);
    await node.stop();
  });

  it('rejects a path that is not a pipe', async () => {
    const { code, errors } = await run(['start', '--port', '0', '--ipc', 'C:\\node.ipc']);

    assert.notEqual(code, 0);
    assert.match(errors, /expected the name of a pipe/);
  });
});
