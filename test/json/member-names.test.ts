import { describe, expect, it } from 'vitest';
import { JsonMembers } from '../../src/json/json-members.ts';
import { readJsonSync } from '../../src/json/json-reader.ts';
import { MANY_MEMBERS, namesOf, rememberedNames } from '../../src/json/json-writer.ts';

/** The JSON of an object with many members, and these members last. */
function textOf(...last: readonly string[]): string {
  const names = Array.from({ length: 2 * MANY_MEMBERS }, (_, index) => `k${index}`);
  return `{${[...names, ...last].map((name) => `${JSON.stringify(name)}:0`).join(',')}}`;
}

function read(text: string): object {
  return readJsonSync(text, { levels: 10 }) as object;
}

describe('the names of an object of many members', () => {
  it('are remembered when it has been read', () => {
    const object = read(textOf('last'));
    expect(rememberedNames(object)).toEqual(Object.keys(object));
  });

  it.each([
    ['a name twice', ['k5', 'again', 'again']],
    ['names of array elements', ['x', '7', '3']],
    ['numbers that name no elements', ['4294967296', '01', '-1']],
    ['the name of the prototype', ['__proto__', 'after']],
    ['no other', []],
  ])('are those that Object.keys gives: %s', (_, last) => {
    const object = read(textOf(...last));
    expect(namesOf(object)).toEqual(Object.keys(object));
  });

  it('are remembered when it has grown by one after the other', () => {
    const members = new JsonMembers<number>();
    expect(members.isEmpty).toBe(true);
    for (let index = 0; index < 2 * MANY_MEMBERS; index++) members.add(`k${index}`, index);
    expect(members.isEmpty).toBe(false);
    const object = members.finished();
    expect(rememberedNames(object)).toEqual(Object.keys(object));
    expect(object).toMatchObject({ k0: 0, k2047: 2047 });
  });

  it('do not become part of the object', () => {
    const object = read(textOf('last'));
    const copy = { ...object };
    expect(rememberedNames(copy)).toBeUndefined();
    expect(copy).toStrictEqual(JSON.parse(textOf('last')));
    expect(JSON.stringify(object)).toBe(textOf('last'));
  });

  it('are listed where there are few', () => {
    const object = read('{"b":1,"2":1,"a":1,"1":1}');
    expect(rememberedNames(object)).toBeUndefined();
    expect(namesOf(object)).toEqual(['1', '2', 'b', 'a']);
  });
});
