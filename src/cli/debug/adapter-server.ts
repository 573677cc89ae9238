/** Serves editors on a TCP port, or one editor on a pair of streams. */

import { createServer, type Server } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { StartError } from '../../config/errors.ts';
import { systemMessage } from '../../primitives/file-system.ts';
import { DebugSession, type SessionParts } from './debug-session.ts';
import { DebugConnection } from './protocol-server.ts';

/** The parts of all sessions. */
export type AdapterParts = Omit<SessionParts, 'onEnd'>;

const LOOPBACK = '127.0.0.1';

/** Serves one editor. Resolves after its request `disconnect`, or at the end of the input. */
export function serveStreams(input: Readable, output: Writable, parts: AdapterParts): Promise<void> {
  return new Promise((resolve) => {
    const connection: DebugConnection = new DebugConnection((created) => {
      const session = new DebugSession(created, { ...parts, onEnd: resolve });
      for (const event of ['end', 'close']) input.once(event, () => session.end());
      return session.handlers;
    });
    // The protocol reports messages that are not JSON, and broken streams.
    connection.on('error', ({ body }: { readonly body?: unknown }) =>
      parts.report(`invalid message of the editor: ${String(body)}`),
    );
    for (const event of ['end', 'close']) input.once(event, () => resolve());
    connection.start(input, output);
  });
}

/** Listens for editors on this machine. Each connection is a session of its own. Rejects with {@link StartError}. */
export async function listenForEditors(
  port: number,
  parts: AdapterParts,
): Promise<{ readonly port: number; close(): void }> {
  const server: Server = createServer((socket) => {
    void serveStreams(socket, socket, parts).then(() => socket.end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new StartError(`--adapter-port: cannot listen on ${LOOPBACK}:${port}: ${systemMessage(error)}`)),
    );
    server.listen(port, LOOPBACK, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () => void server.close(),
  };
}
