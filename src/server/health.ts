import type { Chain } from '../chain/chain.ts';
import type { Lanes } from '../node/lanes.ts';

/** How a node is that serves requests. */
export interface Health {
  readonly chainId: number;
  /** The number of the newest block of the base chain. */
  readonly blockNumber: number;
  /** How many lanes there are; 0 without `--lanes` too. */
  readonly lanes: number;
}

/** The path that answers how the node is, to GET and HEAD. */
const HEALTH_PATH = /^\/health\/?$/;

/** True for a request that asks how the node is, which is no call of a method: `path` is without query. */
export function asksForHealth(method: string | undefined, path: string): boolean {
  return (method === 'GET' || method === 'HEAD') && HEALTH_PATH.test(path);
}

/** How the node is that serves that chain and those lanes. */
export function healthOf(chain: Pick<Chain, 'settings' | 'head'>, lanes: Lanes | null): Health {
  return {
    chainId: chain.settings.chainId,
    blockNumber: chain.head().header.number,
    lanes: lanes?.list().length ?? 0,
  };
}

/** The answer to the request, as JSON. Where callers need a key, what others do on the chain is not for everybody. */
export function healthText({ chainId, blockNumber, lanes }: Health, needsKey: boolean): string {
  const known = { status: 'ok', chainId };
  return JSON.stringify(needsKey ? known : { ...known, blockNumber, lanes });
}
