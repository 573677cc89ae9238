import { createHash } from 'node:crypto';
import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunningServer } from '../../src/server/server.ts';
import { startNode } from '../support/node-process.ts';
import { FakeService } from './fake-service.ts';
import { requestText, send, startTestServer } from './test-server.ts';

const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

function get(
  { port }: RunningServer,
  path: string,
  headers: OutgoingHttpHeaders = BROWSER,
  method = 'GET',
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes: Buffer.concat(chunks),
        }),
      );
    });
    request.on('error', reject);
    request.end();
  });
}

/** The paths, with queries, of scripts, styles and images of the page at a path. */
function assetsOf({ bytes }: Got, path: string): string[] {
  return Array.from(
    bytes.toString().matchAll(/(?:src|href)="([^"]+)"/g),
    ([, link = '']) => new URL(link, `http://node${path}`),
  ).map(({ pathname, search }) => pathname + search);
}

describe('explorer', () => {
  it.each(['/', '/?query', '/lane', '/_/', '/_/tx/0x12', '/lane/_/tx/0x12'])(
    'a browser that opens %s gets the explorer',
    async (path) => {
      const service = new FakeService();
      const page = await get(await startTestServer({}, service), path);
      expect(page.status).toBe(200);
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(page.bytes.toString()).toContain('<div id="page">');
      expect(service.calls).toEqual([]);
    },
  );

  it('the explorer uses relative file paths, so that a proxy can serve it below any path', async () => {
    const server = await startTestServer();
    const whole = assetsOf(await get(server, '/'), '/').filter((asset) => !asset.includes('?'));
    for (const path of [
      '/lane',
      '/_/',
      '/_/tx/0x12',
      '/lane/_/',
      '/lane/_/tx/0x12',
      '/_/address/a/b/c',
      '/_//tx',
    ]) {
      const page = await get(server, path);
      expect(assetsOf(page, path)).toEqual(whole);
      expect(assetsOf(page, `/some/prefix${path}`)).toEqual(whole.map((asset) => `/some/prefix${asset}`));
    }
  });

  it('the explorer has a script that works without a trailing slash behind a proxy', async () => {
    const server = await startTestServer();
    const slash = assetsOf(await get(server, '/'), '/some/prefix').find((asset) => asset.includes('?')) ?? '';
    expect(slash).toMatch(/^\/some\/prefix\?_\/files\/slash-\w+\.js$/);
    for (const before of ['', '/', '//']) {
      const { status, headers } = await get(
        server,
        `${before}${slash.slice('/some/prefix'.length)}`.replace(/^\?/, '/?'),
        {},
      );
      expect([status, headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
    }
    expect((await get(server, '/?_/files/none.js')).status).toBe(404);
    expect((await get(server, '/lane?_/files/none.js')).status).toBe(200);
  });

  it('the explorer allows only its own scripts and styles, and no frames', async () => {
    const { headers, bytes } = await get(await startTestServer(), '/');
    const policy = headers['content-security-policy'] ?? '';
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
    ])
      expect(policy).toContain(rule);
    expect(policy).not.toContain('unsafe');
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(bytes.toString()).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|style=/);
  });

  it('every file of the explorer is served, compressed on request, and cached for a year', async () => {
    const server = await startTestServer();
    const assets = assetsOf(await get(server, '/'), '/');
    expect(assets.length).toBeGreaterThanOrEqual(3);
    for (const path of assets) {
      const plain = await get(server, path, {});
      const compressed = await get(server, path, { 'Accept-Encoding': 'br, gzip' });
      const refused = await get(server, path, { 'Accept-Encoding': 'gzip;q=0' });
      expect(plain.status).toBe(200);
      expect(plain.headers['cache-control']).toMatch(/immutable/);
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(refused.headers['content-encoding']).toBeUndefined();
      expect(compressed.headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(compressed.bytes).equals(plain.bytes)).toBe(true);
      const known = await get(server, path, { 'If-None-Match': `"other", ${plain.headers.etag}` });
      expect({ status: known.status, length: known.bytes.length }).toEqual({ status: 304, length: 0 });
    }
  });

  it.each(['/llms.txt', '/llms-full.txt'])(
    '%s is served without a key and revalidated each time',
    async (path) => {
      const server = await startTestServer({ apiKeys: ['secret'] });
      const { status, headers, bytes } = await get(server, path, {});
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-cache',
      });
      expect(bytes.toString()).toMatch(/^# node-cli\n/);
      expect((await get(server, path)).bytes.equals(bytes)).toBe(true);
      expect((await get(server, path, { 'If-None-Match': headers.etag })).status).toBe(304);
      const switchedOff = await startTestServer({ servesExplorer: false });
      expect((await get(switchedOff, path)).status).toBe(405);
    },
  );

  it('HEAD returns only the headers of the explorer', async () => {
    const server = await startTestServer();
    const [whole, head] = [await get(server, '/'), await get(server, '/', BROWSER, 'HEAD')];
    expect(head.status).toBe(200);
    expect(head.headers['content-length']).toBe(whole.headers['content-length']);
    expect(head.bytes.length).toBe(0);
  });

  it('the explorer is revalidated each time', async () => {
    const server = await startTestServer();
    const { headers } = await get(server, '/');
    expect(headers['cache-control']).toBe('no-cache');
    expect((await get(server, '/', { ...BROWSER, 'If-None-Match': headers.etag })).status).toBe(304);
  });

  it.each([
    '/a/b',
    '/a/b/_/c',
    '/_/files/none.js',
    '/_/files/../../../package.json',
    '/_/files/manifest.json',
  ])('%s is not found', async (path) => {
    expect((await get(await startTestServer(), path)).status).toBe(404);
  });

  it('calls and other GET requests are not affected', async () => {
    const server = await startTestServer();
    expect((await get(server, '/', {})).status).toBe(405);
    expect((await get(server, '/', { Accept: 'application/json' })).status).toBe(405);
    const { status } = await send(server, requestText('eth_chainId'), {
      headers: { ...BROWSER, 'Content-Type': 'application/json' },
    });
    expect(status).toBe(200);
    expect((await get(server, '/health')).bytes.toString()).toContain('"status":"ok"');
  });

  it('servesExplorer: false disables the explorer', async () => {
    const server = await startTestServer({ servesExplorer: false });
    for (const path of ['/', '/_/', '/_/files/icon.svg']) expect((await get(server, path)).status).toBe(405);
  });

  it.each([
    ['--no-explorer', []],
    ['--hosted', ['--api-key', 'secret']],
  ] as const)('the explorer is disabled with %s', async (option, others) => {
    const node = await startNode(option, ...others);
    onTestFinished(() => node.stop());
    for (const path of ['/', '/secret', '/_/', '/_/files/icon.svg']) {
      const { status, headers } = await fetch(new URL(path, node.url), { headers: BROWSER });
      expect([path, status, headers.get('allow')]).toEqual([path, 405, expect.stringContaining('POST')]);
    }
  });

  it('the explorer requires the API key, but its files do not', async () => {
    const server = await startTestServer({ apiKeys: ['secret'] });
    for (const path of ['/', '/wrong', '/_/tx/0x12', '/wrong/_/tx/0x12']) {
      const refused = await get(server, path);
      expect(refused.status).toBe(401);
      expect(refused.bytes.toString()).toContain('--api-key');
    }
    for (const path of ['/secret', '/secret/_/tx/0x12', '/_/files/icon.svg'])
      expect((await get(server, path)).status).toBe(200);
  });

  it('the explorer is rejected under an unknown host', async () => {
    const server = await startTestServer();
    expect((await get(server, '/', { ...BROWSER, Host: 'rebound.example' })).status).toBe(403);
  });

  it.each([
    ['a wrong key', { apiKeys: ['secret'] }, '/wrong', {}, 401, '--api-key'],
    ['a host that is not served', {}, '/_/accounts', { Host: 'rebound.example' }, 403, '--allow-host'],
    ['a path that is none', {}, '/a/b', {}, 404, 'Page not found.'],
  ])('%s is rejected with a readable HTML page', async (_, options, path, headers, status, reason) => {
    const server = await startTestServer(options);
    const refused = await get(server, path, { ...BROWSER, ...headers });
    const text = refused.bytes.toString();
    expect([refused.status, refused.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
    expect(refused.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(text).toContain('<meta name="viewport" content="width=device-width');
    expect(text).toContain(reason);
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = refused.headers['content-security-policy'];
    expect(policy).toContain(`style-src 'sha256-${hash}'`);
    expect(policy).not.toContain('unsafe');
    const head = await get(server, path, { ...BROWSER, ...headers }, 'HEAD');
    expect([head.status, head.bytes.length]).toEqual([status, 0]);
  });

  it('the rejection page escapes the host name', async () => {
    const headers = { ...BROWSER, Host: '<img src=x>&"' };
    const text = (await get(await startTestServer(), '/', headers)).bytes.toString();
    expect(text).toContain('&#60;img src=x&#62;&#38;');
    expect(text).not.toContain('<img');
  });

  it('other clients get rejections as text or JSON', async () => {
    const server = await startTestServer({ apiKeys: ['secret'] });
    const file = await get(server, '/_/files/none.js', { Accept: '*/*' });
    expect([file.status, file.headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8']);
    const call = await get(server, '/', { Accept: '*/*', Host: 'rebound.example' });
    expect([call.status, call.headers['content-type']]).toEqual([403, 'application/json']);
    expect(JSON.parse(call.bytes.toString()).error.message).toContain('--allow-host');
  });
});

describe('calls of the explorer', () => {
  const asked = (host: string, origin: string): { readonly headers: OutgoingHttpHeaders } => ({
    headers: { 'Content-Type': 'application/json', Host: host, Origin: origin },
  });

  it.each([
    ['10.1.2.3:8545', 'http://10.1.2.3:8545'],
    ['chain.internal', 'http://chain.internal'],
    ['chain.internal', 'https://chain.internal:443'],
  ])('calls are accepted under the host name of the explorer: %s', async (host, origin) => {
    const server = await startTestServer({
      allowHosts: ['*.internal'],
      allowOrigins: ['https://app.example'],
    });
    expect((await send(server, requestText('eth_chainId'), asked(host, origin))).status).toBe(200);
  });

  it.each([
    ['10.1.2.3:8545', 'http://10.1.2.3:8546'],
    ['10.1.2.3:8545', 'http://evil.example'],
    ['127.0.0.1:8545', 'http://10.1.2.3:8545'],
  ])('calls from other origins are rejected: %s %s', async (host, origin) => {
    const server = await startTestServer();
    expect((await send(server, requestText('eth_chainId'), asked(host, origin))).status).toBe(403);
  });

  it('calls are rejected under a host name that any site can use', async () => {
    const server = await startTestServer({ allowHosts: ['*'] });
    const { status } = await send(
      server,
      requestText('eth_chainId'),
      asked('evil.example', 'http://evil.example'),
    );
    expect(status).toBe(403);
  });
});
