import { connect, type Socket } from 'node:net';

/** The response to one request. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

interface Waiting {
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A keep-alive HTTP/1.1 connection with pipelining (RFC 9112, section 9.3.2). If the other side closes it,
 * all pending requests reject.
 */
export class PipelinedConnection {
  readonly #socket: Socket;
  readonly #host: string;
  readonly #waiting: Waiting[] = [];
  #received: Buffer = Buffer.alloc(0);

  constructor(url: string) {
    const { hostname, port, host } = new URL(url);
    this.#host = host;
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on('data', (chunk) => this.#receive(chunk));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the connection was closed')));
  }

  /** Posts a JSON body, valid or not. */
  post(body: string | Buffer): Promise<HttpAnswer> {
    if (this.#socket.destroyed) return Promise.reject(new Error('the connection is closed'));
    const head = `POST / HTTP/1.1\r\nHost: ${this.#host}\r\nContent-Type: application/json\r\n`;
    this.#socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`);
    this.#socket.write(body);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    for (let answer = this.#takeAnswer(); answer !== undefined; answer = this.#takeAnswer()) {
      this.#waiting.shift()?.resolve(answer);
    }
  }

  #takeAnswer(): HttpAnswer | undefined {
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return undefined;
    const head = this.#received.toString('latin1', 0, headEnd);
    const start = headEnd + 4;
    const end = start + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    if (this.#received.length < end) return undefined;
    const body = this.#received.toString('utf8', start, end);
    this.#received = this.#received.subarray(end);
    return { status: Number(head.split(' ')[1]), body };
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
