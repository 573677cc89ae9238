import type { Chain } from '../chain/chain.ts';
import type { Lanes } from '../node/lanes.ts';

/** The state of a running node. */
export interface Health {
  readonly chainId: number;
  /** The number of the newest block of the base chain. */
  readonly blockNumber: number;
  /** The number of lanes; 0 without `--lanes` too. */
  readonly lanes: number;
  /** True once the node makes no lanes any more and ends when those there are have. */
  readonly isEnding: boolean;
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
    isEnding: lanes?.isEnding ?? false,
  };
}

/**
 * Returns the answer to the request, as JSON. When callers need a key, it omits the activity of other callers on the
 * chain.
 */
export function healthText({ chainId, blockNumber, lanes, isEnding }: Health, needsKey: boolean): string {
  const known = { status: isEnding ? 'ending' : 'ok', chainId };
  return JSON.stringify(needsKey ? known : { ...known, blockNumber, lanes });
}

/** Returns the HTTP status of the answer: 503 of a node that is to get no new callers. */
export function healthStatus({ isEnding }: Health): number {
  return isEnding ? 503 : 200;
}
