// URLs that are never called, for example with a port that `fetch` blocks. Imports nothing, because browsers
// load this file with `lanes.ts`.

/** Thrown for a URL that the node does not call. A retry does not help. */
export class BlockedUrlError extends Error {
  override readonly name: string = 'BlockedUrlError';
}

/** Thrown for a port that `fetch` and browsers block, such as ports of mail and X11. */
export class BlockedPortError extends BlockedUrlError {
  override readonly name = 'BlockedPortError';

  constructor(port: string) {
    super(
      `cannot connect to port ${port}: fetch() blocks it (https://fetch.spec.whatwg.org/#port-blocking); use another port`,
    );
  }
}

/** Returns true for the error of `fetch` about a blocked port. */
export function isPortBlocked(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port';
}
