import { isLoopbackName } from './host-check.ts';

/** Tells whether pages of an origin may call. */
export type OriginCheck = (origin: string) => boolean;

/**
 * A check of the Origin header, which browsers set to where a page comes from. An empty list allows the pages of this
 * machine, under any scheme and port, and the browser's extensions; otherwise the listed origins are allowed, or all
 * with `*`.
 */
export function createOriginCheck(allowOrigins: readonly string[]): OriginCheck {
  if (allowOrigins.includes('*')) return () => true;
  if (allowOrigins.length === 0) return (origin) => isLoopbackOrigin(origin) || isExtensionOrigin(origin);
  const allowed = new Set(allowOrigins.map((origin) => origin.replace(/\/$/, '').toLowerCase()));
  return (origin) => allowed.has(origin.toLowerCase());
}

function isLoopbackOrigin(origin: string): boolean {
  const name = /^[a-z][a-z\d+.-]*:\/\/([^/:@[\]]+|\[::1\])(?::\d+)?$/i.exec(origin)?.[1]?.toLowerCase();
  return name !== undefined && (name === '127.0.0.1' || name === '[::1]' || isLoopbackName(name));
}

/** True for a browser extension: wallets such as MetaMask call under an origin of their own, which pages cannot take. */
function isExtensionOrigin(origin: string): boolean {
  return /^(?:chrome|moz|safari-web)-extension:\/\/[\w.-]+$/i.test(origin);
}
