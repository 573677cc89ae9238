import { describe, expect, it } from 'vitest';
import {
  ageText,
  clockOffsetText,
  decimal,
  grouped,
  itemCount,
  shown,
  weiOf,
  wholeNumberOf,
} from '../../src/explorer/format.ts';

describe('the formats of the explorer', () => {
  it('counts the items of a list that the node shortened', () => {
    const item = { name: '', type: 'uint256', value: '7' };
    expect(itemCount([])).toBe(0);
    expect(itemCount([item, item])).toBe(2);
    expect(itemCount([item, item, '… 402 more'])).toBe(404);
    expect(itemCount([item, '… many more'])).toBe(2);
  });

  it('prints exact amounts with thousands separators, and reads them back', () => {
    expect(grouped(30_000_000)).toBe('30,000,000');
    expect(decimal(1_234_500_000_000_000_000_000n, 18)).toBe('1,234.5');
    expect(decimal(-5n, 1)).toBe('−0.5');
    expect(weiOf('1234.5')).toBe(1_234_500_000_000_000_000_000n);
    expect(weiOf('1,234.5')).toBe(1_234_500_000_000_000_000_000n);
    expect(wholeNumberOf(' 30,000,000', 'Gas')).toBe(30_000_000n);
    expect(wholeNumberOf('30_000 000', 'Gas')).toBe(30_000_000n);
  });

  it.each(['1,5', '1,50', '12,34,567', '1,234,5', ',123', '1.2.3', ''])('rejects %j as an amount', (text) => {
    expect(() => weiOf(text)).toThrow(`Value: expected an amount in ether, got “${text}”`);
    expect(() => wholeNumberOf(text, 'Gas')).toThrow(`Gas: expected a whole number, got “${text}”`);
  });

  it('prints the age of an item, and now for a time in the future', () => {
    expect(ageText(100, 101)).toBe('now');
    expect(ageText(100, 112)).toBe('12 s ago');
    expect(ageText(100, 190)).toBe('1 min ago');
    expect(ageText(7_300, 100)).toBe('now');
  });

  it('prints the offset of a clock with its sign', () => {
    expect(clockOffsetText(86_400)).toBe('+1 d');
    expect(clockOffsetText(-7_300)).toBe('−2 h');
  });

  it('escapes characters that move or hide the text around them', () => {
    expect(shown('a\u202eb\u0000')).toBe('a\\u{202e}b\\u{0}');
    expect(shown('x'.repeat(20), 5)).toBe('xxxxx… (20 characters)');
  });
});
