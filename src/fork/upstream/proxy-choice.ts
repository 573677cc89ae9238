// The proxy of a URL, from `--fork-proxy` or the environment.

import { BlockList, isIP } from 'node:net';
import { maskUrl } from './mask-url.ts';
import { ProxyError } from './proxy-error.ts';
import { DIRECT, isProxyUrl } from './proxy-url.ts';

/** Returns the proxy of an upstream URL; `null` for a direct connection. */
export type ProxyOf = (target: URL) => URL | null;

export interface ProxySettings {
  /** `--fork-proxy`: a URL or {@link DIRECT}; `null` to use the environment. */
  readonly forkProxy: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Returns the host without the brackets of an IPv6 address and without the dot of a complete name. */
function plainHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

/** True for this machine. Its ports are not reachable from a proxy. */
function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  if (isIP(host) === 0) return false;
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  for (const address of ['0.0.0.0', '::1', '::']) loopback.addAddress(address, familyOf(address));
  return loopback.check(host, familyOf(host));
}

function isInSubnet(host: string, address: string, prefix: string): boolean {
  const size = Number(prefix);
  const isValid = isIP(address) !== 0 && /^\d{1,3}$/.test(prefix) && size <= (isIP(address) === 4 ? 32 : 128);
  if (!isValid || isIP(host) === 0) return false;
  const subnet = new BlockList();
  subnet.addSubnet(address, size, familyOf(address));
  return subnet.check(host, familyOf(host));
}

/**
 * True if an entry of NO_PROXY matches, by the rules of curl. An entry is `*`, an address, a subnet, or a host
 * name with its subdomains, also as `.name` or `*.name`. A port is optional.
 */
function isExempt(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const [, name = '', entryPort] =
    /^(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  if (entryPort !== undefined && entryPort !== port) return false;
  const [address = '', prefix] = plainHost(name).split('/');
  if (prefix !== undefined) return isInSubnet(host, address, prefix);
  const suffix = address.replace(/^\*?\./, '');
  return suffix !== '' && (host === suffix || host.endsWith(`.${suffix}`));
}

/**
 * Returns the proxy of a URL. `--fork-proxy` takes precedence and applies to each URL. Otherwise HTTP_PROXY
 * applies to http and ws URLs, and HTTPS_PROXY to https and wss URLs, except for loopback hosts and hosts in
 * NO_PROXY. Names in lower case take precedence. Throws a {@link ProxyError} for an unsupported proxy.
 */
export function proxyFor(target: URL, { forkProxy, environment }: ProxySettings): URL | null {
  if (forkProxy !== null) return forkProxy === DIRECT ? null : new URL(forkProxy);
  const isSecure = target.protocol === 'https:' || target.protocol === 'wss:';
  const name = isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const read = (variable: string): string =>
    (environment[variable.toLowerCase()] || environment[variable] || '').trim();
  const value = read(name);
  const host = plainHost(target.hostname);
  if (value === '' || isLoopback(host)) return null;
  const port = target.port === '' ? (isSecure ? '443' : '80') : target.port;
  const exempt = read('NO_PROXY').split(/[\s,]+/);
  if (exempt.some((entry) => entry !== '' && isExempt(entry, host, port))) return null;
  const url = value.includes('://') ? value : `http://${value}`;
  if (!isProxyUrl(url))
    throw new ProxyError(
      `${name}: expected an HTTP or HTTPS URL, got "${maskUrl(url)}"; correct it or pass --fork-proxy`,
      { mayPass: false },
    );
  return new URL(url);
}
