import { createServer, type IncomingMessage, request as requestHttp, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface TestProxy {
  /** Without credentials. */
  readonly url: string;
  readonly port: number;
  /** The CONNECT targets and forwarded URLs, in order. */
  readonly targets: string[];
  /** The header Proxy-Authorization of each request. */
  readonly authorizations: (string | undefined)[];
  /** Breaks all open connections. */
  reset(): void;
}

interface ProxyOptions {
  /** Rejects each request with this status. */
  readonly status?: number;
  /** The addresses of host names. Default: 127.0.0.1 for each name. */
  readonly resolve?: (host: string) => string;
}

/** Starts an HTTP proxy on a free port until the end of the test. It forwards requests and CONNECT. */
export async function startProxy({
  status,
  resolve = () => '127.0.0.1',
}: ProxyOptions = {}): Promise<TestProxy> {
  const targets: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const note = (target: string, { headers }: IncomingMessage): void => {
    targets.push(target);
    authorizations.push(headers['proxy-authorization']);
  };
  const server: Server = createServer((incoming, response) => {
    note(incoming.url ?? '', incoming);
    if (status !== undefined) {
      response.writeHead(status).end('<html>the proxy</html>');
      return;
    }
    const target = new URL(incoming.url ?? '');
    const { 'proxy-authorization': _secret, 'proxy-connection': _kept, ...headers } = incoming.headers;
    const options = {
      host: resolve(target.hostname),
      port: target.port || 80,
      method: incoming.method,
      headers,
    };
    const outgoing = requestHttp({ ...options, path: `${target.pathname}${target.search}` }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.writeHead(502).end());
    incoming.pipe(outgoing);
  });
  server.on('connect', (incoming: IncomingMessage, client: Socket) => {
    note(incoming.url ?? '', incoming);
    client.on('error', () => {});
    if (status !== undefined) {
      client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const target = new URL(`http://${incoming.url}`);
    const host = target.hostname.replace(/^\[(.*)\]$/, '$1');
    const upstream = connect(Number(target.port || 80), resolve(host), () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'));
    client.on('close', () => upstream.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const reset = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    reset();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, targets, authorizations, reset };
}
