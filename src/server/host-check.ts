import { isBelow, isLoopbackName, parseAllowedHost, parseHost } from './host-name.ts';

/** Gives whether a Host header names this node. */
export type HostCheck = (host: string | undefined) => boolean;

/**
 * A check of the Host header against DNS rebinding, by which a web page reaches a local server under the page's own
 * name. IP addresses and localhost cannot be rebound; `bindHost` and `allowHosts` are served beside them, whatever the
 * port. Throws a `TypeError` for an `allowHosts` that {@link parseAllowedHost} does not take.
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
    // Nearly all callers name the same host.
    if (host === lastServed) return true;
    if (!isServed(host)) return false;
    lastServed = host;
    return true;
  };
}
