/** Decides which requests of GET are for the page, and which ask for the health of the node. */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Chain } from '../chain/chain.ts';
import type { Lanes } from '../rpc/lanes/lane.ts';

/** The folder in which the page's scripts and styles are; their names change with their content. */
const ASSETS = '/_/files/';

/** The reference for language models, which is served to every caller (llmstxt.org). */
const TEXTS: readonly string[] = ['/llms.txt', '/llms-full.txt'];

/**
 * Returns the path of the page or of its file that a request target with that path asks for. A file can be asked for by its path as the
 * query of `/`. Of slashes at the beginning, which proxies put there, one counts.
 */
export function pagePath(target: string, pathOfTarget: string): string {
  const path = pathOfTarget.replace(/^\/{2,}/, '/');
  const query = `/${target.slice(target.indexOf('?') + 1)}`;
  return path === '/' && query.startsWith(ASSETS) ? query : path;
}

/** Returns true for a file whose content never changes under its name. */
export function isImmutable(asset: string): boolean {
  return asset.startsWith(ASSETS);
}

/** Returns the target of a request for the page: a file of it, or the page of a chain; `null` for neither. */
export function pageTarget(path: string): { readonly asset: string | null; readonly chain: string } | null {
  if (path.startsWith(ASSETS) || TEXTS.includes(path)) return { asset: path, chain: '/' };
  const [first, second] = path.split('/').filter(Boolean);
  if (first === undefined || first === '_') return { asset: null, chain: '/' };
  return second === undefined || second === '_' ? { asset: null, chain: `/${first}` } : null;
}

/** True for a request of the page: GET or HEAD of one of its files, of a text beside it, or of a chain by a browser that shows what it gets. */
export function asksForPage({ method, headers }: IncomingMessage, path: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (path.startsWith(ASSETS) || TEXTS.includes(path)) return true;
  return showsPages(headers);
}

/** True for the headers of a browser that shows the answer to a person. */
export function showsPages({ accept }: IncomingHttpHeaders): boolean {
  return accept?.includes('text/html') ?? false;
}

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
