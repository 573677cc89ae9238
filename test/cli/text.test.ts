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
  ])('shows %s wei exactly, in the unit that suits it', (wei, text) => {
    expect(readableAmount(wei)).toBe(text);
  });

  it('leaves out the point where there is nothing behind it', () => {
    expect(inEther(10_000n * 10n ** 18n)).toBe('10000');
  });
});

describe('printable', () => {
  it('shows control characters and direction marks instead of obeying them', () => {
    expect(printable('a\u001b[2J\nb\u202e')).toBe('a\\u001b[2J\\u000ab\\u202e');
  });

  it('leaves letters of all scripts as they are', () => {
    expect(printable('Überweisung 不足 ✓')).toBe('Überweisung 不足 ✓');
  });

  it('cuts what nobody would read', () => {
    expect(printable('x'.repeat(10_000))).toBe(`${'x'.repeat(500)}…`);
  });
});

describe('internalErrorText', () => {
  it('gives the trace of an error, and what was thrown otherwise', () => {
    expect(internalErrorText(new TypeError('lost'))).toContain('TypeError: lost\n    at ');
    expect(internalErrorText('lost')).toBe('lost');
  });
});
