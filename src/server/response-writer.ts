import type { WallClock } from '../primitives/clock.ts';
import type { Answer } from './answer.ts';

/** How long an idle connection is kept, in milliseconds. Load balancers keep theirs 60 s. */
export const KEEP_ALIVE = 65_000;

const KEPT = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE / 1_000}\r\n\r\n`;

/** A whole response as bytes on the wire, in one part or two. */
export type Response = readonly (string | Buffer)[];

/** Writes responses as node:http does, for connections that node:http does not serve. */
export class ResponseWriter {
  readonly #clock: WallClock;
  #second = Number.NaN;
  #date = '';

  constructor(clock: WallClock) {
    this.#clock = clock;
  }

  /** Returns the response with this answer as its body, 204 when there is none. */
  write(body: Answer | undefined): Response {
    if (body === undefined) return [`HTTP/1.1 204 No Content\r\n${this.#dateLine()}${KEPT}`];
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${this.#dateLine()}${KEPT}`;
    return typeof body === 'string' ? [`${head}${body}`] : [head, body];
  }

  /** Returns the Date header, computed once per second because it has no finer resolution (RFC 9110, section 5.6.7). */
  #dateLine(): string {
    const now = this.#clock.now();
    const second = Math.floor(now / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = `Date: ${new Date(now).toUTCString()}\r\n`;
    }
    return this.#date;
  }
}
