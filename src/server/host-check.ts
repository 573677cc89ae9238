import { isIP } from 'node:net';

/** Tells whether a Host header names this node. */
export type HostCheck = (host: string | undefined) => boolean;

/**
 * A check of the Host header against DNS rebinding, by which a web page reaches a local server under the page's own
 * name. IP addresses and localhost cannot be rebound; `bindHost` and `allowHosts` are served beside them, whatever the
 * port. `*` in `allowHosts` allows every name.
 */
export function createHostCheck(bindHost: string, allowHosts: readonly string[]): HostCheck {
  if (allowHosts.includes('*')) return () => true;
  const served = new Set([bindHost, ...allowHosts].map(hostname));
  let lastServed: string | undefined;
  const isServed = (host: string): boolean => {
    const name = hostname(host);
    return isLoopbackName(name) || isIP(name) !== 0 || served.has(name);
  };
  return (host) => {
    if (host === undefined) return false;
    // Nearly all callers name the same host.
    if (host === lastServed) return true;
    if (!isServed(host)) return false;
    lastServed = host;
    return true;
  };
}

/** True for `localhost` and the names below it, which resolve to this machine (RFC 6761, section 6.3). */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

/** The name in `name:port`, in lower case, without a root dot and without the brackets of an IPv6 address. */
function hostname(host: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(host)?.[1];
  if (bracketed !== undefined) return bracketed.toLowerCase();
  return isIP(host) === 6 ? host.toLowerCase() : host.replace(/\.?(?::\d*)?$/, '').toLowerCase();
}
