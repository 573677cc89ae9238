import { describe, expect, it } from 'vitest';
import { keyOf, keyTypesOf, withKey } from '../../src/explorer/mapping-keys.ts';

describe('the keys of a mapping', () => {
  it.each([
    ['mapping(address => uint256)', ['address']],
    ['mapping(string => mapping(enum Token.Kind => struct Token.Lot[]))', ['string', 'enum Token.Kind']],
    ['HashMap[address, HashMap[String[5], uint256]]', ['address', 'String[5]']],
    ['uint256[]', []],
  ])('have the types of %s', (type, types) => {
    expect(keyTypesOf(type)).toEqual(types);
  });

  it('are booleans, untrimmed texts, or trimmed texts', () => {
    expect([keyOf('bool', ' true '), keyOf('string', ' a '), keyOf('uint256', ' 7 ')]).toEqual([
      true,
      ' a ',
      '7',
    ]);
  });

  it('are listed once', () => {
    const one = withKey({}, 'numbers', ['7']);
    expect(withKey(one, 'numbers', ['7'])).toBe(one);
    expect(withKey(one, 'numbers', ['8'])).toEqual({ numbers: [['7'], ['8']] });
  });
});
