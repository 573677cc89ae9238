import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EQUIVALENT_CHANGES, equivalentChange } from './equivalent.ts';
import { applyMutant, mutantsOf } from './mutants.ts';

/** All versions of a source with one mutant each. */
function versionsOf(source: string): string[] {
  return mutantsOf(source).map((mutant) => applyMutant(source, mutant));
}

describe('mutantsOf', () => {
  it.each([
    ['a < b;', ['a <= b;', 'a >= b;']],
    ['a === b;', ['a !== b;']],
    ['a && !b;', ['a || !b;', 'a && b;']],
    ['a + 1;', ['a - 1;', 'a + (1 + 1);']],
    ['a = 2n * c;', ['a = 2n + c;', 'a = (2n + 1n) * c;']],
    ['f(true);', [';', 'f(false);']],
    ['if (a) b;', ['if (!(a)) b;']],
    ['const a = b ? c : d;', ['const a = !(b) ? c : d;']],
    ['a.size >= MAX_ITEMS;', ['a.size < MAX_ITEMS;']],
    ['a.get(b) ?? 0;', ['a.get(b) ?? (0 + 1);']],
    ['const { a = 0n } = b;', ['const { a = (0n + 1n) } = b;']],
    ['MAX_ITEMS < a;', ['MAX_ITEMS >= a;']],
    ['const MAX_ITEMS = 16;', ['const MAX_ITEMS = (16 * 2);']],
    [
      'const MAX_VALUE = 2n ** 8n;',
      ['const MAX_VALUE = (2n * 2n) ** 8n;', 'const MAX_VALUE = 2n ** (8n * 2n);'],
    ],
  ])('changes every place of %s', (source, expected) => {
    expect(versionsOf(source)).toEqual(expected);
  });

  it.each([
    ["import { a } from './1.ts';"],
    ['interface A { readonly b: 1 | true }'],
    ['type A = 1 | 2;'],
    ["const a = 'b' + c;"],
    [`const a = \`b \${c + 1}\`;`],
    ['const a = { example: { b: 1 } };'],
    ['const ENTRY_WORK = 16 * 4;'],
    ['const a = { 1: b, 2n: c };'],
    ['const { 1: a } = b;'],
    ['a[b] ?? 0;'],
    ['a[b] ?? -1n;'],
    ['a[b]?.c ?? 0;'],
    ['a[b] ?? { c: [0] };'],
    ['const [a = 0n] = b;'],
  ])('does not change %s', (source) => {
    expect(mutantsOf(source)).toEqual([]);
  });

  it('returns the line and the original code', () => {
    expect(mutantsOf('a;\n\nb > 0;')).toMatchObject([
      { line: 3, original: '>', replacement: '>=' },
      { line: 3, original: '>', replacement: '<=' },
      { line: 3, original: '0', replacement: '(0 + 1)' },
    ]);
  });
});

describe('EQUIVALENT_CHANGES', () => {
  it.each(EQUIVALENT_CHANGES)('has an entry for existing code: $path, $code', (entry) => {
    const source = readFileSync(entry.path, 'utf8');
    const found = mutantsOf(source).map((mutant) => equivalentChange(entry.path, source, mutant));
    expect(found).toContain(entry);
  });
});
