// The check of the Host header against DNS rebinding.

import { isIP } from 'node:net';

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
export function parseHost(text: string): NamedHost | undefined {
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
export function isBelow(name: string, suffix: string): boolean {
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
    if (allowed === undefined) throw new TypeError(`${JSON.stringify(text)} is no host that can be allowed`);
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
