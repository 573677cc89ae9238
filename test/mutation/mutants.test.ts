import { describe, expect, it } from 'vitest';
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
  ])('changes %s in every place', (source, expected) => {
    expect(versionsOf(source)).toEqual(expected);
  });

  it.each([
    ["import { a } from './1.ts';"],
    ['interface A { readonly b: 1 | true }'],
    ['type A = 1 | 2;'],
    ["const a = 'b' + c;"],
    [`const a = \`b \${c + 1}\`;`],
    ['const a = { example: { b: 1 } };'],
  ])('leaves %s alone', (source) => {
    expect(mutantsOf(source)).toEqual([]);
  });

  it('names the line, and what stands there', () => {
    expect(mutantsOf('a;\n\nb > 0;')).toMatchObject([
      { line: 3, original: '>', replacement: '>=' },
      { line: 3, original: '>', replacement: '<=' },
      { line: 3, original: '0', replacement: '(0 + 1)' },
    ]);
  });
});
