import { describe, expect, it } from 'vitest';
import { publicAddressCheck } from '../../../src/fork/upstream/public-address.ts';

const isPublic = publicAddressCheck();

const PUBLIC = [
  '1.1.1.1',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:80b::200e',
  '::ffff:1.1.1.1',
  '::ffff:101:101',
  '64:ff9b::101:101',
];

const NOT_PUBLIC = [
  ['the unspecified network', '0.0.0.0'],
  ['a host of the unspecified network', '0.1.2.3'],
  ['10/8', '10.255.0.1'],
  ['the lower end of 100.64/10', '100.64.0.0'],
  ['the upper end of 100.64/10', '100.127.255.255'],
  ['loopback', '127.0.0.1'],
  ['another loopback address', '127.255.255.254'],
  ['link-local, with the metadata of clouds', '169.254.169.254'],
  ['the services of Azure', '168.63.129.16'],
  ['172.16/12', '172.31.255.255'],
  ['192.0.0/24, with the metadata of Oracle', '192.0.0.192'],
  ['192.168/16', '192.168.1.1'],
  ['benchmarks', '198.19.0.1'],
  ['documentation', '203.0.113.9'],
  ['the relay of 6to4', '192.88.99.1'],
  ['multicast', '224.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified IPv6', '::'],
  ['IPv6 loopback', '::1'],
  ['IPv4-compatible', '::7f00:1'],
  ['mapped loopback', '::ffff:127.0.0.1'],
  ['mapped loopback in hexadecimal', '::ffff:7f00:1'],
  ['mapped private', '0:0:0:0:0:ffff:a00:1'],
  ['NAT64 of loopback', '64:ff9b::7f00:1'],
  ['NAT64 of a private address', '64:ff9b::10.0.0.1'],
  ['NAT64 of a local prefix', '64:ff9b:1::101:101'],
  ['6to4 of loopback', '2002:7f00:1::1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['documentation of IPv6', '2001:db8::1'],
  ['newer documentation of IPv6', '3fff:abc::1'],
  ['unique local', 'fd00:ec2::254'],
  ['link-local IPv6', 'fe80::1'],
  ['link-local IPv6 with a zone', 'fe80::1%eth0'],
  ['site-local', 'fec0::1'],
  ['multicast of IPv6', 'ff02::1'],
  ['segment routing', '5f00::1'],
] as const;

describe('publicAddressCheck', () => {
  it.each(PUBLIC)('accepts %s', (address) => {
    expect(isPublic(address)).toBe(true);
  });

  it.each(NOT_PUBLIC)('rejects %s (%s)', (_name, address) => {
    expect(isPublic(address)).toBe(false);
  });

  it('rejects a string that is not an address', () => {
    expect(isPublic('localhost')).toBe(false);
    expect(isPublic('127.1')).toBe(false);
    expect(isPublic('')).toBe(false);
  });
});
