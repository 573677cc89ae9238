import { describe, expect, it } from 'vitest';
import { JsonSplitter } from '../../src/server/ipc/json-splitter.ts';

const LIMIT = 1_000;

/** Returns the texts of a stream that arrives in parts of `size` bytes. */
function split(
  stream: string,
  size = Number.POSITIVE_INFINITY,
  splitter = new JsonSplitter(LIMIT),
): string[] {
  const bytes = Buffer.from(stream);
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; at += size) texts.push(...splitter.add(bytes.subarray(at, at + size)));
  const rest = splitter.end();
  return rest === null ? texts : [...texts, rest];
}

describe('JsonSplitter', () => {
  it.each([
    ['lines', '{"a":1}\n[2]\n', ['{"a":1}', '[2]']],
    ['texts without a separator', '{"a":1}{"b":[{}]}[[1],2]', ['{"a":1}', '{"b":[{}]}', '[[1],2]']],
    ['an indented text', '{\r\n "a": 1\r\n}\r\n', ['{\r\n "a": 1\r\n}']],
    ['brackets in strings', '{"a":"}]{["}{"b":"\\"}"}', ['{"a":"}]{["}', '{"b":"\\"}"}']],
    ['an escaped backslash before the end of a string', '{"a":"\\\\"}{}', ['{"a":"\\\\"}', '{}']],
    ['characters of several bytes', '{"é€😀":"ß"}[]', ['{"é€😀":"ß"}', '[]']],
    ['a word before a request', 'nonsense{"a":1}', ['nonsense', '{"a":1}']],
    ['closing brackets between texts', '}{"a":1}]}[]', ['}', '{"a":1}', ']', '}', '[]']],
    ['words on lines', 'GET / HTTP/1.1\n5\n', ['GET / HTTP/1.1\n', '5\n']],
    ['an unterminated string on a line', '{"a":"b\n{"c":1}', ['{"a":"b\n', '{"c":1}']],
    ['an incomplete last text', '[1]{"a"', ['[1]', '{"a"']],
    ['only spaces', ' \r\n\t ', []],
  ])('splits %s, at any size of the parts', (_name, stream, expected) => {
    for (const size of [1, 2, 3, 5, 1_000]) expect(split(stream, size)).toEqual(expected);
  });

  it('rejects a text above the limit, even if it arrives in parts', () => {
    const text = `["${'x'.repeat(LIMIT - 4)}"]`;
    expect(split(text, 7)).toEqual([text]);
    expect(() => split(`[${text}]`, 7)).toThrow('the body exceeds the limit of 1000 bytes');
    expect(() => split('x'.repeat(LIMIT + 1))).toThrow('the body exceeds the limit of 1000 bytes');
  });

  it('counts only the current text against the limit', () => {
    const text = `["${'x'.repeat(LIMIT / 2)}"]`;
    expect(split(text.repeat(4))).toEqual([text, text, text, text]);
  });
});
