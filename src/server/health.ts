import type { Chain } from '../chain/chain.ts';
import type { Lanes } from '../node/lanes.ts';

/** The state of a running node. */
export interface Health {
  readonly chainId: number;
  /** The number of the newest block of the base chain. */
  readonly blockNumber: number;
  /** The number of lanes; 0 without `--lanes` too. */
  readonly lanes: number;
}

/** The path of the health endpoint, for GET and HEAD. */
const HEALTH_PATH = /^\/health\/?$/;

/** True for a request of the health endpoint; `path` has no query. */
export function asksForHealth(method: string | undefined, path: string): boolean {
  return (method === 'GET' || method === 'HEAD') && HEALTH_PATH.test(path);
}

/** Returns the health of a node with that chain and those lanes. */
export function healthOf(chain: Pick<Chain, 'settings' | 'head'>, lanes: Lanes | null): Health {
  return {
    chainId: chain.settings.chainId,
    blockNumber: chain.head().header.number,
    lanes: lanes?.list().length ?? 0,
  };
}

/**
 * Returns the answer to the request, as JSON. When callers need a key, it omits the activity of other callers on the
 * chain.
 */
export function healthText({ chainId, blockNumber, lanes }: Health, needsKey: boolean): string {
  const known = { status: 'ok', chainId };
  return JSON.stringify(needsKey ? known : { ...known, blockNumber, lanes });
}
