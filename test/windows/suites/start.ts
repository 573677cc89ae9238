import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { callAt, respond, run, startNode } from './installed-package.ts';

describe('start', () => {
  it('answers requests and mines', async () => {
    const node = await startNode();

    assert.equal(await node.call('eth_chainId'), '0x21');
    await node.call('evm_mine');
    assert.equal(await node.call('eth_blockNumber'), '0x1');

    const { output, errors } = await node.stop();
    assert.match(output, /Stopped/);
    assert.equal(errors, '');
  });

  it('serves the explorer', async () => {
    const node = await startNode();

    const page = await respond(node.url, { accept: 'text/html' });
    const [, script = ''] = /src="([^"]+)"/.exec(page.text) ?? [];
    const loaded = await respond(new URL(script, `${node.url}/`).href);

    assert.equal(page.status, 200);
    assert.match(String(page.headers['content-security-policy']), /script-src/);
    assert.equal(loaded.status, 200);
    assert.match(loaded.headers['content-type'] ?? '', /javascript/);
    await node.stop();
  });

  it('answers at localhost', async () => {
    const node = await startNode();

    assert.equal(await callAt(node.url.replace('127.0.0.1', 'localhost'), 'eth_chainId'), '0x21');
    await node.stop();
  });

  it('prints the option for another port if the port is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;

    const { code, errors } = await run(['start', '--port', String(port)]);

    server.close();
    assert.equal(code, 1);
    assert.match(errors, /port \d+ on 127\.0\.0\.1 is already in use; choose another with --port/);
  });
});
