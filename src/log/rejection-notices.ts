import { printable } from '../config/errors.ts';
import type { CodedError } from '../primitives/coded-error.ts';
import { ParseError } from '../server/errors.ts';

/** The client of a rejected request, as far as known. */
export interface RejectedClient {
  /** The Host header. */
  readonly host?: string | undefined;
  /** The Origin header. */
  readonly origin?: string | undefined;
  /** The IP address. */
  readonly address?: string | undefined;
}

/** Maximum distinct notices, because clients choose origins and hosts freely. */
const MAX_NOTICES = 200;
const MAX_NAME_LENGTH = 100;

/** Returns the reason. Messages of a JSON parser quote the body, which can contain keys. */
function wordsOf(refusal: CodedError): string {
  return refusal instanceof ParseError ? 'its body is not JSON' : refusal.message;
}

/** Logs rejected requests, once for each kind of error and each origin, host or address. */
export class RejectionNotices {
  readonly #write: (notice: string) => void;
  readonly #told = new Set<string>();

  constructor(write: (notice: string) => void) {
    this.#write = write;
  }

  /** Writes a notice, unless it repeats an earlier one. */
  tell(refusal: CodedError, { host, origin, address }: RejectedClient): void {
    if (this.#told.size > MAX_NOTICES) return;
    const from = origin === undefined ? address : `the page ${origin}`;
    const name = [refusal.constructor.name, from, host]
      .map((part) => part?.slice(0, MAX_NAME_LENGTH))
      .join(' ');
    if (this.#told.has(name)) return;
    this.#told.add(name);
    if (this.#told.size > MAX_NOTICES) {
      this.#write('Further rejected requests are not logged until the next start');
      return;
    }
    const source = from === undefined ? '' : ` from ${printable(from, MAX_NAME_LENGTH)}`;
    this.#write(`Rejected a request${source}: ${printable(wordsOf(refusal))}`);
  }
}
