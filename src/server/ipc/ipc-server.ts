// The IPC server: JSON-RPC over a Unix domain socket, or over a named pipe on Windows.

import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import type { RpcService } from '../../rpc/connection.ts';
import { answerMessage } from '../envelope.ts';
import { MessageConnection, type UnreadData } from '../message-connection.ts';
import type { ServerHooks, ServerOptions } from '../options.ts';
import { bindIpcPath, ipcPathOf } from './ipc-path.ts';
import { IpcSocket } from './ipc-socket.ts';

/** Maximum connections at the same time. The server closes further ones immediately. */
const CONNECTION_LIMIT = 1_000;

/** An IPC client has no path, so it uses the base chain. Only the user of the node can connect. */
const CLIENT = {
  transport: 'ipc',
  remoteAddress: 'ipc',
  target: undefined,
  userAgent: undefined,
  isQuiet: false,
  isLocal: true,
} as const;

export interface RunningIpcServer {
  /** The path of the socket, or the name of the pipe on Windows. */
  readonly path: string;
  /**
   * Stops accepting, answers received messages, closes the connections and removes the socket. Destroys the
   * connections after `gracePeriod` (milliseconds).
   */
  close(gracePeriod?: number): Promise<void>;
}

/** Serves JSON-RPC on an IPC path. `default` selects the default path. Rejects with an `IpcPathError`. */
export async function startIpcServer(
  given: string,
  options: Pick<ServerOptions, 'bodyLimit' | 'batchLimit' | 'answerLimit' | 'gracePeriod'>,
  service: RpcService,
  hooks: ServerHooks,
): Promise<RunningIpcServer> {
  const { bodyLimit, batchLimit, answerLimit } = options;
  const path = ipcPathOf(given, { platform: process.platform, temporaryFolder: tmpdir() });
  const envelope = { batchLimit, answerLimit, hooks };
  const connections = new Map<IpcSocket, MessageConnection>();
  const unread: UnreadData = { held: 0 };
  let closed: Promise<void> | undefined;

  // A client can end its side after the last request and still read the responses.
  const server = createServer({ allowHalfOpen: true }, (netSocket) => {
    service.yielder?.connectionOpened?.();
    const socket = new IpcSocket(netSocket, bodyLimit, hooks.timers);
    const connection = new MessageConnection(
      socket,
      CLIENT,
      async (text, client) => answerMessage(text, service, client, envelope),
      unread,
    );
    connections.set(socket, connection);
    socket.on('rejected', (refusal) => hooks.onRejected?.(refusal, {}));
    socket.on('end', () => connection.leave());
    socket.on('close', () => connections.delete(socket));
    if (closed) connection.leave();
  });
  server.maxConnections = CONNECTION_LIMIT;
  const remove = await bindIpcPath(server, path, process.platform);
  server.on('error', (error) => hooks.onInternalError(error, null));
  // A second Ctrl-C ends the process without closing the server.
  process.once('exit', remove);

  async function closeAll(gracePeriod: number): Promise<void> {
    const grace = hooks.timers.after(gracePeriod, () => {
      for (const socket of connections.keys()) socket.terminate();
    });
    remove();
    process.off('exit', remove);
    const stopped = new Promise((resolve) => server.close(resolve));
    for (const connection of connections.values()) connection.leave();
    await stopped;
    grace.cancel();
  }

  return {
    path,
    close(gracePeriod = options.gracePeriod) {
      closed ??= closeAll(gracePeriod);
      return closed;
    },
  };
}
