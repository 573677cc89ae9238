import { format } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConsoleValue, consoleText } from '../../../src/evm/console.ts';
import { fromHex } from '../../../src/primitives/hex.ts';

const ADDRESS = fromHex('0xdeadbeef00000000000000000000000000000000');

function log(...values: ConsoleValue[]): string {
  return consoleText({ kind: 'log', values });
}

describe('consoleText of a log', () => {
  it('joins the readable forms of the values with spaces', () => {
    expect(log()).toBe('');
    expect(log('a', 1n, true, ADDRESS)).toBe('a 1 true 0xdeadbeef00000000000000000000000000000000');
    expect(log(-5n)).toBe('-5');
    expect(log(2n ** 256n - 1n, false)).toBe(`${2n ** 256n - 1n} false`);
    expect(log(fromHex('0x'))).toBe('0x');
  });

  it.each([
    ['%s', 'foo', ['foo']],
    ['%d', String(2n ** 200n), [2n ** 200n]],
    ['%i', '-42', [-42n]],
    ['%d', 'true', [true]],
    ['%o', "'foo'", ['foo']],
    ['%j', '"foo"', ['foo']],
    ['a %s b %s', 'a 1 b c false', [1n, 'c', false]],
    ['%s and %s', 'one and %s', ['one']],
    ['%d and %d', '1 and %d', [1n]],
    ['100%% of %s', '100% of all', ['all']],
    ['%%s', '%s foo', ['foo']],
    ['%%%s', '%foo', ['foo']],
    ['%', '% foo', ['foo']],
    ['%s', '%s x', ['%s', 'x']],
    ['%y', '%y foo', ['foo']],
  ] as const)('formats %j as util.format does: %j', (template, expected, values) => {
    expect(log(template, ...values)).toBe(expected);
  });

  it.each([
    ['%x', '0x64', [100n]],
    ['%x', '0x0', [0n]],
    ['%x', `0x${'f'.repeat(62)}9c`, [-100n]],
    ['%x', '0xdeadbeef00000000000000000000000000000000', [ADDRESS]],
    ['%x', 'NaN', ['foo']],
    ['%x %s', '0xff then', [255n, 'then']],
    ['%e', '1e2', [100n]],
    ['%e', '0e0', [0n]],
    ['%e', '1.0023e6', [1_002_300n]],
    ['%e', '-1.23e5', [-123_000n]],
    ['%e', 'NaN', [true]],
    ['%18e', '1.5', [1_500_000_000_000_000_000n]],
    ['%7e', '-0.0123', [-123_000n]],
    ['%0e', '123000', [123_000n]],
    ['%1e', '10', [100n]],
    ['%12e', 'NaN', [false]],
    ['%1025e', '%1025e 1', [1n]],
    ['%5d%3e%2f', '%5d123456.789%2f', [123_456_789n]],
    ['%x', '%x', []],
  ] as const)('formats the forge-std template %j as %j', (template, expected, values) => {
    expect(log(template, ...values)).toBe(expected);
  });

  it('formats strings as Hardhat does', () => {
    const piece = fc.constantFrom(
      '%s',
      '%d',
      '%i',
      '%o',
      '%O',
      '%j',
      '%f',
      '%c',
      '%%',
      '%',
      'text',
      ' ',
      '%y',
    );
    const templates = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    const values = fc.array(fc.string({ unit: 'grapheme', maxLength: 8 }), { minLength: 4, maxLength: 8 });
    fc.assert(
      fc.property(templates, values, (template, texts) => {
        // Hardhat passes only strings to util.format and replaces %d and %i with %s.
        const adjusted = template.replace(/((?<!%)(?:%%)*)(%[di])/g, '$1%s');
        fc.pre((template.match(/%[sdioOjfc]/g) ?? []).length <= texts.length);
        expect(log(template, ...texts)).toBe(format(adjusted, ...texts));
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });
});

describe('consoleText of a table', () => {
  it('numbers the rows of a table without keys', () => {
    expect(consoleText({ kind: 'table', keys: null, values: [100n, 200n, true] })).toBe(
      [
        '┌─────────┬────────┐',
        '│ (index) │ Values │',
        '├─────────┼────────┤',
        '│ 0       │ 100    │',
        '│ 1       │ 200    │',
        '│ 2       │ true   │',
        '└─────────┴────────┘',
      ].join('\n'),
    );
  });

  it('pairs keys with values and leaves the cell of a missing key or value empty', () => {
    expect(consoleText({ kind: 'table', keys: ['alice', 'charlie123'], values: [1n, 2n, 30_000n] })).toBe(
      [
        '┌────────────┬────────┐',
        '│ (index)    │ Values │',
        '├────────────┼────────┤',
        '│ alice      │ 1      │',
        '│ charlie123 │ 2      │',
        '│            │ 30000  │',
        '└────────────┴────────┘',
      ].join('\n'),
    );
    expect(consoleText({ kind: 'table', keys: ['alone'], values: [] })).toContain('│ alone   │        │');
  });

  it('prints each row on one line of limited length', () => {
    const lines = consoleText({ kind: 'table', keys: ['a\nb'], values: ['x'.repeat(10_000)] }).split('\n');
    expect(lines).toHaveLength(5);
    expect(lines[3]).toBe(`│ a b     │ ${'x'.repeat(100)}… │`);
  });
});
