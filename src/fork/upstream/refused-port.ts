// URLs that are never called, for example with a port that `fetch` blocks. Imports nothing, because browsers
// load this file with `lanes.ts`.

/** Thrown for a URL that the node does not call. A retry does not help. */
export class RefusedUrlError extends Error {
  override readonly name: string = 'RefusedUrlError';
}

/** Thrown for a port that `fetch` and browsers block, such as ports of mail and X11. */
export class RefusedPortError extends RefusedUrlError {
  override readonly name = 'RefusedPortError';

  constructor(port: string) {
    super(
      `cannot connect to port ${port}: fetch() blocks it (https://fetch.spec.whatwg.org/#port-blocking); use another port`,
    );
  }
}

/** Returns true for the error of `fetch` about a blocked port. */
export function isPortRefused(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port';
}
