import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { RunningNode } from '../support/node-process.ts';

/** The port that a node listens on. */
export function portOf({ url }: RunningNode): number {
  return Number(new URL(url).port);
}

/** Lets a server listen on a free port of the loopback address. Returns the port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('a server without a port');
  return address.port;
}

/** A free port. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return port;
}
