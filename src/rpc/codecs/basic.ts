import { namesOf } from '../../json/json-writer.ts';
import type { Steps } from '../../primitives/steps.ts';
import {
  NEWEST_RULE_SET_NAME,
  PREVIEW_RULE_SET_NAMES,
  RULE_SET_NAMES,
  type RuleSetName,
  ruleSetNameOf,
} from '../../protocol/hardforks/registry.ts';
import { type Codec, complaintBelow, ITEM_WORK, isUnfinished, leaf, type Reading } from './codec.ts';

export const boolean = leaf('true or false', { type: 'boolean' }, (value) =>
  typeof value === 'boolean' ? value : undefined,
);

/** An object whose members are validated by the code that reads them. */
export const jsonObject = leaf('an object', { type: 'object' }, (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '__proto__')
    ? value
    : undefined,
);

/** `true` or `false`, or one of them as a string, as Rootstock accepts in tracer options. */
export const flag = leaf('true or false', { type: 'boolean' }, (value) => {
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : undefined;
});

export const text = leaf('a string', { type: 'string' }, (value) =>
  typeof value === 'string' ? value : undefined,
);

/** A codec of strings with `least` to `most` characters; `what` is their name in errors. */
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
/** The maximum time of a timer in milliseconds. */
const MAX_DURATION = 2 ** 31 - 1;

/** A duration in geth's format, such as `1m30s`, in milliseconds. */
export const duration: Codec<number> = leaf(
  'a duration with units, such as "5s", "300ms" or "1m30s"',
  { type: 'string', pattern: DURATION.source },
  (value) => {
    if (typeof value !== 'string' || !DURATION.test(value)) return undefined;
    let milliseconds = 0;
    for (const [, count, unit] of value.matchAll(/([\d.]+)(\D+)/g)) {
      milliseconds += Number(count) * (DURATION_UNITS.get(unit ?? '') ?? 0);
    }
    return Math.min(milliseconds, MAX_DURATION);
  },
);

/** A codec of an array that must be empty; `expected` contains the reason. */
export function emptyArray(expected: string): Codec<readonly never[]> {
  return leaf<readonly never[]>(expected, { type: 'array', maxItems: 0 }, (value) =>
    Array.isArray(value) && value.length === 0 ? [] : undefined,
  );
}

/** A codec of arrays with two values. */
export function pairOf<First, Second>(
  first: Codec<First>,
  second: Codec<Second>,
  expected: string,
): Codec<readonly [First, Second]> {
  return {
    read: (value) =>
      Array.isArray(value) && value.length === 2 ? readPair(first, second, value) : { path: [], expected },
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
): Steps<Reading<readonly [First, Second]>> {
  const begunFirst = first.read(given[0]);
  const readFirst = isUnfinished(begunFirst) ? yield* begunFirst : begunFirst;
  if (!('value' in readFirst)) return complaintBelow(0, readFirst);
  const begunSecond = second.read(given[1]);
  const readSecond = isUnfinished(begunSecond) ? yield* begunSecond : begunSecond;
  if (!('value' in readSecond)) return complaintBelow(1, readSecond);
  return { value: [readFirst.value, readSecond.value] };
}

/** Maximum characters of a key in an error. */
const MAX_KEY_LENGTH = 100;

/** A codec of objects with any number of entries. Returns the results of `entryOf` in their order. */
export function recordOf<Key, T, Entry>(
  key: Codec<Key>,
  item: Codec<T>,
  expected: string,
  entryOf: (key: Key, item: T) => Entry,
): Codec<Entry[]> {
  return {
    read: (value) =>
      typeof value !== 'object' || value === null || Array.isArray(value)
        ? { path: [], expected }
        : readEntries(key, item, { expected, entryOf }, value),
    jsonSchema: { type: 'object', additionalProperties: item.jsonSchema, description: expected },
  };
}

function* readEntries<Key, T, Entry>(
  key: Codec<Key>,
  item: Codec<T>,
  { expected, entryOf }: { readonly expected: string; readonly entryOf: (key: Key, item: T) => Entry },
  given: object,
): Steps<Reading<Entry[]>> {
  const entries: Entry[] = [];
  for (const name of namesOf(given)) {
    const begunKey = key.read(name);
    const readKey = isUnfinished(begunKey) ? yield* begunKey : begunKey;
    const shown = name.slice(0, MAX_KEY_LENGTH);
    if (!('value' in readKey))
      return { path: [], expected: `${expected} (invalid key ${JSON.stringify(shown)})` };
    const begun = item.read(Reflect.get(given, name));
    const reading = isUnfinished(begun) ? yield* begun : begun;
    if (!('value' in reading)) return complaintBelow(shown, reading);
    entries.push(entryOf(readKey.value, reading.value));
    yield ITEM_WORK;
  }
  return { value: entries };
}

/** The name of the newest Ethereum hardfork. */
const LATEST_HARDFORK = 'latest';

export const hardfork = leaf<RuleSetName>(
  `a hardfork: ${RULE_SET_NAMES.join(', ')} or ${LATEST_HARDFORK}`,
  {
    type: 'string',
    description: `A hardfork. Previews, which can change: ${PREVIEW_RULE_SET_NAMES.join(', ')}. Single drafts follow a name, for example rootstock+rskip692`,
    pattern: `^(?:${[...RULE_SET_NAMES, LATEST_HARDFORK].join('|')})(?:[+-](?:rskip|eip)[0-9]+)*$`,
  },
  (value) => {
    if (value === LATEST_HARDFORK) return NEWEST_RULE_SET_NAME;
    return typeof value === 'string' ? ruleSetNameOf(value) : undefined;
  },
);
