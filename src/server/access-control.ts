// Decides by host, origin, address and API key whether a request is served.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { BEACON_KEY, PARENT_KEY } from '../rpc/lanes/lane.ts';
import type { Peers } from '../rpc/peers.ts';
import {
  BannedAddressError,
  BodyTooLargeError,
  HostNotAllowedError,
  NodeEndingError,
  OriginNotAllowedError,
  ParentPathError,
  PathNotFoundError,
  type RejectedError,
  SeveralHostsError,
  UnsupportedBodyError,
  WrongApiKeyError,
} from './errors.ts';
import type { OriginHeaders, ServerOptions } from './options.ts';

/** The host of a header or URL. */
export interface NamedHost {
  /** In lower case, without brackets and trailing dot. */
  readonly name: string;
  /** True for an IP address. */
  readonly isAddress: boolean;
  /** The port as written; `null` if absent. */
  readonly port: string | null;
}

const MAX_NAME_LENGTH = 253;
/** A label of a name (RFC 1123, section 2.1). Container names also have underscores. */
const LABEL = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;
const PORT = /^\d{0,5}$/;
const MAX_PORT = 65_535;

function isPort(text: string): boolean {
  return PORT.test(text) && Number(text) <= MAX_PORT;
}

function named(text: string, port: string | null): NamedHost | undefined {
  if (port !== null && !isPort(port)) return undefined;
  const name = text.replace(/\.$/, '').toLowerCase();
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const isAddress = isIP(name) === 4;
  return isAddress || name.split('.').every((label) => LABEL.test(label))
    ? { name, isAddress, port }
    : undefined;
}

/**
 * Parses `name`, `name:port`, `address:port` or `[address]:port` (RFC 3986, section 3.2.2), or an IPv6
 * address without brackets and port. Returns `undefined` for other text, such as a name after a user.
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

/** True for `localhost` and its subdomains, which resolve to this machine (RFC 6761, section 6.3). */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || isBelow(name, 'localhost');
}

/** True if the name is a subdomain of `suffix`. */
function isBelow(name: string, suffix: string): boolean {
  return name.endsWith(`.${suffix}`);
}

/** A rule for additional hosts: all names, one name, or all subdomains of a name. */
export type AllowedHost =
  | { readonly kind: 'any' }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'below'; readonly name: string };

/**
 * Parses `*`, a host name, an IP address, or `*.` and a name. Returns `undefined` for other text, such as a
 * host with a scheme, a path or a port.
 */
export function parseAllowedHost(text: string): AllowedHost | undefined {
  if (text === '*') return { kind: 'any' };
  const isBelowOne = text.startsWith('*.');
  const host = parseHost(isBelowOne ? text.slice(2) : text);
  if (host === undefined || host.port !== null || (isBelowOne && host.isAddress)) return undefined;
  return { kind: isBelowOne ? 'below' : 'name', name: host.name };
}

/** Returns true if a Host header names this node. */
export type HostCheck = (host: string | undefined) => boolean;

/**
 * Returns a check of the Host header against DNS rebinding: a web page calls a local server under the page's
 * name. IP addresses and localhost cannot be rebound. The check also accepts `bindHost` and `allowHosts`,
 * with any port. Throws a `TypeError` for an `allowHosts` entry that {@link parseAllowedHost} cannot parse.
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
    // Almost all clients use the same host.
    if (host === lastServed) return true;
    if (!isServed(host)) return false;
    lastServed = host;
    return true;
  };
}

/** Returns true if pages of this origin may send requests. */
export type OriginCheck = (origin: string) => boolean;

/** Default ports of schemes. Origins omit them (RFC 6454, section 6.2). */
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

/** Parses an origin; `undefined` for an origin without a host, such as `null`. */
function parseOrigin(text: string): Origin | undefined {
  const [, scheme = '', rest = ''] = /^([a-z][a-z\d+.-]*):\/\/(.+)$/is.exec(text) ?? [];
  const host = parseHost(rest);
  if (host === undefined) return undefined;
  const lower = scheme.toLowerCase();
  const port = host.port === DEFAULT_PORTS.get(lower) ? '' : (host.port ?? '');
  return { scheme: lower, name: host.name, isAddress: host.isAddress, port };
}

