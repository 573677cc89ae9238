// Limits connections to public hosts, for URLs from clients of a hosted node.

import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { BlockedPortError, BlockedUrlError, checkPort } from './blocked-port.ts';
import { publicAddressCheck } from './public-address.ts';

/** Thrown for a host without a public address, and for a missing host, so that names cannot be probed. */
export class NoPublicAddressError extends BlockedUrlError {
  override readonly name = 'NoPublicAddressError';

  constructor() {
    super('its host has no public address; with --hosted, a fork URL must lead to the public internet');
  }
}

/** Resolves a host name to all its addresses. */
export type ResolveHost = (
  hostname: string,
  options: { readonly all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

const HIGHEST_SYSTEM_PORT = 1023;
const WEB_PORTS: ReadonlySet<number> = new Set([80, 443]);
/** Returns a check for public addresses that do not belong to this machine. */
function foreignAddressCheck(): (address: string) => boolean {
  const isPublic = publicAddressCheck();
  return (address) =>
    isPublic(address) &&
    !Object.values(networkInterfaces()).some((own = []) => own.some((one) => one.address === address));
}

/** The hosts that clients of a hosted node may connect to. */
export class PublicNetwork {
  readonly #resolve: ResolveHost;
  readonly #isAllowed: (address: string) => boolean;

  constructor(
    resolve: ResolveHost = systemLookup,
    isAllowed: (address: string) => boolean = foreignAddressCheck(),
  ) {
    this.#resolve = resolve;
    this.#isAllowed = isAllowed;
  }

  /**
   * Throws a {@link BlockedPortError} for a port of another protocol, and a {@link NoPublicAddressError} for
   * a non-public address. The URL parser has already normalized decimal, octal and hexadecimal IPv4
   * addresses.
   */
  check(url: URL): void {
    const { protocol, hostname, port } = url;
    const isSecure = protocol === 'https:' || protocol === 'wss:';
    const number = port === '' ? (isSecure ? 443 : 80) : Number(port);
    if (number <= HIGHEST_SYSTEM_PORT && !WEB_PORTS.has(number)) throw new BlockedPortError(port);
    checkPort(url);
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(host) !== 0 && !this.#isAllowed(host)) throw new NoPublicAddressError();
  }

  /** Resolves a host name, so that the checked address is the connected one. All must be public. */
  readonly lookup: LookupFunction = (hostname, { all }, callback) => {
    this.#resolve(hostname, { all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (
        error !== null ||
        first === undefined ||
        !addresses.every(({ address }) => this.#isAllowed(address))
      )
        callback(new NoPublicAddressError(), [], 0);
      else if (all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
