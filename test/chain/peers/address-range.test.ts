import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressRange, plainAddress } from '../../../src/primitives/address-range.ts';

function range(text: string): AddressRange {
  const read = AddressRange.read(text);
  if (read === undefined) throw new Error(`${text} is no range`);
  return read;
}

describe('AddressRange', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    [' 10.0.0.1 ', '10.0.0.1'],
    ['10.0.0.1/32', '10.0.0.1'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('formats %j as %s', (text, written) => {
    expect(range(text).text).toBe(written);
  });

  it.each([
    '',
    ' ',
    '/',
    '10.0.0',
    '10.0.0.256',
    '10.0.0.1/33',
    '10.0.0.1/-1',
    '10.0.0.1/',
    '10.0.0.1/8/8',
    '10.0.0.1/0x8',
    '::1/129',
    ':::',
    'localhost',
    '1.2.3.4:80',
  ])('rejects %j', (text) => {
    expect(AddressRange.read(text)).toBeUndefined();
  });

  it('contains the addresses with its prefix', () => {
    expect(range('10.1.0.0/16').contains('10.1.255.255')).toBe(true);
    expect(range('10.1.0.0/16').contains('10.2.0.0')).toBe(false);
    expect(range('10.1.2.3').contains('10.1.2.3')).toBe(true);
    expect(range('10.1.2.3').contains('10.1.2.4')).toBe(false);
    expect(range('2001:db8::/32').contains('2001:db8:ffff::1')).toBe(true);
    expect(range('2001:db8::/32').contains('2001:db9::1')).toBe(false);
    expect(range('2001:db8::/32').contains('10.1.2.3')).toBe(false);
  });

  it('overlaps larger and smaller ranges and equals other spellings', () => {
    expect(range('10.0.0.0/8').overlaps(range('10.9.0.0/16'))).toBe(true);
    expect(range('10.9.0.0/16').overlaps(range('10.0.0.0/8'))).toBe(true);
    expect(range('10.0.0.0/8').overlaps(range('11.0.0.0/8'))).toBe(false);
    expect(range('10.1.2.3/8').equals(range('10.0.0.0/8'))).toBe(true);
    expect(range('10.0.0.0/8').equals(range('10.0.0.0/9'))).toBe(false);
    expect(range('2001:db8::1').equals(range('2001:DB8:0::1'))).toBe(true);
  });

  it('contains its own address for any prefix length', () => {
    const address = fc.oneof(
      fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
      fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })),
    );
    fc.assert(
      fc.property(address, ([ip, prefix]) => {
        fc.pre(!/^::ffff:/i.test(ip));
        expect(range(`${ip}/${prefix}`).contains(plainAddress(ip))).toBe(true);
        expect(isIP(range(ip).text)).not.toBe(0);
      }),
    );
  });
});
