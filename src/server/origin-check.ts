import { isLoopbackName, parseHost } from './host-name.ts';

/** Gives whether pages of an origin may call. */
export type OriginCheck = (origin: string) => boolean;

/** The ports that origins leave out (RFC 6454, section 6.2). */
const DEFAULT_PORTS: ReadonlyMap<string, string> = new Map([
  ['http', '80'],
  ['https', '443'],
  ['ws', '80'],
  ['wss', '443'],
]);

interface Origin {
  readonly scheme: string;
  readonly name: string;
  readonly isAddress: boolean;
  /** Empty for the one that the scheme has. */
  readonly port: string;
}

/** An origin in its parts; `undefined` for what has no host, such as `null`. */
function parseOrigin(text: string): Origin | undefined {
  const [, scheme = '', rest = ''] = /^([a-z][a-z\d+.-]*):\/\/(.+)$/is.exec(text) ?? [];
  const host = parseHost(rest);
  if (host === undefined) return undefined;
  const lower = scheme.toLowerCase();
  const port = host.port === DEFAULT_PORTS.get(lower) ? '' : (host.port ?? '');
  return { scheme: lower, name: host.name, isAddress: host.isAddress, port };
}

/** The origin as text: the same for all ways to write it. */
function normalOrigin(text: string): string {
  const origin = parseOrigin(text);
  return origin === undefined ? text.toLowerCase() : `${origin.scheme}://${origin.name}:${origin.port}`;
}

/**
 * A check of the Origin header, which browsers set to where a page comes from. An empty list allows the pages of this
 * machine, under any scheme and port, and the browser's extensions; otherwise the listed origins are allowed, or all
 * with `*`.
 */
export function createOriginCheck(allowOrigins: readonly string[]): OriginCheck {
  if (allowOrigins.includes('*')) return () => true;
  if (allowOrigins.length === 0) return (origin) => isLoopbackOrigin(origin) || isExtensionOrigin(origin);
  const allowed = new Set(allowOrigins.map((origin) => normalOrigin(origin.replace(/\/$/, ''))));
  return (origin) => allowed.has(normalOrigin(origin));
}

function isLoopbackOrigin(text: string): boolean {
  const origin = parseOrigin(text);
  if (origin === undefined) return false;
  return origin.isAddress
    ? origin.name === '127.0.0.1' || origin.name === '::1'
    : isLoopbackName(origin.name);
}

/** True for a browser extension: wallets such as MetaMask call under an origin of their own, which pages cannot take. */
function isExtensionOrigin(origin: string): boolean {
  return /^(?:chrome|moz|safari-web)-extension:\/\/[\w.-]+$/i.test(origin);
}
