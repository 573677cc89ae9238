import { describe, expect, it } from 'vitest';
import { passagesOfHtml } from './html.ts';
import { passagesOfMarkdown } from './markdown.ts';

const passages = (...lines: string[]): [number, string][] =>
  passagesOfMarkdown(lines.join('\n'), 'text').map(({ line, prose }) => [line, prose]);

describe('passagesOfMarkdown', () => {
  it('joins the lines of a paragraph, and separates headings', () => {
    expect(passages('# A title', 'First line', 'second line', '', 'Third line')).toEqual([
      [1, 'A title'],
      [2, 'First line\nsecond line'],
      [5, 'Third line'],
    ]);
  });

  it('returns each list item with its continued lines', () => {
    expect(passages('Before:', '- one', '  more', '* two', '1. three', '- [ ] four')).toEqual([
      [1, 'Before:'],
      [2, 'one\nmore'],
      [4, 'two'],
      [5, 'three'],
      [6, 'four'],
    ]);
  });

  it('returns each table cell, without the delimiter row', () => {
    expect(passages('| flag | effect |', '| --- | :-: |', '| `a|b` | x \\| y |')).toEqual([
      [1, ' flag '],
      [1, ' effect '],
      [3, ' N '],
      [3, ' x | y '],
    ]);
  });

  it('skips front matter, fenced code, indented code, comments and link definitions', () => {
    expect(
      passages(
        '---',
        'title: a b c',
        '---',
        'Text.',
        '```sh',
        'npm run it',
        '```',
        '<!-- made by',
        'a tool -->',
        '',
        '    indented code',
        '',
        '[link]: https://example.org',
        'End.',
      ),
    ).toEqual([
      [4, 'Text.'],
      [14, 'End.'],
    ]);
  });

  it('closes a fence only with a fence of the same kind and length', () => {
    expect(passages('````', '```', 'code', '````', 'Text')).toEqual([[5, 'Text']]);
  });

  it('reads the prose of quotes, links, images and tags', () => {
    expect(passages('> Quoted [text](a.md) and ![a picture](b.png)', '<p>inside</p>')).toEqual([
      [1, 'Quoted text and a picture\ninside'],
    ]);
  });

  it('reads a paragraph inside a list item', () => {
    expect(passages('1. item', '', '    its second paragraph')).toEqual([
      [1, 'item'],
      [3, 'its second paragraph'],
    ]);
  });
});

describe('passagesOfHtml', () => {
  it('returns the shown text by block, with its line', () => {
    const source = [
      '<title>a b</title>',
      '<script>',
      'const a = 1; // not shown here',
      '</script>',
      '<p>This page',
      'shows <b>the chain</b> now.</p>',
      '<p>And this is more.</p>',
    ].join('\n');
    expect(passagesOfHtml(source, 'text').map(({ line, prose }) => [line, prose])).toEqual([
      [5, 'This page\nshows the chain now.'],
      [7, 'And this is more.'],
    ]);
  });
});
