import { describe, expect, it } from 'vitest';
import { withoutMarkup } from './mask.ts';
import { sentencesOf, wordCount } from './sentences.ts';

const texts = (prose: string): string[] => sentencesOf(prose).map(({ text }) => text);

describe('sentencesOf', () => {
  it('splits at full stops, question marks and exclamation marks', () => {
    expect(texts('Start it. Does it run? It runs! Good')).toEqual([
      'Start it.',
      'Does it run?',
      'It runs!',
      'Good',
    ]);
  });

  it('keeps a semicolon and a colon inside a sentence', () => {
    expect(texts('It fails: no node; start one.')).toHaveLength(1);
  });

  it('keeps closing quotes and brackets with the sentence', () => {
    expect(texts('(See the log.) Then "stop it." The end.')).toEqual([
      '(See the log.)',
      'Then "stop it."',
      'The end.',
    ]);
  });

  it.each([
    'Use a tool, e.g. Foundry, for this.',
    'It takes 0.5 s with version 1.2.3 of the tool.',
    'Logs vs. traces of N.json files',
    'Print the options [N ...] and stop.',
  ])('does not split %j', (prose) => {
    expect(texts(prose)).toEqual([prose]);
  });

  it('splits behind an ellipsis if a sentence follows', () => {
    expect(texts('It waits... Then it stops.')).toHaveLength(2);
  });

  it('returns the offset of each sentence', () => {
    expect(sentencesOf(' One.  Two.')).toEqual([
      { text: 'One.', offset: 1 },
      { text: 'Two.', offset: 7 },
    ]);
  });
});

describe('wordCount', () => {
  it.each([
    ['Keep the newest 10 blocks.', 5],
    ['A source-level failure', 3],
    ['One — two – three… four', 4],
    ['a = b + c', 3],
    ['', 0],
  ])('counts the words of %j', (sentence, count) => {
    expect(wordCount(sentence)).toBe(count);
  });

  it.each([
    ['Run `npm ci --ignore-scripts` first.', 3],
    ['Open http://127.0.0.1:8545/some/path?x=1 now.', 3],
    ['Read [the three words](http://example.org/a_(b)) again', 5],
    ['See {@link Chain.mine the method} first', 3],
    ['**Bold words** and _others_', 4],
  ])('counts markup in %j as its text, and code as one word', (sentence, count) => {
    expect(wordCount(withoutMarkup(sentence))).toBe(count);
  });
});

describe('withoutMarkup', () => {
  it('keeps the line breaks, so that the lines of later words stay right', () => {
    expect(withoutMarkup('a `b\nc` d [e\nf](g) h')).toBe('a N\n d e\nf h');
  });

  it('keeps names with underscores and asterisks between spaces', () => {
    expect(withoutMarkup('eth_call * 2 and snake_case_name')).toBe('eth_call * 2 and snake_case_name');
  });
});
