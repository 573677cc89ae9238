import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from '../rpc/connection.ts';
import { keyOfTarget } from './gate.ts';

/** One HTTP request as the RPC side sees it. */
export class HttpConnection implements Connection {
  readonly transport = 'http';
  readonly notify = null;
  readonly key: string | undefined;
  readonly userAgent: string | undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.key = keyOfTarget(request.url);
    this.userAgent = request.headers['user-agent'];
    this.#request = request;
    this.#response = response;
  }

  get remoteAddress(): string {
    return this.#request.socket.remoteAddress ?? 'unknown';
  }

  get isClosed(): boolean {
    // A response that waits behind another one of its socket does not learn that the socket is gone.
    return this.#response.closed || this.#request.socket.destroyed;
  }

  onClose(action: () => void): () => void {
    if (this.#response.closed) action();
    else this.#response.once('close', action);
    return () => this.#response.removeListener('close', action);
  }
}
