import { describe, expect, it } from 'vitest';
import { JsonList } from '../../src/json/json-list.ts';
import { isLongJson, jsonParts, withJsonList } from '../../src/json/json-writer.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';

function listOf(items: readonly unknown[]): JsonList {
  const list = new JsonList();
  for (const item of items) list.add(JSON.stringify(item));
  return list;
}

async function written(value: unknown): Promise<string> {
  return (
    await runTask(
      jsonParts(value, () => undefined),
      new TimeSlice(),
    )
  ).join('');
}

/** Items of many lengths, more than 3 MB in total. */
const LONG = Array.from({ length: 8_000 }, (_, index) => ({ index, text: 'x'.repeat((index * 37) % 800) }));

describe('JsonList', () => {
  it.each([
    ['an empty list', []],
    ['a list with one item', [{ a: 1 }]],
    ['a list with items in many parts', LONG],
    ['a list with items longer than a part', ['y'.repeat(3_000_000), 1, 'z'.repeat(2_000_000)]],
  ])('returns the values and the text of %s', async (_what, items) => {
    const list = listOf(items);
    expect(list.length).toBe(items.length);
    expect(list.values()).toEqual(items);
    expect([...list.texts()].join('') === JSON.stringify(items)).toBe(true);
    expect(
      (await written(withJsonList({ first: 1 }, 'items', list))) === JSON.stringify({ first: 1, items }),
    ).toBe(true);
  });

  it('writes a nested list', async () => {
    const value = [{ result: withJsonList({ gas: 1 }, 'steps', listOf([1, 'two'])), after: null }];
    expect(isLongJson(value)).toBe(true);
    expect(await written(value)).toBe('[{"result":{"gas":1,"steps":[1,"two"]},"after":null}]');
  });

  it('reads as an ordinary member', () => {
    const made = withJsonList({ gas: 1 }, 'steps', listOf([{ pc: 0 }]));
    expect(Object.keys(made)).toEqual(['gas', 'steps']);
    expect(JSON.stringify(made)).toBe('{"gas":1,"steps":[{"pc":0}]}');
    expect(made.steps).toBe(made.steps);
    expect(structuredClone(made)).toEqual({ gas: 1, steps: [{ pc: 0 }] });
    expect({ ...made }).toStrictEqual({ gas: 1, steps: [{ pc: 0 }] });
  });

  it('writes a list that was changed by its reader', async () => {
    const changed = withJsonList({ gas: 1 }, 'steps', listOf([{ pc: 0 }]));
    changed.steps.push('more');
    expect(await written(changed)).toBe('{"gas":1,"steps":[{"pc":0},"more"]}');
    const replaced = withJsonList({ gas: 1 }, 'steps', listOf([{ pc: 0 }]));
    replaced.steps = [];
    expect(await written(replaced)).toBe('{"gas":1,"steps":[]}');
  });

  it('rejects a text above the length limit', async () => {
    const value = withJsonList({}, 'items', listOf(LONG));
    const onLength = (length: number): void => {
      if (length > 2_000_000) throw new RangeError(`${length} characters`);
    };
    await expect(async () => runTask(jsonParts(value, onLength), new TimeSlice())).rejects.toThrow(
      RangeError,
    );
  });
});
