import { isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';
import { networkInterfaces } from 'node:os';
import { InvalidBannedAddressError } from '../chain/errors.ts';
import { AddressRange, familyOf, plainAddress } from '../primitives/address-range.ts';
import type { Peer, PeerCounts, Peers } from '../rpc/peers.ts';

/** Returns the addresses and ranges of this machine: loopback, unspecified, network interfaces. */
export function machineAddresses(): string[] {
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address }) => address),
  );
  return ['127.0.0.0/8', '::1', '0.0.0.0', '::', ...own];
}

/** A peer with counters that change. */
type CountedPeer = { -readonly [Name in keyof Peer]: Peer[Name] };

/** Maximum peers. Above it, the oldest one is removed. */
const MAX_PEERS = 10_000;

const NO_COUNTS: PeerCounts = { validTransactions: 0, invalidTransactions: 0, invalidMessages: 0 };

/**
 * The addresses of clients, with counts and bans. The server rejects all requests of addresses that the base
 * chain has banned. The node bans no address by itself.
 */
export class PeerTable implements Peers {
  readonly #ownAddresses: () => readonly string[];
  /** By the address as received, for a fast look-up. */
  readonly #peers = new Map<string, CountedPeer>();
  #bans: readonly AddressRange[] = [];
  readonly #banListeners = new Set<() => void>();

  /** `ownAddresses` returns the addresses and ranges of this machine, which cannot be banned. */
  constructor(ownAddresses: () => readonly string[]) {
    this.#ownAddresses = ownAddresses;
  }

  /** True if the address is banned. Adds it as a peer. Only IP addresses can be banned. */
  isBanned(remoteAddress: string): boolean {
    return (this.#peers.get(remoteAddress) ?? this.#meet(remoteAddress))?.isBanned ?? false;
  }

  #meet(remoteAddress: string): CountedPeer | undefined {
    const address = plainAddress(remoteAddress);
    // Checked first, because the regular expression for IPv6 is slow to compile.
    const isAddress = address.includes(':') ? isIPv6(address) : isIPv4(address);
    if (!isAddress) return undefined;
    const peer = { address, isBanned: this.#liesInBan(address), score: 0, ...NO_COUNTS };
    this.#peers.set(remoteAddress, peer);
    const [oldest] = this.#peers.keys();
    if (this.#peers.size > MAX_PEERS && oldest !== undefined) this.#peers.delete(oldest);
    return peer;
  }

  #liesInBan(address: string): boolean {
    return this.#bans.some((range) => range.contains(address));
  }

  /** Adds one to a count of the address. */
  count(remoteAddress: string, what: keyof PeerCounts): void {
    const peer = this.#peers.get(remoteAddress) ?? this.#meet(remoteAddress);
    if (peer === undefined) return;
    peer.score = what === 'validTransactions' ? peer.score + 1 : Math.min(peer.score, 0) - 1;
    peer[what]++;
  }

  /** Returns the peers, oldest first. */
  peers(): Peer[] {
    return Array.from(this.#peers.values(), (peer) => ({ ...peer }));
  }

  /** Returns the banned addresses and ranges, oldest first. */
  bannedAddresses(): string[] {
    return this.#bans.map(({ text }) => text);
  }

  /** Bans an address or a CIDR range. Throws {@link InvalidBannedAddressError}, also for own addresses. */
  ban(text: string): void {
    const range = this.#bannable(text);
    if (this.#bans.some((banned) => banned.equals(range))) return;
    this.#setBans([...this.#bans, range]);
    for (const listener of this.#banListeners) listener();
  }

  /** Removes the ban of exactly this address or range. Throws like {@link ban}. */
  unban(text: string): void {
    const range = this.#bannable(text);
    this.#setBans(this.#bans.filter((banned) => !banned.equals(range)));
  }

  #bannable(text: string): AddressRange {
    const range = AddressRange.read(text);
    if (range === undefined) {
      throw new InvalidBannedAddressError(text, 'expected an IP address or a range like 10.0.0.0/8');
    }
    for (const own of this.#ownAddresses()) {
      if (AddressRange.read(own)?.overlaps(range) === true) {
        throw new InvalidBannedAddressError(text, `it includes ${own}, an address of this machine`);
      }
    }
    return range;
  }

  #setBans(bans: readonly AddressRange[]): void {
    this.#bans = bans;
    for (const peer of this.#peers.values()) peer.isBanned = this.#liesInBan(peer.address);
  }

  /** Removes the peers with an IP address; bans stay. Returns false for an invalid address. */
  forget(text: string): boolean {
    const address = plainAddress(text.trim());
    if (isIP(address) === 0) return false;
    const known = new SocketAddress({ address, family: familyOf(address) }).address;
    for (const [remoteAddress, peer] of this.#peers) {
      const isMeant =
        new SocketAddress({ address: peer.address, family: familyOf(peer.address) }).address === known;
      if (isMeant) this.#peers.delete(remoteAddress);
    }
    return true;
  }

  /** Removes all bans and peers. */
  forgetAll(): void {
    this.#bans = [];
    this.#peers.clear();
  }

  /** Calls the listener after each ban. Returns a function that removes the listener. */
  onBan(listener: () => void): () => void {
    this.#banListeners.add(listener);
    return () => void this.#banListeners.delete(listener);
  }
}
