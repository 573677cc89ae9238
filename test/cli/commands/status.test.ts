import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../../src/cli/main.ts';
import { FAKE_NOW, type FakeHostOptions, fakeHost } from '../support/fake-host.ts';
import { start } from '../support/started-node.ts';

async function run(words: readonly string[], options: FakeHostOptions = {}) {
  const host = fakeHost({ ...options, commandLine: words });
  await runCommand(host);
  return { ...host.written, code: await host.exited() };
}

/**
 * A server that supports only a few methods, starting with request number `from`. It returns no response
 * before.
 */
async function otherNode(from = 0): Promise<string> {
  const answers: Readonly<Record<string, unknown>> = {
    eth_chainId: '0x1',
    eth_getBlockByNumber: { number: '0x10', timestamp: '0x65a0bc00' },
  };
  let asked = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      if (asked++ < from) {
        response.end('not yet');
        return;
      }
      const { id, method } = JSON.parse(body);
      const result = answers[method];
      const content = result === undefined ? { error: { code: -32601, message: 'no' } } : { result };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...content }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('status', () => {
  it('status prints the chain and the latest block of a node', async () => {
    const node = await start(['--lanes']);
    await node.call('evm_mine');
    const { output, errors, code } = await run(['status', '--url', `${node.url}/one`]);
    expect({ errors, code }).toEqual({ errors: '', code: 0 });
    expect(output).toMatch(
      /^URL +http:\/\/127\.0\.0\.1:\d+\/one\nVersion +node-cli\/0\.\d+\.\d+\nChain id +33\n/,
    );
    // The lane starts from the base chain, which has one block.
    expect(output).toMatch(/\nLatest block +1, 20.*Z\nPending +0 transactions\nLanes +1\n$/);
    const { output: json } = await run(['status', '--json', '--url', node.url]);
    expect(JSON.parse(json)).toMatchObject({
      chainId: 33,
      hardfork: 'rootstock',
      blockNumber: 1,
      pending: 0,
      forkedFrom: null,
    });
  });

  it('status prints the data of other nodes', async () => {
    const { output, code } = await run(['status', '--url', await otherNode()]);
    expect(code).toBe(0);
    expect(output).toMatch(/^URL +.*\nChain id +1\nLatest block +16, 2024-01-12T.*Z\n$/);
  });

  it('status sends no rejected requests and masks API keys', async () => {
    const node = await start(['--api-key', 'secret-of-mine', '--metrics']);
    for (const command of ['status', 'wait']) {
      const { output, code } = await run([command, '--url', `${node.url}/secret-of-mine`]);
      expect(code).toBe(0);
      expect(output).toContain(`${node.url}/***`);
      expect(output).not.toContain('secret-of-mine');
    }
    const headers = { Authorization: 'Bearer secret-of-mine' };
    const counts = await (await fetch(`${node.url}/metrics`, { headers })).text();
    expect(counts).toMatch(/method="eth_chainId",outcome="result"\} [1-9]/);
    expect(counts).not.toMatch(/outcome="error"\} [1-9]/);
    expect(node.host.written.output).not.toContain('Error');
    expect(node.host.written.errors).toBe('');
  });

  it('status and wait report a port that fetch blocks', async () => {
    for (const command of ['status', 'wait']) {
      const { errors, code } = await run([command, '--url', 'http://127.0.0.1:6666']);
      expect(code).toBe(2);
      expect(errors).toMatch(
        /^node-cli: cannot connect to http:\/\/127\.0\.0\.1:6666: cannot connect to port 6666: fetch\(\) blocks it/,
      );
    }
  });

  it('status exits with code 1 if no node responds', async () => {
    const { errors, code } = await run(['status', '--url', 'http://127.0.0.1:2']);
    expect(code).toBe(1);
    expect(errors).toMatch(/^node-cli: no node at http:\/\/127\.0\.0\.1:2 \(/);
  });
});

it('status and wait leave no line in the log of the node', async () => {
  const node = await start(['--lanes']);
  const [, before = ''] = node.host.written.output.split('Listening on ');
  await run(['status', '--url', node.url]);
  await run(['wait', '--url', node.url]);
  const [, after = ''] = node.host.written.output.split('Listening on ');
  expect(after).toBe(before);
  await node.call('net_version');
  await node.end();
  expect(node.host.written.output).toMatch(/Listening on \S+\n+net_version\n/);
});

describe('wait', () => {
  it('wait ends as soon as the node responds', async () => {
    const url = await otherNode(3);
    const { output, code } = await run(['wait', '--url', url]);
    expect({ output, code }).toEqual({ output: `${url} is ready (chain id 1)\n`, code: 0 });
    const { url: lanes } = await start(['--lanes']);
    expect((await run(['wait', '--url', `${lanes}/one`])).output).toBe(
      `${lanes}/one is ready (chain id 33)\n`,
    );
  });

  it('wait exits with code 1 and the reason after the timeout', async () => {
    let now = FAKE_NOW;
    const clock = { now: () => (now += 600) };
    const { errors, code } = await run(['wait', '--within', '2', '--url', await otherNode(1e9)], { clock });
    expect(code).toBe(1);
    expect(errors).toMatch(/timed out after 2 s: http:.* is not a JSON-RPC node/);
  });
});
