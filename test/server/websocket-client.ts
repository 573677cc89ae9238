import type { IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';
import WebSocket from 'ws';
import type { RunningServer } from '../../src/server/server.ts';

/** How a WebSocket closed. */
export interface Closing {
  readonly code: number;
  readonly reason: string;
}

/** A WebSocket to the server that stores received messages. */
export class WebSocketClient {
  readonly socket: WebSocket;
  /** The messages so far, parsed. */
  readonly received: unknown[] = [];
  readonly closed: Promise<Closing>;
  #onMessage: () => void = () => undefined;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => {
      this.received.push(JSON.parse(data.toString()));
      this.#onMessage();
    });
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on('error', () => socket.terminate());
  }

  /** Opens a WebSocket. Rejects with the status of a rejected upgrade. */
  static async open(
    server: RunningServer,
    path = '/',
    options: WebSocket.ClientOptions = {},
  ): Promise<WebSocketClient> {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, options);
    const client = new WebSocketClient(socket);
    onTestFinished(() => socket.terminate());
    await new Promise((resolve, reject) => {
      socket.on('open', resolve);
      socket.on('unexpected-response', (_request, response) => {
        readAll(response).then(
          (body) => reject(new UpgradeRejection(response.statusCode ?? 0, body)),
          reject,
        );
      });
    });
    return client;
  }

  /** Resolves to the first `count` messages. */
  take(count: number): Promise<unknown[]> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.received.length >= count) resolve(this.received.slice(0, count));
      };
      this.#onMessage = check;
      check();
    });
  }
}

/** A rejected upgrade. */
export class UpgradeRejection extends Error {
  constructor(
    readonly status: number,
    readonly body: unknown,
  ) {
    super(`refused with ${status}`);
  }
}

async function readAll(response: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return JSON.parse(text);
}
