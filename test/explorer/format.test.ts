import { describe, expect, it } from 'vitest';
import {
  absoluteTime,
  amount,
  byteSize,
  counted,
  decimal,
  grouped,
  relativeTime,
  shortHex,
  shown,
  weiOf,
} from '../../src/explorer/format.ts';

const THIN = '\u2009';

describe('numbers on the page', () => {
  it('stand in groups of three digits', () => {
    expect([0, 999, 1_000, 1_234_567].map(grouped)).toEqual([
      '0',
      '999',
      `1${THIN}000`,
      `1${THIN}234${THIN}567`,
    ]);
  });

  it('have the noun in its number', () => {
    expect([counted(1, 'block'), counted(2n, 'block'), counted(0, 'entry', 'entries')]).toEqual([
      '1 block',
      '2 blocks',
      '0 entries',
    ]);
  });

  it('are exact in each unit, and read back', () => {
    expect(amount(1_500_000_000_000_000_000n, 'ether')).toBe('1.5');
    expect(amount(-1n, 'ether')).toBe('−0.000000000000000001');
    expect(amount(1_000_000_000n, 'gwei')).toBe('1');
    expect(amount(12_345n, 'wei')).toBe(`12${THIN}345`);
    expect(decimal(5n, 1)).toBe('0.5');
    for (const wei of [0n, 1n, 10n ** 18n, 1_500_000_000_000_000_000n])
      expect(weiOf(amount(wei, 'ether'))).toBe(wei);
    expect(weiOf(' .5 ')).toBe(5n * 10n ** 17n);
    expect(weiOf('1')).toBe(10n ** 18n);
  });

  it.each(['', '.', '1.2.3', '-1', '1e3', '0x1', `0.${'1'.repeat(19)}`, '1'.repeat(41)])(
    'are refused by name where they are no amount: %j',
    (text) => {
      expect(() => weiOf(text, 'Price')).toThrow(/^Price: an amount of ether is expected/);
    },
  );

  it('of bytes are in words', () => {
    expect([999, 1_000, 999_949, 1_000_000].map(byteSize)).toEqual(['999 B', '1.0 kB', '999.9 kB', '1.0 MB']);
  });
});

describe('an address or hash on the page', () => {
  it('is shortened in its middle where that saves room', () => {
    const address = `0x${'12345678'.repeat(5)}`;
    expect(shortHex(address)).toBe('0x1234…5678');
    expect(shortHex(address, 6)).toBe('0x123456…345678');
    expect(shortHex('0x12345678901')).toBe('0x12345678901');
    expect(shortHex('0x123456789012')).toBe('0x1234…9012');
  });
});

describe('a time on the page', () => {
  it.each([
    [0, 'now'],
    [1, 'now'],
    [2, '2 s ago'],
    [59, '59 s ago'],
    [60, '1 min ago'],
    [3_599, '59 min ago'],
    [3_600, '1 h ago'],
    [86_399, '23 h ago'],
    [86_400, '1 d ago'],
    [-120, 'in 2 min'],
  ])('%d seconds before is %s', (seconds, text) => {
    expect(relativeTime(1_000_000 - seconds, 1_000_000)).toBe(text);
  });

  it('is a date, as far as there are any', () => {
    expect(absoluteTime(1_700_000_000)).toBe('2023-11-14 22:13:20 UTC');
    expect(absoluteTime(1e15)).toBe('no date');
  });
});

it('shows what cannot be seen in a text, and cuts what is long', () => {
  expect(shown('a\u202eb\u0000')).toBe('a\\u{202e}b\\u{0}');
  expect(shown('a\tb\nc')).toBe('a\tb\nc');
  expect(shown('x'.repeat(400))).toBe('x'.repeat(400));
  expect(shown('x'.repeat(1_401))).toBe(`${'x'.repeat(400)}… (1${THIN}401 characters)`);
});
