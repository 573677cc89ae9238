/** Decides which requests are for the page. */

import type { IncomingMessage } from 'node:http';

/** The folder in which the page's scripts and styles are; their names change with their content. */
const ASSETS = '/_/files/';

/** The reference for language models, which is served to every caller (llmstxt.org). */
const TEXTS: readonly string[] = ['/llms.txt', '/llms-full.txt'];

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
  return headers.accept?.includes('text/html') ?? false;
}
