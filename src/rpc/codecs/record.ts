import * as z from 'zod/mini';
import { type Codec, type Complaint, readBy } from './codec.ts';

/** A codec for objects with any number of entries of one kind. Gives the entries in their order. */
export function recordOf<Key, T>(
  key: Codec<Key>,
  item: Codec<T>,
  expected: string,
): Codec<(readonly [Key, T])[]> {
  const schema = z.pipe(
    z.unknown(),
    z.transform((value, context): (readonly [Key, T])[] => {
      const refuse = ({ message, path, params }: Complaint): never => {
        context.issues.push({ code: 'custom', message, path: [...path], input: value, params });
        return z.NEVER;
      };
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return refuse({ message: expected, path: [], params: undefined });
      }
      const entries: (readonly [Key, T])[] = [];
      for (const [name, content] of Object.entries(value)) {
        const readKey = readBy(key, name, expected);
        if (!('value' in readKey)) {
          return refuse({
            message: `${expected}, not with the key ${JSON.stringify(name.slice(0, 100))}`,
            path: [],
            params: undefined,
          });
        }
        const readItem = readBy(item, content, expected);
        if (!('value' in readItem)) {
          return refuse({ ...readItem, path: [name.slice(0, 100), ...readItem.path] });
        }
        entries.push([readKey.value, readItem.value]);
      }
      return entries;
    }),
  );
  return {
    schema,
    jsonSchema: { type: 'object', additionalProperties: item.jsonSchema, description: expected },
  };
}
