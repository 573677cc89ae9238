// The IP addresses of the public internet.

import { BlockList, isIP } from 'node:net';

/**
 * IPv4 ranges that are not globally reachable (IANA IPv4 Special-Purpose Address Registry), multicast, and
 * Azure's address for services of virtual machines.
 */
const NOT_PUBLIC_IPV4: readonly (readonly [address: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** The global unicast addresses (RFC 4291, section 2.4). */
const GLOBAL_IPV6 = ['2000::', 3] as const;

/**
 * IPv6 ranges that are not globally reachable (IANA IPv6 Special-Purpose Address Registry), or that contain
 * an IPv4 address for a relay. They are protocol assignments with Teredo, documentation and 6to4.
 */
const NOT_PUBLIC_IPV6: readonly (readonly [address: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

/** Groups before an IPv4 address: mapped (RFC 4291, section 2.5.5.2), NAT64 (RFC 6052, section 2.1). */
const IPV4_PREFIXES: readonly string[] = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'];

/** Returns the eight groups of an IPv6 address as numbers. */
function groupsOf(address: string): number[] {
  const groups = (text: string): number[] =>
    text.split(':').flatMap((group) => {
      if (group === '') return [];
      if (!group.includes('.')) return [Number.parseInt(group, 16)];
      const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
      return [a * 256 + b, c * 256 + d];
    });
  const [head = '', tail = ''] = address.split('::');
  const first = groups(head);
  const last = groups(tail);
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
}

/** Returns the IPv4 address embedded in an IPv6 address, or `null`. */
function embeddedIpv4(address: string): string | null {
  const groups = groupsOf(address);
  const prefix = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(':');
  const [high = 0, low = 0] = groups.slice(6);
  return IPV4_PREFIXES.includes(prefix) ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : null;
}

function listOf(ranges: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, family);
  return list;
}

/** Returns a check for public addresses. An embedded IPv4 address is checked as IPv4. */
export function publicAddressCheck(): (address: string) => boolean {
  const refused4 = listOf(NOT_PUBLIC_IPV4, 'ipv4');
  const global6 = listOf([GLOBAL_IPV6], 'ipv6');
  const refused6 = listOf(NOT_PUBLIC_IPV6, 'ipv6');
  const isPublic4 = (address: string): boolean => !refused4.check(address, 'ipv4');
  return (text) => {
    const address = text.replace(/%.*$/, '');
    const version = isIP(address);
    if (version === 4) return isPublic4(address);
    if (version !== 6) return false;
    const embedded = embeddedIpv4(address);
    if (embedded !== null) return isPublic4(embedded);
    return global6.check(address, 'ipv6') && !refused6.check(address, 'ipv6');
  };
}
