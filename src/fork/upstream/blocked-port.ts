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

/** The ports that `fetch` blocks (https://fetch.spec.whatwg.org/#port-blocking). */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Throws a {@link BlockedPortError} for a URL with a port that `fetch` blocks. */
export function checkPort({ port }: URL): void {
  if (port !== '' && BLOCKED_PORTS.has(Number(port))) throw new BlockedPortError(port);
}

/** Returns true for the error of `fetch` about a blocked port. */
export function isPortBlocked(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port';
}
