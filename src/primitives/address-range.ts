import { BlockList, isIP, SocketAddress } from 'node:net';

/** An IPv4 address inside an IPv6 one (RFC 4291, section 2.5.5.2), as a server that listens on both sees it. */
const MAPPED = /^::ffff:(?=\d+\.)/i;

/** Returns the address as it is known here: a mapped IPv4 address as itself, an IPv6 address without its zone. */
export function plainAddress(address: string): string {
  return address.replace(MAPPED, '').replace(/%.*$/, '');
}

/** Returns the family of an IP address, as `node:net` names it. */
export function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

/** One IP address, or all that begin with the same bits (CIDR, RFC 4632). */
export class AddressRange {
  /** `10.0.0.1` or `10.0.0.0/8`, IPv6 addresses in their shortest form. */
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

  /** Returns the range that a text names; `undefined` when it names none. */
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

  /** Returns true when the plain address lies in the range. */
  contains(address: string): boolean {
    return this.#members.check(address, familyOf(address));
  }

  /** Returns true when some address lies in both. */
  overlaps(other: AddressRange): boolean {
    return this.contains(other.#address) || other.contains(this.#address);
  }

  /** Returns true when both are the same addresses, however they are written. */
  equals(other: AddressRange): boolean {
    return this.#prefix === other.#prefix && this.contains(other.#address) && other.contains(this.#address);
  }
}
