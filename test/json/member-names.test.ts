import { describe, expect, it } from 'vitest';
import { JsonMembers } from '../../src/json/json-members.ts';
import { readJsonSync } from '../../src/json/json-reader.ts';
import { MANY_MEMBERS, namesOf, rememberedNames } from '../../src/json/json-writer.ts';

/** JSON of an object with many members, followed by the given members. */
function textOf(...last: readonly string[]): string {
  const names = Array.from({ length: 2 * MANY_MEMBERS }, (_, index) => `k${index}`);
  return `{${[...names, ...last].map((name) => `${JSON.stringify(name)}:0`).join(',')}}`;
}

function read(text: string): object {
  return readJsonSync(text, { levels: 10 }) as object;
}

describe('member names', () => {
  it('caches the names of a large object when it is read', () => {
    const object = read(textOf('last'));
    expect(rememberedNames(object)).toEqual(Object.keys(object));
  });

  it.each([
    ['a repeated name', ['k5', 'again', 'again']],
    ['array indexes', ['x', '7', '3']],
    ['numbers that are no array indexes', ['4294967296', '01', '-1']],
    ['__proto__', ['__proto__', 'after']],
    ['no further names', []],
  ])('returns the names that Object.keys returns: %s', (_, last) => {
    const object = read(textOf(...last));
    expect(namesOf(object)).toEqual(Object.keys(object));
  });

  it('caches the names of an object built member by member', () => {
    const members = new JsonMembers<number>();
    expect(members.isEmpty).toBe(true);
    for (let index = 0; index < 2 * MANY_MEMBERS; index++) members.add(`k${index}`, index);
    expect(members.isEmpty).toBe(false);
    const object = members.finished();
    expect(rememberedNames(object)).toEqual(Object.keys(object));
    expect(object).toMatchObject({ k0: 0, k2047: 2047 });
  });

  it('keeps the cached names out of the object', () => {
    const object = read(textOf('last'));
    const copy = { ...object };
    expect(rememberedNames(copy)).toBeUndefined();
    expect(copy).toStrictEqual(JSON.parse(textOf('last')));
    expect(JSON.stringify(object)).toBe(textOf('last'));
  });

  it('does not cache the names of a small object', () => {
    const object = read('{"b":1,"2":1,"a":1,"1":1}');
    expect(rememberedNames(object)).toBeUndefined();
    expect(namesOf(object)).toEqual(['1', '2', 'b', 'a']);
  });
});