/** Returns a normal form, so that all spellings of an origin are equal. */
function normalOrigin(text: string): string {
  const origin = parseOrigin(text);
  return origin === undefined ? text.toLowerCase() : `${origin.scheme}://${origin.name}:${origin.port}`;
}

/**
 * Returns a check of the Origin header, which contains the origin of a web page. An empty list allows browser
 * extensions and all pages of this machine. Otherwise, the check allows the listed origins, or all for `*`.
 */
export function createOriginCheck(allowOrigins: ServerOptions['allowOrigins']): OriginCheck {
  if (allowOrigins === 'none') return () => false;
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

/** True for a browser extension. Wallets such as MetaMask have their own origin, which pages cannot use. */
function isExtensionOrigin(origin: string): boolean {
  return /^(?:chrome|moz|safari-web)-extension:\/\/[\w.-]+$/i.test(origin);
}

/** Headers of proxies. A proxy on this machine calls the node for clients on other machines. */
export const PROXY_HEADERS = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
] as const;

const LOOPBACK_ADDRESS = /^(?:::ffff:)?127(?:\.\d{1,3}){3}$|^::1$/;

/**
 * Returns true for a client on this machine: its address, its host and its origin are local, and no proxy
 * forwarded the request. If a proxy adds no header, only the origin of a browser reveals it.
 */
export function isLocalClient(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  remoteAddress: string | undefined,
): boolean {
  if (!LOOPBACK_ADDRESS.test(remoteAddress ?? '')) return false;
  if (PROXY_HEADERS.some((name) => headers[name] !== undefined)) return false;
  const { host, origin } = headers;
  const isLocalOrigin = origin === undefined || (typeof origin === 'string' && isLoopbackOrigin(origin));
  return isLocalOrigin && typeof host === 'string' && isLoopbackOrigin(`http://${host}`);
}

/** The parts of a request that access control reads. */
export interface Client {
  readonly headers: OriginHeaders;
  /** Alternating names and values; omitted if no header occurs twice. */
  readonly rawHeaders?: readonly string[];
  /** The request target; omitted if it is a path. */
  readonly url?: string | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Decides for HTTP and WebSocket which requests are served. */
export class AccessControl {
  readonly #isServedHost: HostCheck;
  /** Hosts of this node's own pages. Excludes `*`, because of DNS rebinding. */
  readonly #isOwnHost: HostCheck;
  readonly #isAllowedOrigin: OriginCheck;
  /** False if responses have no headers for pages of other origins. */
  readonly hasCors: boolean;
  readonly #apiKeys: ReadonlySet<string>;
  readonly #servesOnlyParent: boolean;
  readonly #peers: Peers;
  readonly #rejectsLane: (key: string) => boolean;

  /** `rejectsLane` returns true for the key of a lane that is no longer created. */
  constructor(
    options: Pick<ServerOptions, 'host' | 'allowHosts' | 'allowOrigins' | 'apiKeys'> &
      Partial<Pick<ServerOptions, 'servesOnlyParent'>>,
    peers: Peers,
    rejectsLane: (key: string) => boolean = () => false,
  ) {
    this.#peers = peers;
    this.#rejectsLane = rejectsLane;
    this.#isServedHost = createHostCheck(options.host, options.allowHosts);
    this.#isOwnHost = createHostCheck(
      options.host,
      options.allowHosts.filter((name) => name !== '*'),
    );
    this.#isAllowedOrigin = createOriginCheck(options.allowOrigins);
    this.hasCors = options.allowOrigins !== 'none';
    this.#apiKeys = new Set(options.apiKeys);
    this.#servesOnlyParent = options.servesOnlyParent === true;
  }

