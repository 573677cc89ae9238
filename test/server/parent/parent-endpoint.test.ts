import { describe, expect, it } from 'vitest';
import type { BitcoinRpcCall } from '../../../src/rootstock/parent-chain/bitcoin-rpc.ts';
import { BitcoinRpcError } from '../../../src/rootstock/parent-chain/rpc/rpc-error.ts';
import type { Connection } from '../../../src/rpc/connection.ts';
import type { ServerOptions } from '../../../src/server/options.ts';
import { FakeService } from '../fake-service.ts';
import { type HttpAnswer, send, startTestServer, type TestServer } from '../test-server.ts';

/** A service with a parent chain. `fail` rejects with bitcoind's code -8; `unknown` does not exist. */
class ParentService extends FakeService {
  readonly parentCalls: (BitcoinRpcCall & { readonly key: string | undefined })[] = [];

  async callParent(call: BitcoinRpcCall, { key }: Connection): Promise<unknown> {
    this.parentCalls.push({ ...call, key });
    if (call.method === 'fail') throw new BitcoinRpcError(-8, 'Block height out of range');
    if (call.method === 'unknown') throw new BitcoinRpcError(-32601, 'Method not found');
    return call.params;
  }
}

interface Scene {
  readonly server: TestServer;
  readonly service: ParentService;
  /** Posts a body, given as a value or as text. */
  post(body: unknown, path?: string, headers?: Record<string, string>): Promise<HttpAnswer>;
}

async function serve(options: Partial<ServerOptions> = {}): Promise<Scene> {
  const service = new ParentService();
  const server = await startTestServer(options, service);
  return {
    server,
    service,
    post: (body, path = '/parent', headers = { 'Content-Type': 'application/json' }) =>
      send(server, typeof body === 'string' ? body : JSON.stringify(body), { path, headers }),
  };
}

const basic = (password: string): Record<string, string> => ({
  'Content-Type': 'application/json',
  Authorization: `Basic ${Buffer.from(`user:${password}`).toString('base64')}`,
});

