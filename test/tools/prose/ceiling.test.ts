import { describe, expect, it } from 'vitest';
import { type Ceiling, ceilingText, differences, lowered } from './ceiling.ts';
import type { Finding } from './findings.ts';
import { checkLines, type Findings } from './report.ts';

const finding = (line: number): Finding => ({
  kind: 'text',
  line,
  rule: 7,
  words: 'at once',
  remedy: 'write "immediately"',
});

/** A page with findings on its first lines. */
const page = (count: number): Findings =>
  new Map([
    [
      'README.md',
      { kinds: ['text'], findings: Array.from({ length: count }, (_, index) => finding(index + 1)) },
    ],
  ]);

const ceiling = (text: Record<string, number>): Ceiling => ({ text, comments: {} });

describe('a ceiling', () => {
  it('accepts counts that equal it', () => {
    expect(differences(ceiling({ a: 1, b: 0 }), ceiling({ a: 1, b: 0 }))).toEqual([]);
    expect(checkLines(ceiling({ 'README.md': 2 }), page(2))).toEqual([]);
  });

  it('rejects a higher count, with all findings of the file', () => {
    expect(checkLines(ceiling({ 'README.md': 1 }), page(2))).toEqual([
      'README.md:1: rule 7: "at once": write "immediately"',
      'README.md:2: rule 7: "at once": write "immediately"',
      'README.md: 2 findings in text, 1 allowed; rewrite the new sentences',
    ]);
  });

  it('rejects a lower count, with the command that records it', () => {
    expect(checkLines(ceiling({ 'README.md': 3 }), page(2))).toEqual([
      'README.md: 2 findings in text, but the ceiling is 3',
      'The ceiling is out of date; run npm run tool -- lint:prose --update',
    ]);
  });

  it('rejects a new file with findings, and a file that is not listed', () => {
    expect(checkLines(ceiling({}), page(1)).at(-1)).toBe(
      'README.md: 1 findings in text, 0 allowed; rewrite the new sentences',
    );
    expect(checkLines(ceiling({}), page(0))).toEqual([
      'README.md: not listed in text',
      'The ceiling is out of date; run npm run tool -- lint:prose --update',
    ]);
  });

  it('rejects a listed file that is not checked any more', () => {
    expect(checkLines(ceiling({ 'README.md': 0, 'old.md': 2 }), page(0))[0]).toBe(
      'old.md: not checked any more, but listed in text',
    );
  });

  it('lists ten files, and the number of others', () => {
    const old = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`page-${index}.md`, 1]));
    const lines = checkLines(ceiling(old), new Map());
    expect(lines).toHaveLength(12);
    expect(lines.at(-2)).toBe('2 more files');
  });
});

describe('lowered', () => {
  it('lowers numbers, adds new files at 0 and drops old files', () => {
    expect(lowered(ceiling({ a: 3, old: 2 }), ceiling({ a: 1, new: 0 }))).toEqual(ceiling({ a: 1, new: 0 }));
  });

  it('raises no number', () => {
    expect(lowered(ceiling({ a: 3 }), ceiling({ a: 5, new: 4 }))).toEqual(ceiling({ a: 3, new: 0 }));
  });
});

describe('ceilingText', () => {
  it('sorts the files of both kinds', () => {
    expect(ceilingText({ text: { b: 1, a: 0 }, comments: { 'src/z.ts': 2 } })).toBe(
      '{\n  "text": {\n    "a": 0,\n    "b": 1\n  },\n  "comments": {\n    "src/z.ts": 2\n  }\n}\n',
    );
  });
});
