import { describe, expect, it } from 'vitest';
import { revertAfter } from '../../src/inspect/failing-path.ts';

/**
 * Returns the source text from the `revert()` found after the first position of `statement`, or after the
 * function head.
 */
function found(text: string, statement: string | null): string | null {
  const start = statement === null ? 0 : Buffer.byteLength(text.slice(0, text.indexOf(statement)));
  const place = statement === null ? null : { start, length: Buffer.byteLength(statement) };
  const range = revertAfter(text, place);
  return range === null ? null : Buffer.from(text).subarray(range.start).toString();
}

describe('reverts without a source position', () => {
  it.each([
    ['function f() public { revert(); }', null],
    ['function f(uint a) external payable returns (uint b) {\n // revert();\n /* ä */ revert(); }', null],
    ['modifier m { revert(); _; }', null],
    ['function f() public { /* ä */ a = 1; revert(); }', 'a = 1'],
    ['function f() public { { a = 1; } revert(); }', 'a = 1'],
    ['function f() public { if (b) { revert(); } c = 1; }', 'if (b) { revert(); }'],
    ['function f() public { if ((b) && c) revert(); }', 'if ((b) && c) revert();'],
  ])('a revert is found if it is the next statement: %s', (text, statement) => {
    expect(found(text, statement)).toMatch(/^revert\(\)/);
  });

  it.each([
    ['a banner of slashes', '/'.repeat(20_000)],
    ['many comments', '/* a */ '.repeat(3_000)],
    ['a comment that does not end', '/*'.repeat(10_000)],
  ])('a revert is searched once after %s', (_what, comments) => {
    expect(found(`function f() public { a = 1; ${comments}\n b = 2; }`, 'a = 1')).toBeNull();
  });

  it('a revert is found after many comments', () => {
    const comments = `${'/'.repeat(200)}\n${'/* a */ '.repeat(200)}`;
    expect(found(`function f() public { a = 1; ${comments} revert(); }`, 'a = 1')).toMatch(/^revert\(\)/);
  });

  it.each([
    ['function f() public only { revert(); }', null],
    ['function f() public { a = 1; b = 2; revert(); }', 'a = 1'],
    ['function f() public { a = 1; revert("because"); }', 'a = 1'],
    ['function f() public { require(b); revert(); }', 'require(b)'],
    ['function f() public { other.call(); revert(); }', 'other.call()'],
    ['function f() public { if (b) revert(); revert(); }', 'if (b) revert();'],
    [
      'function f() public { if (b) { revert(); } else { revert(); } }',
      'if (b) { revert(); } else { revert(); }',
    ],
    ['function f() public { if (b) { a = 1; } else { revert(); } }', 'a = 1'],
    [`function f() public { revert(); ${'a = 1; '.repeat(20_000)} }`, null],
  ])('a revert is not guessed if other code may have run: %#', (text, statement) => {
    expect(found(text, statement)).toBeNull();
  });
});
