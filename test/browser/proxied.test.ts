import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { click, describeInBrowser, openPage, untilShown, untilTrue } from '../support/browser/browser.ts';
import { openScene } from '../support/browser/scene.ts';

const PREFIX = '/proxy/8545';

/**
 * Starts a proxy that serves the node below a path; resolves to the URL. The proxy removes the path from requests, and puts
 * `slashes` before the rest, like nginx if its prefix lacks a slash.
 */
async function proxied(nodeUrl: string, slashes = ''): Promise<string> {
  const { hostname, port } = new URL(nodeUrl);
  const below = (path = ''): string | null => {
    const rest = path.startsWith(PREFIX) ? path.slice(PREFIX.length) : null;
    if (rest === '' || rest?.startsWith('?')) return `/${rest}`;
    return rest?.startsWith('/') ? `${slashes}${rest}` : null;
  };
  const server = createServer((incoming, response) => {
    const path = below(incoming.url);
    if (path === null) {
      response.writeHead(404).end();
      return;
    }
    const { method, headers } = incoming;
    const sent = request(
      { hostname, port, path, method, headers: { ...headers, host: `${hostname}:${port}` } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    incoming.pipe(sent);
  });
  server.on('upgrade', (incoming, socket) => {
    const path = below(incoming.url);
    if (path === null) {
      socket.destroy();
      return;
    }
    const headers = Object.entries({ ...incoming.headers, host: `${hostname}:${port}` });
    const upstream = connect(Number(port), hostname);
    upstream.write(
      `GET ${path} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
    upstream.pipe(socket).pipe(upstream);
    for (const end of [upstream, socket]) end.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${PREFIX}`;
}

describeInBrowser('the explorer behind a proxy with a path', (opened) => {
  it('shows the chain and its lanes, follows links, and acts', async () => {
    const url = await proxied((await openScene({ lanes: true })).url);
    const { page, faults } = await openPage(opened, `${url}/`);
    await untilShown(page, '.empty', `Send a transaction to ${url}/`);
    await click(page, '.acts button', 'Mine');
    await untilShown(page, '.chain-facts', 'block 1');
    await click(page, '.tabs a', 'Accounts');
    await untilShown(page, 'h1', 'Accounts');
    expect(page.url()).toBe(`${url}/_/accounts`);
    await page.reload();
    await untilShown(page, 'main td', 'ether');
    await page.goto(`${url}/_/block/1`);
    await untilShown(page, 'h1', 'Block #1');
    await page.goBack();
    await untilShown(page, 'h1', 'Accounts');
    await click(page, '.acts button', 'Fork lane here');
    await click(page, '[role="status"] a', 'Open lane');
    await untilShown(page, '.chain-facts', 'lane ');
    await untilTrue(page, `location.pathname.startsWith('${PREFIX}/')`);
    expect(faults).toEqual([]);
  });

  it.each(['', '/'])(
    'opens without the slash at the end of its URL, if the proxy puts “%s” before the path',
    async (slashes) => {
      const { url: nodeUrl, call } = await openScene({ lanes: true });
      const url = await proxied(nodeUrl, slashes);
      const { page } = await openPage(opened, `${url}?at=0`);
      await untilTrue(page, `location.href === '${url}/?at=0'`);
      await click(page, '.acts button', 'Mine');
      await untilShown(page, '.chain-facts', 'block 1');
      await call('evm_mine', [], '/lane');
      await page.goto(`${url}/lane`);
      await untilShown(page, '.chain-facts', 'lane lane');
      await page.goto(`${url}/_/accounts`);
      await untilShown(page, 'main td', 'ether');
    },
  );
});
