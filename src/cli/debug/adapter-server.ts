/** Serves editors on a TCP port, or one editor on a pair of streams. */

import { createServer, type Server, type Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { StartError } from '../../config/errors.ts';
import { systemMessage } from '../../primitives/file-system.ts';
import { DebugSession, type SessionParts } from './debug-session.ts';
import { DebugConnection } from './protocol-server.ts';

/** The parts of all sessions. */
export type AdapterParts = Omit<SessionParts, 'onEnd'>;

const LOOPBACK = '127.0.0.1';
/** The first bytes of a message of the protocol. */
const MESSAGE_START = Buffer.from('Content-Length');

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
    const serve = (): void => void serveStreams(socket, socket, parts).then(() => socket.end());
    afterMessageStart(socket, serve, parts.report);
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

/**
 * Calls `serve` if the connection starts like a message. Otherwise it closes the connection: a web page can send
 * HTTP requests to the port, and their bodies can contain messages.
 */
function afterMessageStart(socket: Socket, serve: () => void, report: AdapterParts['report']): void {
  let start = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    start = Buffer.concat([start, chunk]);
    const size = Math.min(start.length, MESSAGE_START.length);
    if (!start.subarray(0, size).equals(MESSAGE_START.subarray(0, size))) {
      report('closed a connection to --adapter-port: expected a DAP message (Content-Length: …)');
      socket.destroy();
    } else if (size === MESSAGE_START.length) {
      socket.off('data', onData);
      socket.off('error', onError);
      socket.pause();
      socket.unshift(start);
      serve();
    }
  };
  const onError = (error: Error): void => report(`connection to --adapter-port: ${error.message}`);
  socket.on('data', onData);
  socket.on('error', onError);
}
