import { describe, expect, it } from 'vitest';
import { FakeService } from './fake-service.ts';
import { startLaneServer } from './lane-server.ts';
import { requestText, send, startTestServer } from './test-server.ts';

const HEALTH = { status: 'ok', chainId: 33, blockNumber: 7, lanes: 0 };

describe('GET /health', () => {
  it.each(['/health', '/health/', '/health?probe=1'])(
    'returns the health without a service call: %s',
    async (path) => {
      const service = new FakeService();
      const { status, headers, json } = await send(await startTestServer({}, service), '', {
        method: 'GET',
        path,
        headers: {},
      });
      expect(status).toBe(200);
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
      expect(json).toEqual(HEALTH);
      expect(service.calls).toEqual([]);
    },
  );

  it('HEAD returns only the headers', async () => {
    const { status, headers, text } = await send(await startTestServer(), '', {
      method: 'HEAD',
      path: '/health',
      headers: {},
    });
    expect(status).toBe(200);
    expect(headers['content-length']).toBe(`${JSON.stringify(HEALTH).length}`);
    expect(text).toBe('');
  });

  it('returns only status and chain id with API keys, without requiring a key', async () => {
    const server = await startTestServer({ apiKeys: ['secret'] });
    const { status, json } = await send(server, '', { method: 'GET', path: '/health', headers: {} });
    expect({ status, json }).toEqual({ status: 200, json: { status: 'ok', chainId: 33 } });
    for (const path of ['/', '/secret', '/health/secret', '/secret/health'])
      expect(await send(server, '', { method: 'GET', path, headers: {} })).toMatchObject({ status: 405 });
  });

  it('the endpoint rejects unknown hosts and origins', async () => {
    const server = await startTestServer();
    const asked = { method: 'GET', path: '/health' };
    expect(await send(server, '', { ...asked, headers: { Host: 'rebound.example' } })).toMatchObject({
      status: 403,
    });
    expect(await send(server, '', { ...asked, headers: { Origin: 'https://evil.example' } })).toMatchObject({
      status: 403,
    });
    const { headers } = await send(server, '', { ...asked, headers: { Origin: 'http://localhost:3000' } });
    expect(headers['access-control-allow-origin']).toBe('http://localhost:3000');
  });

  it('creates no lane, unlike a call on the same path', async () => {
    const { server, lanes } = await startLaneServer();
    for (const method of ['GET', 'HEAD'])
      expect(await send(server, '', { method, path: '/health', headers: {} })).toMatchObject({ status: 200 });
    expect(lanes.list()).toEqual([]);
    await send(server, requestText('eth_chainId'), { path: '/health' });
    expect(lanes.list().map(({ key }) => key)).toEqual(['health']);
  });
});
