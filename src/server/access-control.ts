// Decides which requests are served: by host, origin, address and API key.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Peers } from '../rpc/peers.ts';
import {
  BannedAddressError,
  BodyTooLargeError,
  HostNotAllowedError,
  NodeEndingError,
  OriginNotAllowedError,
  PathNotFoundError,
  type RefusedError,
  SeveralHostsError,
  UnsupportedBodyError,
  WrongApiKeyError,
} from './errors.ts';
import type { OriginHeaders, ServerOptions } from './options.ts';

/** A host in a header or a URL. */
export interface NamedHost {
  /** In lower case, without brackets and root dot. */
  readonly name: string;
  /** True for an IP address. */
  readonly isAddress: boolean;
  /** The port as written; `null` for none. */
  readonly port: string | null;
}

const LONGEST_NAME = 253;
/** A label of a name (RFC 1123, section 2.1); container names have underscores too. */
const LABEL = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;
const PORT = /^\d{0,5}$/;
const MOST_PORT = 65_535;

function isPort(text: string): boolean {
  return PORT.test(text) && Number(text) <= MOST_PORT;
}

function named(text: string, port: string | null): NamedHost | undefined {
  if (port !== null && !isPort(port)) return undefined;
  const name = text.replace(/\.$/, '').toLowerCase();
  if (name.length > LONGEST_NAME) return undefined;
  const isAddress = isIP(name) === 4;
  return isAddress || name.split('.').every((label) => LABEL.test(label))
    ? { name, isAddress, port }
    : undefined;
}

/**
 * Returns the host of a text of the form `name`, `name:port`, `address:port` or `[address]:port` (RFC 3986, section
 * 3.2.2), or of an IPv6 address without brackets and port. `undefined` for anything else, such as a name with a user
 * before it.
 */
function parseHost(text: string): NamedHost | undefined {
  if (isIP(text) === 6) return { name: text.toLowerCase(), isAddress: true, port: null };
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/s.exec(text);
  if (bracketed !== null) {
    const [, address = '', port = null] = bracketed;
    const isRight = isIP(address) === 6 && (port === null || isPort(port));
    return isRight ? { name: address.toLowerCase(), isAddress: true, port } : undefined;
  }
  const colon = text.indexOf(':');
  return colon < 0 ? named(text, null) : named(text.slice(0, colon), text.slice(colon + 1));
}

/** True for `localhost` and the names below it, which resolve to this machine (RFC 6761, section 6.3). */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || isBelow(name, 'localhost');
}

/** True for a name that is a subdomain of the other. */
function isBelow(name: string, suffix: string): boolean {
  return name.endsWith(`.${suffix}`);
}

/** A rule that allows hosts beside those that are always served: every name, one name, or all below a name. */
export type AllowedHost =
  | { readonly kind: 'any' }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'below'; readonly name: string };

/**
 * Returns the rule of `*`, of a host name or IP address, or of `*.` with a name; `undefined` for anything else:
 * schemes, paths and ports do not belong to a host.
 */
export function parseAllowedHost(text: string): AllowedHost | undefined {
  if (text === '*') return { kind: 'any' };
  const isBelowOne = text.startsWith('*.');
  const host = parseHost(isBelowOne ? text.slice(2) : text);
  if (host === undefined || host.port !== null || (isBelowOne && host.isAddress)) return undefined;
  return { kind: isBelowOne ? 'below' : 'name', name: host.name };
}

/** Returns whether a Host header names this node. */
export type HostCheck = (host: string | undefined) => boolean;

/**
 * Returns a check of the Host header against DNS rebinding, by which a web page reaches a local server under the page's
 * own name. IP addresses and localhost cannot be rebound; `bindHost` and `allowHosts` are served beside them, whatever
 * the port. Throws a `TypeError` for an `allowHosts` that {@link parseAllowedHost} does not take.
 */
