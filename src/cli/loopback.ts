import { BlockList, isIP } from 'node:net';
import { isLoopbackName } from '../server/host-name.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * True for a host that only this machine reaches: `localhost` and the names below it (RFC 6761, section 6.3),
 * 127.0.0.0/8 and ::1, also as an IPv6 address of an IPv4 one.
 */
export function isLoopbackHost(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return isLoopbackName(host.toLowerCase());
  return LOOPBACK.check(host, version === 4 ? 'ipv4' : 'ipv6');
}
