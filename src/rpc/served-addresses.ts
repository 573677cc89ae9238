import { isIP } from 'node:net';
import { AddressRange, plainAddress } from '../primitives/address-range.ts';

/** The address of a server of this node. */
export interface ServedAddress {
  /** The host name or address that the server listens on. */
  readonly host: string;
  readonly port: number;
}

/** The names and addresses of this machine. */
export interface Machine {
  /** In lower case. */
  readonly name: string;
  /** Addresses and ranges: loopback, unspecified, network interfaces. */
  readonly addresses: readonly string[];
  /** Resolves to the addresses of a host name; rejects if the name is unknown. */
  readonly lookUp: (name: string) => Promise<readonly string[]>;
}

/** The addresses that lead to loopback. A connection to an unspecified address does too. */
const LOOPBACK = ['127.0.0.0/8', '::1', '0.0.0.0', '::'];

/** The default ports of the schemes of a fork URL. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'ws:': 80,
  'https:': 443,
  'wss:': 443,
};

/** Normalises a host: in lower case, without brackets and trailing dot, a mapped IPv4 address as IPv4. */
function plainHost(host: string): string {
  const name = host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/i.exec(name);
  if (mapped === null) return plainAddress(name).toLowerCase();
  return mapped
    .slice(1)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff])
    .join('.');
}

/** True if the host is an address in one of the ranges. */
function isAmong(host: string, ranges: readonly string[]): boolean {
  return isIP(host) !== 0 && ranges.some((range) => AddressRange.read(range)?.contains(host) === true);
}

/** True if a connection to the host stays on this machine (for names, RFC 6761, section 6.3). */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || isAmong(host, LOOPBACK);
}

/** True if a request to the host reaches a server that listens on `served`. */
function reaches(host: string, served: string, { name, addresses }: Omit<Machine, 'lookUp'>): boolean {
  if (host === served) return true;
  const isForAll = served === '0.0.0.0' || served === '::';
  if (isForAll) return isLoopback(host) || host === name || isAmong(host, addresses);
  return isLoopback(served) && isLoopback(host);
}

/** The addresses of the servers of a node and its lanes. A fork of one of them would wait for itself. */
export class ServedAddresses {
  readonly #machine: () => Machine;
  readonly #served = new Set<ServedAddress>();

  constructor(machine: () => Machine) {
    this.#machine = machine;
  }

  /** Adds the address of a server. Returns a function that removes it. */
  add(address: ServedAddress): () => void {
    this.#served.add(address);
    return () => this.#served.delete(address);
  }

  /** Resolves to true for a URL of this node, with any scheme, path and query. */
  async includes(url: string): Promise<boolean> {
    const { protocol, hostname, port } = new URL(url);
    const givenPort = port === '' ? DEFAULT_PORTS[protocol] : Number(port);
    const hosts = [...this.#served].filter((served) => served.port === givenPort).map(({ host }) => host);
    if (hosts.length === 0) return false;
    const machine = this.#machine();
    const reachesThis = (name: string): boolean =>
      hosts.some((host) => reaches(plainHost(name), plainHost(host), machine));
    if (reachesThis(hostname)) return true;
    // Other names can lead to this machine too. An unknown name fails when the fork is opened.
    const addresses = await machine.lookUp(plainHost(hostname)).catch(() => []);
    return addresses.some(reachesThis);
  }
}