export function createHostCheck(bindHost: string, allowHosts: readonly string[]): HostCheck {
  const served = new Set<string>();
  const servedBelow: string[] = [];
  const own = parseHost(bindHost);
  if (own !== undefined) served.add(own.name);
  for (const text of allowHosts) {
    const allowed = parseAllowedHost(text);
    if (allowed === undefined)
      throw new TypeError(`invalid host ${JSON.stringify(text)}; expected a name, an address, *.name or *`);
    if (allowed.kind === 'any') return () => true;
    if (allowed.kind === 'name') served.add(allowed.name);
    else servedBelow.push(allowed.name);
  }
  let lastServed: string | undefined;
  const isServed = (text: string): boolean => {
    const host = parseHost(text);
    if (host === undefined) return false;
    const { name, isAddress } = host;
    return (
      isAddress ||
      isLoopbackName(name) ||
      served.has(name) ||
      servedBelow.some((suffix) => isBelow(name, suffix))
    );
  };
  return (host) => {
    if (host === undefined) return false;
    // Nearly all callers use the same host.
    if (host === lastServed) return true;
    if (!isServed(host)) return false;
    lastServed = host;
    return true;
  };
}

/** Returns whether pages of an origin may call. */
export type OriginCheck = (origin: string) => boolean;

/** The default ports of schemes, which origins omit (RFC 6454, section 6.2). */
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
  /** Empty for the scheme's default port. */
  readonly port: string;
}

/** Returns an origin in its parts; `undefined` for an origin without a host, such as `null`. */
function parseOrigin(text: string): Origin | undefined {
  const [, scheme = '', rest = ''] = /^([a-z][a-z\d+.-]*):\/\/(.+)$/is.exec(text) ?? [];
  const host = parseHost(rest);
  if (host === undefined) return undefined;
  const lower = scheme.toLowerCase();
  const port = host.port === DEFAULT_PORTS.get(lower) ? '' : (host.port ?? '');
  return { scheme: lower, name: host.name, isAddress: host.isAddress, port };
}

/** Returns the origin in its normal form, so that all spellings of it are equal. */
function normalOrigin(text: string): string {
  const origin = parseOrigin(text);
  return origin === undefined ? text.toLowerCase() : `${origin.scheme}://${origin.name}:${origin.port}`;
}

/**
 * Returns a check of the Origin header, in which browsers send where a page comes from. An empty list allows the pages
 * of this machine, under any scheme and port, and the browser's extensions; otherwise the listed origins are allowed,
 * or all with `*`.
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

/** True for a browser extension: wallets such as MetaMask call under an origin of their own, which pages cannot use. */
function isExtensionOrigin(origin: string): boolean {
  return /^(?:chrome|moz|safari-web)-extension:\/\/[\w.-]+$/i.test(origin);
}

/** The parts of a request that access control reads. */
export interface Caller {
  readonly headers: OriginHeaders;
  /** Alternating names and values; omitted when it is known that no header occurs twice. */
  readonly rawHeaders?: readonly string[];
  /** The request target; omitted when it is known to be a path. */
  readonly url?: string | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Decides which requests are served, for HTTP and for WebSocket. */
export class AccessControl {
  readonly #isServedHost: HostCheck;
  /** Hosts whose own pages may call. Without `*`, under which the name of any page could lead here (DNS rebinding). */
  readonly #isOwnHost: HostCheck;
  readonly #isAllowedOrigin: OriginCheck;
  readonly #apiKeys: ReadonlySet<string>;
  readonly #peers: Peers;
  readonly #refusesLane: (key: string) => boolean;

  /** `refusesLane` returns true for the key of a lane that is not made any more; absent where all are. */
  constructor(
    options: Pick<ServerOptions, 'host' | 'allowHosts' | 'allowOrigins' | 'apiKeys'>,
    peers: Peers,
    refusesLane: (key: string) => boolean = () => false,
  ) {
    this.#peers = peers;
    this.#refusesLane = refusesLane;
    this.#isServedHost = createHostCheck(options.host, options.allowHosts);
    this.#isOwnHost = createHostCheck(
      options.host,
      options.allowHosts.filter((name) => name !== '*'),
    );
    this.#isAllowedOrigin = createOriginCheck(options.allowOrigins);
    this.#apiKeys = new Set(options.apiKeys);
  }

