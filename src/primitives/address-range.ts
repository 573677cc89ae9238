import { BlockList, isIP, SocketAddress } from 'node:net';

/** An IPv4 address mapped to IPv6 (RFC 4291, section 2.5.5.2), as reported by a dual-stack server. */
const MAPPED = /^::ffff:(?=\d+\.)/i;

/** Normalises an address: a mapped IPv4 address becomes IPv4, an IPv6 address loses its zone. */
export function plainAddress(address: string): string {
  return address.replace(MAPPED, '').replace(/%.*$/, '');
}

/** Returns the family of an IP address in the terms of `node:net`. */
export function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

/** One IP address, or a range with a common prefix (CIDR, RFC 4632). */
export class AddressRange {
  /** `10.0.0.1` or `10.0.0.0/8`; IPv6 addresses in their shortest form. */
  readonly text: string;
  readonly #address: string;
  readonly #prefix: number;
  readonly #members = new BlockList();

  private constructor(address: string, prefix: number, bits: number) {
    this.text = prefix === bits ? address : `${address}/${prefix}`;
    this.#address = address;
    this.#prefix = prefix;
    this.#members.addSubnet(address, prefix, familyOf(address));
  }

  /** Parses a range; `undefined` if the text is invalid. */
  static read(text: string): AddressRange | undefined {
    const [given = '', prefixText, ...surplus] = text.trim().split('/');
    const address = plainAddress(given);
    if (isIP(address) === 0 || surplus.length > 0) return undefined;
    const family = familyOf(address);
    const bits = family === 'ipv4' ? 32 : 128;
    if (prefixText !== undefined && !/^\d{1,3}$/.test(prefixText)) return undefined;
    const prefix = prefixText === undefined ? bits : Number(prefixText);
    if (prefix > bits) return undefined;
    return new AddressRange(new SocketAddress({ address, family }).address, prefix, bits);
  }

  /** Returns true if the normalised address is in the range. */
  contains(address: string): boolean {
    return this.#members.check(address, familyOf(address));
  }

  /** Returns true if the ranges have a common address. */
  overlaps(other: AddressRange): boolean {
    return this.contains(other.#address) || other.contains(this.#address);
  }

  /** Returns true if both have the same addresses, independent of the spelling. */
  equals(other: AddressRange): boolean {
    return this.#prefix === other.#prefix && this.contains(other.#address) && other.contains(this.#address);
  }
}
