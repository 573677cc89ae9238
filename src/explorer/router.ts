/** The address of the page: which chain, which view of it, and what the view shows. */

import { computed, signal } from '@preact/signals';

/** A place in the page. */
export interface Place {
  /** The lane or key in the path; empty for the base chain. */
  readonly chain: string;
  /** `feed`, `tx`, `block`, `address` and so on. */
  readonly view: string;
  /** The hash, number or address that the view shows; empty for none. */
  readonly subject: string;
  readonly query: URLSearchParams;
}

/** The path at which the node is, without the slash at its end: empty, or the prefix that a proxy before it takes away. */
const root = new URL('../../', import.meta.url).pathname.slice(0, -1);

/** The URL of the node, without the slash at its end. */
export const nodeUrl = location.origin + root;

const address = signal(location.pathname + location.search);

/** Returns the text of a part of a path; the part itself where it is no encoded text, such as one typed by hand. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}

/** Returns the place that a path leads to. */
function placeOf(path: string): Place {
  const { pathname, searchParams } = new URL(path, 'http://page');
  const below = pathname.startsWith(`${root}/`) ? pathname.slice(root.length) : pathname;
  const segments = below.split('/').filter(Boolean).map(decoded);
  const [first = '_'] = segments;
  const isBase = first === '_';
  const [view = 'feed', ...rest] = segments.slice(isBase ? 1 : 2);
  return { chain: isBase ? '' : first, view, subject: rest.join('/'), query: searchParams };
}

/** The place that the page shows. */
export const place = computed(() => placeOf(address.value));

/** Returns the path of a view of the chain that the page is at. */
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
  const parts = [chain, '_', view, subject].filter((part) => part !== '').map(encodeURIComponent);
  const search = new URLSearchParams(query).toString();
  return `${root}/${parts.join('/')}${search === '' ? '' : `?${search}`}`;
}

/** Goes to a path. Another chain is another page, since everything that is known is of one chain. */
export function go(path: string, replace = false): void {
  if (placeOf(path).chain !== place.peek().chain) {
    location.assign(path);
    return;
  }
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  address.value = path;
  if (!replace) window.scrollTo(0, 0);
}

/** Follows the back button, and links inside the page without loading it again. */
export function followLinks(): void {
  window.addEventListener('popstate', () => {
    address.value = location.pathname + location.search;
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    // A link in a picture is one of SVG, which has no parts of its address.
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    if (link === null || link.hasAttribute('target') || link.hasAttribute('download')) return;
    const { origin, hash, pathname, search } = new URL(link.getAttribute('href') ?? '', location.href);
    if (origin !== location.origin || hash !== '') return;
    event.preventDefault();
    go(pathname + search);
  });
}
