import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { answerAt } from './json-rpc.ts';
import { type RunningNode, startNode } from './node-process.ts';
import { SERVICE_METHODS } from './service-methods.ts';

interface WireCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

const UNSERVED = { error: { code: -32601, message: 'method not found' } } as const;

/** Starts a server that forwards only the methods of a hosted service to the node at the URL. */
async function serveMethodsOf(url: string): Promise<Server> {
  const answerTo = async ({ id, method, params }: WireCall): Promise<object> => ({
    ...(SERVICE_METHODS.has(method) ? await answerAt(url, method, params) : UNSERVED),
    jsonrpc: '2.0',
    id,
  });
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as WireCall | readonly WireCall[];
    const answer = 'method' in body ? answerTo(body) : Promise.all(body.map(answerTo));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(await answer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/**
 * Starts a fork of the node at the URL, in its own process. The fork reaches only the methods of the node that a
 * hosted service has.
 */
export async function startServiceFork(url: string, ...options: readonly string[]): Promise<RunningNode> {
  const server = await serveMethodsOf(url);
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  try {
    const { port } = server.address() as AddressInfo;
    const source = ['--fork-url', `http://127.0.0.1:${port}`, '--no-storage-caching'];
    const node = await startNode(...source, ...options);
    return { ...node, stop: () => node.stop().finally(close) };
  } catch (error) {
    close();
    throw error;
  }
}
