/** Distinguishes GET requests for the explorer and for the health of the node. */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Chain } from '../chain/chain.ts';
import type { Lanes } from '../rpc/lanes/lane.ts';

/** The folder of the explorer's scripts and styles, whose names contain a hash of their content. */
const ASSETS = '/_/files/';

/** The reference for language models (llmstxt.org). It needs no key. */
const TEXTS: readonly string[] = ['/llms.txt', '/llms-full.txt'];

/**
 * Returns the path of the explorer or of its file for a request target. A file may also be the query of `/`.
 * Proxies may put several slashes at the start, which count as one.
 */
export function pagePath(target: string, pathOfTarget: string): string {
  const path = pathOfTarget.replace(/^\/{2,}/, '/');
  const query = `/${target.slice(target.indexOf('?') + 1)}`;
  return path === '/' && query.startsWith(ASSETS) ? query : path;
}

/** True for a file whose content never changes under its name. */
export function isImmutable(asset: string): boolean {
  return asset.startsWith(ASSETS);
}

/** Returns the requested file or the chain whose explorer is requested; `null` for other paths. */
export function pageTarget(path: string): { readonly asset: string | null; readonly chain: string } | null {
  if (path.startsWith(ASSETS) || TEXTS.includes(path)) return { asset: path, chain: '/' };
  const [first, second] = path.split('/').filter(Boolean);
  if (first === undefined || first === '_') return { asset: null, chain: '/' };
  return second === undefined || second === '_' ? { asset: null, chain: `/${first}` } : null;
}

/** True for GET or HEAD of an explorer file, a reference text, or an explorer page by a browser. */
export function isExplorerRequest({ method, headers }: IncomingMessage, path: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (path.startsWith(ASSETS) || TEXTS.includes(path)) return true;
  return showsPages(headers);
}

/** True for the headers of a browser that displays the response. */
export function showsPages({ accept }: IncomingHttpHeaders): boolean {
  return accept?.includes('text/html') ?? false;
}

/** True for the event stream of MEV-Share, which has the path of a chain. */
export function isStreamRequest({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && (headers.accept?.includes('text/event-stream') ?? false);
}

export interface Health {
  readonly chainId: number;
  /** The latest block number of the base chain. */
  readonly blockNumber: number;
  /** The number of lanes; 0 without `--lanes`. */
  readonly lanes: number;
  /** True if the node is closing: it creates no new lanes and waits for the existing ones. */
  readonly isEnding: boolean;
}

/** The path of the health endpoint, for GET and HEAD. */
const HEALTH_PATH = /^\/health\/?$/;

/** True for the health endpoint; `path` has no query. */
export function isHealthRequest(method: string | undefined, path: string): boolean {
  return (method === 'GET' || method === 'HEAD') && HEALTH_PATH.test(path);
}

export function healthOf(chain: Pick<Chain, 'settings' | 'head'>, lanes: Lanes | null): Health {
  return {
    chainId: chain.settings.chainId,
    blockNumber: chain.head().header.number,
    lanes: lanes?.list().length ?? 0,
    isEnding: lanes?.isEnding ?? false,
  };
}

/** Returns the response as JSON. If clients need a key, it omits the activity of other clients. */
export function healthText({ chainId, blockNumber, lanes, isEnding }: Health, needsKey: boolean): string {
  const known = { status: isEnding ? 'ending' : 'ok', chainId };
  return JSON.stringify(needsKey ? known : { ...known, blockNumber, lanes });
}

/** Returns the HTTP status: 503 if the node is closing. */
export function healthStatus({ isEnding }: Health): number {
  return isEnding ? 503 : 200;
}
