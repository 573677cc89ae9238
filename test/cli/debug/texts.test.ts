// The texts that a debugger reads and writes.

import { describe, expect, it } from 'vitest';
import { functionName } from '../../../src/cli/debug/function-definitions.ts';
import { hitConditionOf } from '../../../src/cli/debug/hit-condition.ts';
import { messageParts } from '../../../src/cli/debug/log-message.ts';
import { itemsOf, partExpression, valueText } from '../../../src/cli/debug/value-text.ts';

const uint = (value: string, name = '') => ({ name, type: 'uint256', value });

describe('messageParts', () => {
  it.each([
    ['plain', [{ text: 'plain' }]],
    ['a {b} c', [{ text: 'a ' }, { expression: 'b' }, { text: ' c' }]],
    ['{a}{ b }', [{ expression: 'a' }, { expression: 'b' }]],
    ['\\{a\\}', [{ text: '{a}' }]],
    ['{f({a: 1})}', [{ expression: 'f({a: 1})' }]],
    ['open {a', [{ text: 'open {a' }]],
    ['', []],
  ])('splits %j', (message, parts) => {
    expect(messageParts(message)).toEqual(parts);
  });
});

describe('hitConditionOf', () => {
  it.each([
    ['3', [3, 4, 5]],
    ['>= 3', [3, 4, 5]],
    ['>3', [4, 5]],
    ['=3', [3]],
    ['<= 2', [1, 2]],
    ['< 2', [1]],
    ['%2', [2, 4]],
  ])('%j fits the hits %j', (text, hits) => {
    expect([1, 2, 3, 4, 5].filter(hitConditionOf(text))).toEqual(hits);
  });

  it.each(['', 'x', '% 0', '-1', '1.5', '>> 1'])('rejects %j', (text) => {
    expect(() => hitConditionOf(text)).toThrow('hitCondition: expected a number');
  });
});

describe('functionName', () => {
  it.each([
    ['transfer', { contract: null, name: 'transfer' }],
    [' Token.transfer ', { contract: 'Token', name: 'transfer' }],
    ['Token.transfer(address,uint256)', { contract: 'Token', name: 'transfer' }],
    ['Token.', null],
    ['a.b.c', null],
    ['1x', null],
  ])('reads %j', (text, expected) => {
    expect(functionName(text)).toEqual(expected);
  });
});

describe('valueText', () => {
  it.each([
    [uint('5'), '5'],
    [{ type: 'bool', value: true }, 'true'],
    [{ type: 'string memory', value: 'a"b' }, '"a\\"b"'],
    [{ type: 'String[10]', value: 'x' }, '"x"'],
    [{ type: 'string', value: '<not available: optimized>' }, '<not available: optimized>'],
    [{ type: 'uint256[]', value: [uint('1'), uint('2')] }, '[1, 2]'],
    [{ type: 'uint256[]', value: [uint('1')], hasMore: true }, '[1, …]'],
    [{ type: 'struct Part', value: [uint('1', 'size'), uint('2', 'end')] }, '(size: 1, end: 2)'],
    [{ type: 'mapping(uint256 => uint256)', value: [uint('1', '[5]')] }, '{[5]: 1}'],
    [{ type: 'uint256[]', value: [] }, '[]'],
    [{ type: 'DynArray[uint256, 5]', value: [uint('1')] }, '[1]'],
    [{ type: 'HashMap[address, uint256]', value: [] }, '{}'],
    [{ type: 'mapping(uint256 => uint256)', value: [], hasUnknownKeys: true }, '{…}'],
  ])('writes %j as %s', (value, text) => {
    expect(valueText(value)).toBe(text);
  });

  it('counts the items behind the first ones', () => {
    const value = [uint('1'), { name: '', type: '', value: '… 88 more' }];
    expect(itemsOf({ type: 'uint256[]', value })).toEqual({ items: [uint('1')], kind: 'array', missing: 88 });
  });

  it.each([
    ['items', uint('1'), 3, 'array', 'items[3]'],
    ['part', uint('1', 'size'), 0, 'members', 'part.size'],
    ['held', uint('1', '[0x11]'), 0, 'mapping', 'held[0x11]'],
    [null, uint('1', 'size'), 0, 'members', null],
  ] as const)('writes the expression of a part of %s', (parent, part, index, kind, expected) => {
    expect(partExpression(parent, part, index, kind)).toBe(expected);
  });
});
