import type { Steps } from '../../primitives/steps.ts';
import type { WorkPieces } from '../../primitives/work-pieces.ts';
import { type Codec, complaintBelow, ITEM_WORK, isUnfinished, type Reading } from './codec.ts';

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
): Steps<Reading<Entry[]>> {
  const entries: Entry[] = [];
  for (const name of Object.keys(given)) {
    const begunKey = key.read(name, pieces);
    const readKey = isUnfinished(begunKey) ? yield* begunKey : begunKey;
    const shown = name.slice(0, LONGEST_KEY);
    if (!('value' in readKey))
      return { path: [], expected: `${expected}, not with the key ${JSON.stringify(shown)}` };
    const begun = item.read(Reflect.get(given, name), pieces);
    const reading = isUnfinished(begun) ? yield* begun : begun;
    if (!('value' in reading)) return complaintBelow(shown, reading);
    entries.push(entryOf(readKey.value, reading.value));
    const turn = pieces.spend(ITEM_WORK);
    if (turn !== undefined) yield turn;
  }
  return { value: entries };
}