describe('the path /parent', () => {
  it('answers version 1.0 with both members', async () => {
    const { post } = await serve();
    const answer = await post({ jsonrpc: '1.0', id: 'a', method: 'echo', params: [1] });
    expect(answer).toMatchObject({ status: 200, json: { result: [1], error: null, id: 'a' } });
  });

  it('answers a request without a version as version 1.0', async () => {
    const { post } = await serve();
    const answer = await post({ id: 1, method: 'echo' });
    expect(answer).toMatchObject({ status: 200, json: { result: [], error: null, id: 1 } });
  });

  it('answers version 2.0 without the member error', async () => {
    const { post } = await serve();
    const answer = await post({ jsonrpc: '2.0', id: 1, method: 'echo', params: { a: 1 } });
    expect(answer.json).toEqual({ jsonrpc: '2.0', result: { a: 1 }, id: 1 });
  });

  it.each([
    ['fail', 500, -8],
    ['unknown', 404, -32601],
  ])('answers the failed call %s of version 1.0 with status %i', async (method, status, code) => {
    const { post } = await serve();
    const answer = await post({ id: 1, method });
    expect(answer).toMatchObject({ status, json: { result: null, error: { code }, id: 1 } });
  });

  it('answers a failed call of version 2.0 with status 200', async () => {
    const { post } = await serve();
    const answer = await post({ jsonrpc: '2.0', id: 1, method: 'fail' });
    expect(answer).toMatchObject({ status: 200, json: { jsonrpc: '2.0', error: { code: -8 }, id: 1 } });
  });

  it('answers a notification of version 2.0 with status 204', async () => {
    const { post, service } = await serve();
    expect(await post({ jsonrpc: '2.0', method: 'echo' })).toMatchObject({ status: 204, text: '' });
    expect(service.parentCalls).toHaveLength(1);
  });

  it.each([
    ['{', 500, -32700],
    ['7', 500, -32700],
    [{ id: 1 }, 400, -32600],
    [{ id: 1, method: 5 }, 400, -32600],
    [{ id: 1, method: 'echo', params: 5 }, 400, -32600],
    [{ jsonrpc: '3.0', id: 1, method: 'echo' }, 400, -32600],
  ])('answers the message %j with status %i and code %i', async (body, status, code) => {
    const { post } = await serve();
    expect(await post(body)).toMatchObject({ status, json: { error: { code } } });
  });

  it('answers a batch with status 200, in order', async () => {
    const { post } = await serve();
    const answer = await post([
      { id: 1, method: 'echo', params: [1] },
      { jsonrpc: '2.0', id: 2, method: 'fail' },
      5,
    ]);
    expect(answer).toMatchObject({
      status: 200,
      json: [
        { result: [1], id: 1 },
        { error: { code: -8 }, id: 2 },
        { error: { code: -32600 }, id: null },
      ],
    });
  });

  it('rejects a batch above the limit and a body above the limit', async () => {
    const { post } = await serve({ batchLimit: 1, bodyLimit: 200 });
    const call = { id: 1, method: 'echo' };
    expect(await post([call, call])).toMatchObject({ status: 400, json: { error: { code: -32600 } } });
    expect(await post({ ...call, params: ['x'.repeat(200)] })).toMatchObject({ status: 413 });
  });

  it('passes the wallet and the lane of the path', async () => {
    const { post, service } = await serve();
    for (const path of ['/parent', '/parent/wallet/a%20b', '/lane/parent', '/lane/parent/wallet/w'])
      await post({ id: 1, method: 'echo' }, path);
    expect(service.parentCalls.map(({ key, wallet }) => [key, wallet])).toEqual([
      [undefined, null],
      [undefined, 'a b'],
      ['lane', null],
      ['lane', 'w'],
    ]);
  });

  it('answers an unknown path with status 404', async () => {
    const { post } = await serve();
    expect(await post({ id: 1, method: 'echo' }, '/parent/other')).toMatchObject({ status: 404 });
  });

  it('accepts any credentials, but requires a content type and POST', async () => {
    const { post, server } = await serve();
    expect(await post({ id: 1, method: 'echo' }, '/parent', basic('secret'))).toMatchObject({ status: 200 });
    expect(await post({ id: 1, method: 'echo' }, '/parent', {})).toMatchObject({ status: 415 });
    expect(await send(server, '', { method: 'GET', path: '/parent' })).toMatchObject({ status: 405 });
  });

  it('checks host and origin', async () => {
    const { post } = await serve();
    const headers = { 'Content-Type': 'application/json' };
    const call = { id: 1, method: 'echo' };
    expect(await post(call, '/parent', { ...headers, Host: 'evil.example' })).toMatchObject({ status: 403 });
    expect(await post(call, '/parent', { ...headers, Origin: 'https://evil.example' })).toMatchObject({
      status: 403,
    });
  });

  it('accepts an API key as password or in the path', async () => {
    const { post, service } = await serve({ apiKeys: ['key'] });
    const call = { id: 1, method: 'echo' };
    const refused = await post(call);
    expect(refused).toMatchObject({ status: 401 });
    expect(refused.headers['www-authenticate']).toBe('Basic realm="jsonrpc"');
    expect(await post(call, '/parent', basic('wrong'))).toMatchObject({ status: 401 });
    expect(await post(call, '/other/parent')).toMatchObject({ status: 401 });
    expect(await post(call, '/parent', basic('key'))).toMatchObject({ status: 200 });
    expect(await post(call, '/key/parent')).toMatchObject({ status: 200 });
    expect(service.parentCalls.map(({ key }) => key)).toEqual(['key', 'key']);
  });

  it('does not exist without a parent chain', async () => {
    const server = await startTestServer();
    expect(await send(server, '{"id":1,"method":"getblockcount"}', { path: '/parent' })).toMatchObject({
      status: 404,
      json: { error: { message: expect.stringContaining('--parent-chain') } },
    });
  });

  it('leaves other paths unchanged', async () => {
    const { post } = await serve();
    expect(await post({ jsonrpc: '2.0', id: 1, method: 'echo', params: [1] }, '/')).toMatchObject({
      json: { jsonrpc: '2.0', id: 1, result: [1] },
    });
  });
});

describe('the own port of the parent chain', () => {
  it('serves all calls and wallets, also without a content type', async () => {
    const { post, service } = await serve({ servesOnlyParent: true });
    expect(await post({ id: 1, method: 'echo' }, '/', {})).toMatchObject({ status: 200 });
    expect(await post({ id: 1, method: 'echo' }, '/wallet/w', {})).toMatchObject({ status: 200 });
    expect(await post({ id: 1, method: 'echo' }, '/x', {})).toMatchObject({ status: 404 });
    expect(await post({ id: 1, method: 'echo' }, '/', { 'Content-Type': 'text/plain' })).toMatchObject({
      status: 415,
    });
    expect(service.parentCalls.map(({ wallet }) => wallet)).toEqual([null, 'w']);
  });

  it('names --parent-port if the port is in use', async () => {
    const { server } = await serve();
    await expect(serve({ servesOnlyParent: true, port: server.port })).rejects.toThrow('--parent-port');
  });
});
