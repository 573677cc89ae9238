/** The URL of the explorer: the chain, its view, and the subject of the view. */

import { computed, signal } from '@preact/signals';

export interface Place {
  /** The lane or API key in the path; empty for the base chain. */
  readonly chain: string;
  /** `feed`, `tx`, `block`, `address` and so on. */
  readonly view: string;
  /** The hash, number or address in the view; empty for none. */
  readonly subject: string;
  readonly query: URLSearchParams;
}

/** The node's path without a trailing slash: empty, or the prefix that a reverse proxy removes. */
const root = new URL('../../', import.meta.url).pathname.slice(0, -1);

/** The node's URL without a trailing slash. */
export const nodeUrl = location.origin + root;

/** Each visit is another object, so that a view also notices a second visit of its own path. */
const visit = signal({ path: location.pathname + location.search });

/** Decodes a path segment; returns it unchanged if it is not valid percent-encoding. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}

function placeOf(path: string): Place {
  const { pathname, searchParams } = new URL(path, 'http://page');
  const below = pathname.startsWith(`${root}/`) ? pathname.slice(root.length) : pathname;
  const segments = below.split('/').filter(Boolean).map(decoded);
  const [first = '_'] = segments;
  const isBase = first === '_';
  const [view = 'feed', ...rest] = segments.slice(isBase ? 1 : 2);
  return { chain: isBase ? '' : first, view, subject: rest.join('/'), query: searchParams };
}

export const place = computed(() => placeOf(visit.value.path));

/** Returns the path of a view of the current chain. */
export function pathTo(view: string, subject = '', query: Readonly<Record<string, string>> = {}): string {
  return pathOn(place.peek().chain, view, subject, query);
}

/** Returns the path of a view of any chain. */
export function pathOn(
  chain: string,
  view: string,
  subject = '',
  query: Readonly<Record<string, string>> = {},
): string {
  const segments = [chain, '_', view, ...subject.split('/')];
  const parts = segments.filter((part) => part !== '').map(encodeURIComponent);
  const search = new URLSearchParams(query).toString();
  return `${root}/${parts.join('/')}${search === '' ? '' : `?${search}`}`;
}

/** Navigates to a path. Another chain loads a new page, because all state belongs to one chain. */
export function go(path: string, replace = false): void {
  if (placeOf(path).chain !== place.peek().chain) {
    location.assign(path);
    return;
  }
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  if (!replace || path !== visit.peek().path) visit.value = { path };
  if (!replace) window.scrollTo(0, 0);
}

/** Handles the back button, and links within the explorer without a page load. */
export function followLinks(): void {
  window.addEventListener('popstate', () => {
    visit.value = { path: location.pathname + location.search };
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    // Links in SVG have no parsed URL properties.
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    if (link === null || link.hasAttribute('target') || link.hasAttribute('download')) return;
    const { origin, hash, pathname, search } = new URL(link.getAttribute('href') ?? '', location.href);
    if (origin !== location.origin || hash !== '') return;
    event.preventDefault();
    go(pathname + search);
  });
}
