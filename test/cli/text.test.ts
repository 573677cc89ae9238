import { describe, expect, it } from 'vitest';
import { printable } from '../../src/config/errors.ts';
import { internalErrorText } from '../../src/log/log-entries.ts';
import { inEther, readableAmount } from '../../src/primitives/ether.ts';

describe('readableAmount', () => {
  it.each([
    [0n, '0 ether'],
    [7n, '7 wei'],
    [999_999_999n, '999999999 wei'],
    [60_000_000_000n, '60 gwei'],
    [1_500_000_000n, '1.5 gwei'],
    [10n ** 14n, '0.0001 ether'],
    [10n ** 18n + 1n, '1.000000000000000001 ether'],
  ])('formats %s wei exactly in a suitable unit', (wei, text) => {
    expect(readableAmount(wei)).toBe(text);
  });

  it('omits the decimal point of whole numbers', () => {
    expect(inEther(10_000n * 10n ** 18n)).toBe('10000');
  });
});

describe('printable', () => {
  it('escapes control characters and direction marks', () => {
    expect(printable('a\u001b[2J\nb\u202e')).toBe('a\\u001b[2J\\u000ab\\u202e');
  });

  it('keeps letters of all scripts', () => {
    expect(printable('Überweisung 不足 ✓')).toBe('Überweisung 不足 ✓');
  });

  it('truncates long text', () => {
    expect(printable('x'.repeat(10_000))).toBe(`${'x'.repeat(500)}…`);
  });
});

describe('internalErrorText', () => {
  it('returns the stack of an error, or the thrown value', () => {
    expect(internalErrorText(new TypeError('lost'))).toContain('TypeError: lost\n    at ');
    expect(internalErrorText('lost')).toBe('lost');
  });
});
