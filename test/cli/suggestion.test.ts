import { describe, expect, it } from 'vitest';
import { nearestWord } from '../../src/primitives/nearest-word.ts';

describe('nearestWord', () => {
  it.each([
    ['prot', 'port'],
    ['PORT', 'port'],
    ['hots', 'host'],
    ['chainid', 'chain-id'],
    ['block', 'block-time'],
    ['port-number', 'port'],
  ])('suggests the nearest word for %s: %s', (word, expected) => {
    expect(nearestWord(word, ['host', 'port', 'chain-id', 'block-time'])).toBe(expected);
  });

  it('prefers the word with the fewest differences', () => {
    expect(nearestWord('gas-pric', ['min-gas-price', 'gas-limit', 'gas-price'])).toBe('gas-price');
  });

  it('prefers the word with the longest common prefix among equally near words', () => {
    expect(nearestWord('pot', ['hot', 'port'])).toBe('port');
    expect(nearestWord('pot', ['port', 'hot'])).toBe('port');
    expect(nearestWord('port', ['ports', 'port'])).toBe('port');
  });

  it('returns undefined if no word is near', () => {
    expect(nearestWord('fork-url', ['host', 'port'])).toBeUndefined();
    expect(nearestWord('x', ['host', 'port'])).toBeUndefined();
    expect(nearestWord('port', [])).toBeUndefined();
  });
});
