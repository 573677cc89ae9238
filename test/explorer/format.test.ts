import { describe, expect, it } from 'vitest';
import { decimal, itemCount, relativeTime, shown, weiOf } from '../../src/explorer/format.ts';

describe('values as people read them', () => {
  it('are counted also where the node cut a list', () => {
    const item = { name: '', type: 'uint256', value: '7' };
    expect(itemCount([])).toBe(0);
    expect(itemCount([item, item])).toBe(2);
    expect(itemCount([item, item, '… 402 more'])).toBe(404);
    expect(itemCount([item, '… many more'])).toBe(2);
  });

  it('are exact amounts in both directions', () => {
    expect(decimal(1_234_500_000_000_000_000_000n, 18)).toBe('1\u2009234.5');
    expect(decimal(-5n, 1)).toBe('−0.5');
    expect(weiOf('1234.5')).toBe(1_234_500_000_000_000_000_000n);
    expect(() => weiOf('1,5')).toThrow('Value: an amount of ether is expected, not “1,5”');
  });

  it('are times before and after now', () => {
    expect(relativeTime(100, 101)).toBe('now');
    expect(relativeTime(100, 190)).toBe('1 min ago');
    expect(relativeTime(7_300, 100)).toBe('2 h ahead');
  });

  it('have nothing in them that moves or hides what is around', () => {
    expect(shown('a\u202eb\u0000')).toBe('a\\u{202e}b\\u{0}');
    expect(shown('x'.repeat(20), 5)).toBe('xxxxx… (20 characters)');
  });
});
