// An HTTP connection of a process to itself, without a system socket.

import { Socket } from 'node:net';
import type { Timers } from '../primitives/clock.ts';
import type { RpcService } from '../rpc/connection.ts';
import type { Peers } from '../rpc/peers.ts';
import { AccessControl } from '../server/access-control.ts';
import { FastHttpEndpoint } from '../server/fast-path/fast-http-endpoint.ts';
import { defaultServerOptions, type ServerHooks } from '../server/options.ts';

type WriteDone = (error?: Error | null) => void;

/** The server's end of the connection. A `Socket`, so that V8 learns the types that real connections have. */
class MemorySocket extends Socket {
  override readonly remoteAddress = '127.0.0.1';
  readonly #onWrite: (chunk: Buffer) => void;

  constructor(onWrite: (chunk: Buffer) => void) {
    super();
    this.#onWrite = onWrite;
  }

  override _read(): void {
    // The client pushes its requests.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: WriteDone): void {
    this.#onWrite(chunk);
    done();
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: WriteDone): void {
    for (const { chunk } of chunks) this.#onWrite(chunk);
    done();
  }
}

const HEAD_END = '\r\n\r\n';

/** A client that calls a service through its HTTP endpoint, one request at a time. */
export class MemoryConnection {
  readonly #socket = new MemorySocket((chunk) => this.#receive(chunk));
  #received = '';
  #onBody: (body: string) => void = () => undefined;

  constructor(service: RpcService, peers: Peers, timers: Timers) {
    const { bodyLimit, batchLimit, answerLimit } = defaultServerOptions;
    // The response to an internal error has a code, so the request rejects.
    const hooks: ServerHooks = { timers, peers, health: unexpected, onInternalError: () => undefined };
    const access = new AccessControl(defaultServerOptions, peers);
    const rest = { servesExplorer: false, servesOnlyParent: false, hooks };
    const options = { access, bodyLimit, batchLimit, answerLimit, ...rest };
    // A request that is not an ordinary call closes the connection, and so rejects.
    new FastHttpEndpoint(service, options, (socket) => socket.destroy()).open(this.#socket);
  }

  /** Calls a method and resolves to its result. Rejects with its error. */
  async request(method: string, params: readonly unknown[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const head = `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`;
    const answer = await new Promise<string>((resolve, reject) => {
      const onClose = (): void => reject(new Error(`the connection closed before the response to ${method}`));
      this.#socket.once('close', onClose);
      this.#onBody = (text) => {
        this.#socket.off('close', onClose);
        resolve(text);
      };
      this.#socket.push(Buffer.from(`${head}${HEAD_END}${body}`));
    });
    const { result, error } = JSON.parse(answer) as { result?: unknown; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Collects the pieces of one response. One character is one byte. */
  #receive(chunk: Buffer): void {
    this.#received += chunk.toString('latin1');
    const headEnd = this.#received.indexOf(HEAD_END);
    const length = Number(/^content-length: (\d+)/im.exec(this.#received)?.[1]);
    const body = this.#received.slice(headEnd + HEAD_END.length);
    if (headEnd < 0 || body.length < length) return;
    this.#received = '';
    this.#onBody(Buffer.from(body, 'latin1').toString());
  }
}

function unexpected(): never {
  throw new Error('no request asks for the health');
}