  /** Returns why this caller is not served; `undefined` when it is. */
  refuseCaller({ headers, rawHeaders, url, socket }: Caller): RefusedError | undefined {
    const { remoteAddress = 'unknown' } = socket;
    if (this.#peers.isBanned(remoteAddress)) return new BannedAddressError(remoteAddress);
    if (rawHeaders !== undefined && hasSeveralHosts(rawHeaders)) return new SeveralHostsError();
    if (!this.#isServedHost(headers.host)) return new HostNotAllowedError(headers.host);
    // A target that is a whole URL names the host too, and takes precedence over the header (RFC 9112, section 3.2.2).
    const target = url === undefined ? undefined : hostOfTarget(url);
    if (target !== undefined && !this.#isServedHost(target)) return new HostNotAllowedError(target);
    const { origin } = headers;
    if (origin !== undefined && !this.#isAllowedOrigin(origin) && !this.#isOwnPage(origin, headers.host)) {
      return new OriginNotAllowedError(origin);
    }
    return undefined;
  }

  /** True for the page that this server gave to the browser itself, which calls under the name that it was found by. */
  #isOwnPage(origin: string, host: string | undefined): boolean {
    if (host === undefined || !this.#isOwnHost(host)) return false;
    const called = normalOrigin(origin);
    return called === normalOrigin(`http://${host}`) || called === normalOrigin(`https://${host}`);
  }

  /** True when callers must have an API key. */
  get needsKey(): boolean {
    return this.#apiKeys.size > 0;
  }

  /** True for a key that callers may have. */
  hasKey(key: string): boolean {
    return this.#apiKeys.has(key);
  }

  /** Returns why this path is not served; `undefined` when it is. */
  refusePath({ url = '/' }: Pick<IncomingMessage, 'url'>): RefusedError | undefined {
    if (url === '/' && this.#apiKeys.size === 0) return undefined;
    const [segment = '', ...deeper] = pathOf(url).split('/').filter(Boolean);
    if (deeper.length > 0) return new PathNotFoundError();
    const key = decoded(segment);
    if (this.#apiKeys.size > 0 && !this.#apiKeys.has(key)) return new WrongApiKeyError();
    return segment !== '' && this.#refusesLane(key) ? new NodeEndingError() : undefined;
  }
}

/** Returns the key in a request target: its only segment, without percent encoding; `undefined` when there is none. */
export function keyOfTarget(target = '/'): string | undefined {
  if (target === '/') return undefined;
  const [segment] = pathOf(target).split('/').filter(Boolean);
  return segment === undefined ? undefined : decoded(segment);
}

const WHOLE_URL = /^https?:\/\/([^/?]*)/i;

/** Returns the path of a request target, which may be a whole URL (RFC 9112, section 3.2.2) and have a query. */
export function pathOf(target: string): string {
  return target.replace(WHOLE_URL, '').replace(/\?.*$/s, '');
}

/** Returns the host of a request target that is a whole URL; `undefined` for a path. */
function hostOfTarget(target: string): string | undefined {
  return WHOLE_URL.exec(target)?.[1];
}

/** `rawHeaders` has alternating names and values. */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length > 1;
}

/** Returns the segment without percent encoding; a segment with an invalid encoding is returned unchanged. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const JSON_TYPE = /^\s*application\/(?:json|json-rpc|jsonrequest|[\w.!#$&^-]+\+json)\s*(?:;|$)/i;

/** Returns why a body with these headers is not read; `undefined` when it is. */
export function refuseBody(
  headers: Pick<IncomingHttpHeaders, 'content-type' | 'content-encoding' | 'content-length'>,
  limit: number,
): RefusedError | undefined {
  const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = headers;
  if (type !== 'application/json' && !JSON_TYPE.test(type ?? '')) {
    return new UnsupportedBodyError('unsupported media type: send the header Content-Type: application/json');
  }
  if (encoding !== undefined && encoding !== 'identity') {
    return new UnsupportedBodyError('compressed bodies are not supported: send no Content-Encoding');
  }
  return Number(length) > limit ? new BodyTooLargeError(limit) : undefined;
}
