import { describe, expect, it } from 'vitest';
import { highlightedLines } from '../../src/explorer/highlight.ts';

const colours = (source: string): string[] =>
  highlightedLines(source).map((line) =>
    line.map(({ text, kind }) => (kind === '' ? text : `<${kind} ${text}>`)).join(''),
  );

describe('highlightedLines', () => {
  it('marks keywords, types, numbers, strings and comments', () => {
    expect(colours('uint8 a = 0x1f; // one\nrevert("a // b");')).toEqual([
      '<type uint8> a = <number 0x1f>; <comment // one>',
      '<keyword revert>(<string "a // b">);',
    ]);
  });

  it('marks `from` only in an import', () => {
    expect(colours('import {A} from "./A.sol";\nmove(from, to);\nfrom a.b import c')).toEqual([
      '<keyword import> {A} <keyword from> <string "./A.sol">;',
      'move(from, to);',
      '<keyword from> a.b <keyword import> c',
    ]);
  });

  it('continues comments and Vyper strings over lines, even if unterminated', () => {
    expect(colours('/* a\nb */ x\n"""c\nd')).toEqual([
      '<comment /* a>',
      '<comment b */> x',
      '<comment """c>',
      '<comment d>',
    ]);
  });

  it.each(['', '\n', 'a\n\nb', "'unclosed\n x", '"\\', '<script>\u202e\u0000', '/*', `${'('.repeat(1e5)}`])(
    'keeps all characters of %j',
    (source) => {
      const lines = highlightedLines(source).map((line) => line.map(({ text }) => text).join(''));
      expect(lines.join('\n')).toBe(source);
    },
  );
});
