/** Serves the event stream of MEV-Share: server-sent events with the hints of waiting bundles. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Timer } from '../../primitives/clock.ts';
import { CodedError } from '../../primitives/coded-error.ts';
import type { RpcService } from '../../rpc/connection.ts';
import { keyOfTarget } from '../access-control.ts';
import { answerWithoutId } from '../envelope.ts';
import { HttpConnection, type HttpOptions, send } from '../http-exchange.ts';
import { TooManyStreamsError } from './errors.ts';

/** Maximum number of open streams of a server. */
const STREAM_LIMIT = 100;

/** Maximum unread bytes before a client is dropped. */
const UNREAD_LIMIT = 4 * 1024 * 1024;

/** Milliseconds between comments that keep the connection open, as on MEV-Share. */
const PING_PAUSE = 15_000;

const HEADERS = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' };

/** A stream keeps its lane open. It ends with the lane, or if its address is banned. */
class StreamConnection extends HttpConnection {
  readonly disconnect: () => void;

  constructor(request: IncomingMessage, response: ServerResponse) {
    super(request, response, keyOfTarget(request.url));
    this.disconnect = () => void response.end();
  }
}

/** Serves streams to clients that passed the checks of host, origin, address and path. */
export class HintsEndpoint {
  readonly #service: RpcService;
  readonly #options: HttpOptions;
  readonly #open = new Set<StreamConnection>();

  constructor(service: RpcService, options: HttpOptions) {
    this.#service = service;
    this.#options = options;
    const { closing, hooks } = options;
    const stopWatchingBans = hooks.peers.onBan(() => this.#expelBanned());
    closing?.addEventListener('abort', () => {
      stopWatchingBans();
      for (const stream of this.#open) stream.disconnect();
    });
  }

  #expelBanned(): void {
    const { peers } = this.#options.hooks;
    for (const stream of this.#open) if (peers.isBanned(stream.remoteAddress)) stream.disconnect();
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { hooks, closing } = this.#options;
    if (this.#open.size >= STREAM_LIMIT) {
      const refusal = new TooManyStreamsError(STREAM_LIMIT);
      hooks.onRejected?.(refusal, request.headers);
      send(response, refusal.status, answerWithoutId(refusal));
      return;
    }
    const connection = new StreamConnection(request, response);
    this.#open.add(connection);
    response.once('close', () => this.#open.delete(connection));
    const push = (event: string): void => {
      begin(response);
      write(response, `data: ${event}\n\n`);
    };
    try {
      const stop = await this.#service.streamHints?.(connection, push, connection.disconnect);
      if (stop !== undefined) connection.onClose(stop);
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      send(response, 400, answerWithoutId(error));
      return;
    }
    if (connection.isClosed) return;
    begin(response);
    this.#ping(response);
    if (closing?.aborted === true) connection.disconnect();
  }

  /** Sends a comment now, and then regularly. */
  #ping(response: ServerResponse): void {
    const { timers } = this.#options.hooks;
    let next: Timer | undefined;
    const ping = (): void => {
      write(response, ':ping\n\n');
      next = timers.after(PING_PAUSE, ping);
    };
    ping();
    response.once('close', () => next?.cancel());
  }
}

function begin(response: ServerResponse): void {
  if (!response.headersSent) response.writeHead(200, HEADERS).flushHeaders();
}

/** Writes to a client. Drops a client that does not read. */
function write(response: ServerResponse, text: string): void {
  if (response.writableEnded) return;
  if (response.writableLength > UNREAD_LIMIT) response.destroy();
  else response.write(text);
}