  /** Returns the reason to reject a client; `undefined` if it is allowed. */
  rejectClient({ headers, rawHeaders, url, socket }: Client): RejectedError | undefined {
    const { remoteAddress = 'unknown' } = socket;
    if (this.#peers.isBanned(remoteAddress)) return new BannedAddressError(remoteAddress);
    if (rawHeaders !== undefined && hasSeveralHosts(rawHeaders)) return new SeveralHostsError();
    if (!this.#isServedHost(headers.host)) return new HostNotAllowedError(headers.host);
    // A target that is a full URL also names the host and overrides the header (RFC 9112, section 3.2.2).
    const target = url === undefined ? undefined : hostOfTarget(url);
    if (target !== undefined && !this.#isServedHost(target)) return new HostNotAllowedError(target);
    const { origin } = headers;
    if (origin !== undefined && !this.#isAllowedOrigin(origin) && !this.#isOwnPage(origin, headers.host)) {
      return new OriginNotAllowedError(
        origin,
        this.hasCors ? undefined : 'replace --no-cors with --allow-origin',
      );
    }
    return undefined;
  }

  /** True for a page of this server, whose origin is the host that the browser used. */
  #isOwnPage(origin: string, host: string | undefined): boolean {
    if (host === undefined || !this.#isOwnHost(host)) return false;
    const called = normalOrigin(origin);
    return called === normalOrigin(`http://${host}`) || called === normalOrigin(`https://${host}`);
  }

  /** True if clients must send an API key. */
  get needsKey(): boolean {
    return this.#apiKeys.size > 0;
  }

  /** True for a valid API key. */
  hasKey(key: string): boolean {
    return this.#apiKeys.has(key);
  }

  /** Returns the reason to reject a path; `undefined` if it is served. */
  rejectPath({ url = '/' }: Pick<IncomingMessage, 'url'>): RejectedError | undefined {
    if (this.#servesOnlyParent) return new ParentPathError();
    if (url === '/' && this.#apiKeys.size === 0) return undefined;
    const [segment = '', ...deeper] = pathOf(url).split('/').filter(Boolean);
    if (deeper.length > 0) return new PathNotFoundError();
    const key = decoded(segment);
    if (key === PARENT_KEY) return new ParentPathError();
    if (key === BEACON_KEY) return new PathNotFoundError();
    if (this.#apiKeys.size > 0 && !this.#apiKeys.has(key)) return new WrongApiKeyError();
    return segment !== '' && this.#rejectsLane(key) ? new NodeEndingError() : undefined;
  }

  /** True if another request like a served one is served, too. Bans and the end of the lanes change this. */
  stillServes(url: string, remoteAddress: string): boolean {
    return !this.#peers.isBanned(remoteAddress) && (url === '/' || this.rejectPath({ url }) === undefined);
  }

  /**
   * Returns the reason to reject a request below the path of a lane (`/parent`, `/eth/v1`); `undefined` if it is
   * served. `key` is the lane or the API key; absent for the base chain.
   */
  rejectLaneKey(key: string | undefined): RejectedError | undefined {
    if (this.#apiKeys.size > 0 && !this.#apiKeys.has(key ?? '')) return new WrongApiKeyError();
    return key !== undefined && this.#rejectsLane(key) ? new NodeEndingError() : undefined;
  }
}

/** Returns the key of a request target: its only segment, decoded; `undefined` if there is none. */
export function keyOfTarget(target = '/'): string | undefined {
  if (target === '/') return undefined;
  const [segment] = pathOf(target).split('/').filter(Boolean);
  return segment === undefined ? undefined : decoded(segment);
}

const WHOLE_URL = /^https?:\/\/([^/?]*)/i;

/** Returns the path of a target, which may be a full URL (RFC 9112, section 3.2.2) with a query. */
export function pathOf(target: string): string {
  return target.replace(WHOLE_URL, '').replace(/\?.*$/s, '');
}

/** Returns the host of a target that is a full URL; `undefined` for a path. */
function hostOfTarget(target: string): string | undefined {
  return WHOLE_URL.exec(target)?.[1];
}

/** `rawHeaders` has alternating names and values. */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length > 1;
}

/** Returns the decoded segment, or the segment unchanged if its percent encoding is invalid. */
export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const JSON_TYPE = /^\s*application\/(?:json|json-rpc|jsonrequest|[\w.!#$&^-]+\+json)\s*(?:;|$)/i;

/** Returns the reason to reject a body with these headers; `undefined` if it is read. */
export function rejectBody(
  headers: Pick<IncomingHttpHeaders, 'content-type' | 'content-encoding' | 'content-length'>,
  limit: number,
): RejectedError | undefined {
  const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = headers;
  if (type !== 'application/json' && !JSON_TYPE.test(type ?? '')) {
    return new UnsupportedBodyError('unsupported media type: send the header Content-Type: application/json');
  }
  if (encoding !== undefined && encoding !== 'identity') {
    return new UnsupportedBodyError('compressed bodies are not supported: send no Content-Encoding');
  }
  return Number(length) > limit ? new BodyTooLargeError(limit) : undefined;
}
