import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonLimitError, readJson, readJsonSync } from '../../src/json/json-reader.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';

/** The value, or `not JSON` for a syntax error. */
function outcome(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof SyntaxError) return 'not JSON';
    throw error;
  }
}

const read = (text: string): unknown => readJsonSync(text, { levels: 100 });

const BROKEN = [
  '',
  ' ',
  '[',
  '[1',
  '[1,',
  '[1,]',
  '[,1]',
  '{',
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":1,}',
  '{a:1}',
  "{'a':1}",
  '[1 2]',
  '01',
  '-',
  '1.',
  '.5',
  '1e',
  '+1',
  'NaN',
  'tru',
  'nulll',
  '"',
  '"\\"',
  '"\n"',
  '"\\x"',
  '"\\u12"',
  '[]]',
  '{}{}',
  '[}',
  '{]',
  '\u00a0[]',
];

describe('readJson', () => {
  it('reads the same value as JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1), (json, space) => {
        const text = JSON.stringify(JSON.parse(json), null, space);
        expect(read(text)).toEqual(JSON.parse(text));
      }),
      { seed: 1 },
    );
  });

  it('accepts and rejects the same texts as JSON.parse after a changed character', () => {
    const characters = fc.constantFrom(...'[]{}":,\\0123.-+eEtfnu \n\t\u0001x');
    fc.assert(
      fc.property(fc.json(), fc.nat(), characters, (json, at, character) => {
        const position = at % (json.length + 1);
        const text = json.slice(0, position) + character + json.slice(position + 1);
        expect(outcome(() => read(text))).toEqual(outcome(() => JSON.parse(text)));
      }),
      { seed: 2, numRuns: 2_000 },
    );
  });

  it.each(BROKEN)('rejects %j', (text) => {
    expect(outcome(() => JSON.parse(text))).toBe('not JSON');
    expect(outcome(() => read(text))).toBe('not JSON');
  });

  it('reads __proto__ as an ordinary member', () => {
    const value = read('{"__proto__":{"a":1}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1}}');
  });

  it('rejects excessive nesting at the first level above the limit', () => {
    expect(read('['.repeat(100) + ']'.repeat(100))).toEqual(JSON.parse('['.repeat(100) + ']'.repeat(100)));
    // The brackets are never closed, so the reader stops before the end.
    expect(() => read('['.repeat(1_000_000))).toThrow(JsonLimitError);
    expect(() => read('{"a":'.repeat(101))).toThrow(JsonLimitError);
  });

  it('reports the spelling of numbers that JavaScript rounds', () => {
    const told: unknown[] = [];
    readJsonSync('{"id":9007199254740993,"a":[1,{"b":1.50}],"c":12}', {
      levels: 10,
      onInexact: (_owner, name, spelling) => told.push([name, spelling]),
    });
    expect(told).toEqual([
      ['id', '9007199254740993'],
      ['b', '1.50'],
    ]);
  });

  it('reads long strings like JSON.parse at any chunk boundary', async () => {
    const fragments = fc.constantFrom(
      'a',
      '\\\\',
      '\\"',
      '\\u00e9',
      '\\ud83d\\ude00',
      '\\n',
      '\u{1f600}',
      ' ',
      '[',
      "'",
    );
    const content = fc.array(fragments, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(content, fc.nat(40), async (unit, shift) => {
        const text = `["${'x'.repeat(shift)}${unit.repeat(Math.ceil(140_000 / unit.length))}",1]`;
        const pieces = new TimeSlice(undefined, 1_000);
        expect(await runTask(readJson(text, { levels: 1 }), pieces)).toEqual(JSON.parse(text));
        // The text ends inside the string.
        const cut = text.slice(0, 70_000 + shift);
        await expect(async () => runTask(readJson(cut, { levels: 1 }), pieces)).rejects.toThrow(SyntaxError);
      }),
      { seed: 3, numRuns: 60 },
    );
  });

  it.each(['\\"', '\\\\', 'a', '\\u0041'])('yields while it reads a long string of %j', async (unit) => {
    let turns = 0;
    const pieces = new TimeSlice(() => void turns++, 2 ** 16);
    const text = `"${unit.repeat(2 ** 20 / unit.length)}"`;
    expect(await runTask(readJson(text, { levels: 0 }), pieces)).toBe(JSON.parse(text));
    expect(turns).toBeGreaterThanOrEqual(15);
  });

  it('rejects a name of more than 65,536 characters', () => {
    const named = (length: number): string => `{"a":1,"${'n'.repeat(length)}":2}`;
    expect(read(named(65_535))).toEqual(JSON.parse(named(65_535)));
    expect(() => read(named(65_537))).toThrow(JsonLimitError);
    expect(() => read(`{"${'\\"'.repeat(40_000)}":2}`)).toThrow(
      'a name in the JSON has more than 65536 characters',
    );
  });

  it('yields while it reads a long list', async () => {
    const text = `[${'1,'.repeat(10_000)}1]`;
    let turns = 0;
    const pieces = new TimeSlice(() => void turns++, 1_000);
    await expect(runTask(readJson(text, { levels: 1 }), pieces)).resolves.toHaveLength(10_001);
    expect(turns).toBeGreaterThan(5);
  });
});
