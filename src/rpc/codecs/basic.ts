import { namesOf } from '../../json/json-writer.ts';
import { NEWEST_RULE_SET_NAME, RULE_SET_NAMES, type RuleSetName } from '../../protocol/hardforks/registry.ts';
import type { Task } from '../../scheduling/task.ts';
import type { WorkPieces } from '../../scheduling/work-pieces.ts';
import { type Codec, complaintBelow, ITEM_WORK, isUnfinished, leaf, type Reading } from './codec.ts';

export const boolean = leaf('true or false', { type: 'boolean' }, (value) =>
  typeof value === 'boolean' ? value : undefined,
);

/** An object that is passed on as it came: its members are checked by who reads them. */
export const jsonObject = leaf('an object', { type: 'object' }, (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '__proto__')
    ? value
    : undefined,
);

/** `true` or `false`, as such or as a text, which the network takes in the options of its tracers. */
export const flag = leaf('true or false', { type: 'boolean' }, (value) => {
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : undefined;
});

/** Any text. */
export const text = leaf('a string', { type: 'string' }, (value) =>
  typeof value === 'string' ? value : undefined,
);

/** A codec for a text of `least` to `most` characters; `what` names it. */
export function textUpTo(most: number, what: string, least = 0): Codec<string> {
  const expected = least === 0 ? `at most ${most}` : `${least} to ${most}`;
  const bounds = { ...(least === 0 ? {} : { minLength: least }), maxLength: most };
  return leaf(`${what} of ${expected} characters`, { type: 'string', ...bounds }, (value) =>
    typeof value === 'string' && value.length >= least && value.length <= most ? value : undefined,
  );
}

const DURATION_UNITS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
const DURATION = /^(?:\d{1,9}(?:\.\d{1,9})?(?:ns|us|µs|ms|s|m|h))+$/;
/** The longest time that a timer can have. */
const LONGEST_DURATION = 2 ** 31 - 1;

/** A time as geth writes it, such as `1m30s`, in milliseconds. */
export const duration: Codec<number> = leaf(
  'a duration with units, such as "5s", "300ms" or "1m30s"',
  { type: 'string', pattern: DURATION.source },
  (value) => {
    if (typeof value !== 'string' || !DURATION.test(value)) return undefined;
    let milliseconds = 0;
    for (const [, count, unit] of value.matchAll(/([\d.]+)(\D+)/g)) {
      milliseconds += Number(count) * (DURATION_UNITS.get(unit ?? '') ?? 0);
    }
    return Math.min(milliseconds, LONGEST_DURATION);
  },
);

/** An array of what this chain never has: it is taken when it is empty; `expected` says why there can be nothing in it. */
export function emptyArray(expected: string): Codec<readonly never[]> {
  return leaf<readonly never[]>(expected, { type: 'array', maxItems: 0 }, (value) =>
    Array.isArray(value) && value.length === 0 ? [] : undefined,
  );
}

/** A codec for arrays of two values, each of its own kind. */
export function pairOf<First, Second>(
  first: Codec<First>,
  second: Codec<Second>,
  expected: string,
): Codec<readonly [First, Second]> {
  return {
    read: (value, pieces) =>
      Array.isArray(value) && value.length === 2
        ? readPair(first, second, value, pieces)
        : { path: [], expected },
    jsonSchema: {
      type: 'array',
      prefixItems: [first.jsonSchema, second.jsonSchema],
      minItems: 2,
      maxItems: 2,
      description: expected,
    },
  };
}

function* readPair<First, Second>(
  first: Codec<First>,
  second: Codec<Second>,
  given: readonly unknown[],
  pieces: WorkPieces,
): Task<Reading<readonly [First, Second]>> {
  const begunFirst = first.read(given[0], pieces);
  const readFirst = isUnfinished(begunFirst) ? yield* begunFirst : begunFirst;
  if (!('value' in readFirst)) return complaintBelow(0, readFirst);
  const begunSecond = second.read(given[1], pieces);
  const readSecond = isUnfinished(begunSecond) ? yield* begunSecond : begunSecond;
  if (!('value' in readSecond)) return complaintBelow(1, readSecond);
  return { value: [readFirst.value, readSecond.value] };
}

/** The most characters of a key that an error shows. */
const LONGEST_KEY = 100;

/** A codec for objects with any number of entries of one kind. Gives what `entryOf` makes of each, in their order. */
export function recordOf<Key, T, Entry>(
  key: Codec<Key>,
  item: Codec<T>,
  expected: string,
  entryOf: (key: Key, item: T) => Entry,
): Codec<Entry[]> {
  return {
    read: (value, pieces) =>
      typeof value !== 'object' || value === null || Array.isArray(value)
        ? { path: [], expected }
        : readEntries(key, item, { expected, entryOf }, value, pieces),
    jsonSchema: { type: 'object', additionalProperties: item.jsonSchema, description: expected },
  };
}

function* readEntries<Key, T, Entry>(
  key: Codec<Key>,
  item: Codec<T>,
  { expected, entryOf }: { readonly expected: string; readonly entryOf: (key: Key, item: T) => Entry },
  given: object,
  pieces: WorkPieces,
): Task<Reading<Entry[]>> {
  const entries: Entry[] = [];
  for (const name of namesOf(given)) {
    const begunKey = key.read(name, pieces);
    const readKey = isUnfinished(begunKey) ? yield* begunKey : begunKey;
    const shown = name.slice(0, LONGEST_KEY);
    if (!('value' in readKey))
      return { path: [], expected: `${expected} (invalid key ${JSON.stringify(shown)})` };
    const begun = item.read(Reflect.get(given, name), pieces);
    const reading = isUnfinished(begun) ? yield* begun : begun;
    if (!('value' in reading)) return complaintBelow(shown, reading);
    entries.push(entryOf(readKey.value, reading.value));
    const turn = pieces.spend(ITEM_WORK);
    if (turn !== undefined) yield turn;
  }
  return { value: entries };
}

/** The name by which the newest of Ethereum's hardforks is meant. */
const LATEST_HARDFORK = 'latest';

/** The name of a rule set. */
export const hardfork = leaf<RuleSetName>(
  `a hardfork: ${RULE_SET_NAMES.join(', ')} or ${LATEST_HARDFORK}`,
  { type: 'string', enum: [...RULE_SET_NAMES, LATEST_HARDFORK] },
  (value) =>
    value === LATEST_HARDFORK ? NEWEST_RULE_SET_NAME : RULE_SET_NAMES.find((name) => name === value),
);
