import * as z from 'zod/mini';
import type { Codec } from './codec.ts';

type Issue = { readonly message: string; readonly path: readonly PropertyKey[] };

/** A codec for objects with any number of entries of one kind. Gives the entries in their order. */
export function recordOf<Key, T>(
  key: Codec<Key>,
  item: Codec<T>,
  expected: string,
): Codec<(readonly [Key, T])[]> {
  const schema = z.pipe(
    z.unknown(),
    z.transform((value, context): (readonly [Key, T])[] => {
      const refuse = ({ message, path }: Issue): never => {
        context.issues.push({ code: 'custom', message, path: [...path], input: value });
        return z.NEVER;
      };
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return refuse({ message: expected, path: [] });
      }
      const entries: (readonly [Key, T])[] = [];
      for (const [name, content] of Object.entries(value)) {
        const readKey = key.schema.safeParse(name);
        if (!readKey.success) {
          return refuse({
            message: `${expected}, not with the key ${JSON.stringify(name.slice(0, 100))}`,
            path: [],
          });
        }
        const readItem = item.schema.safeParse(content);
        if (!readItem.success) {
          const [issue] = readItem.error.issues;
          return refuse({
            message: issue?.message ?? expected,
            path: [name.slice(0, 100), ...(issue?.path ?? [])],
          });
        }
        entries.push([readKey.data, readItem.data]);
      }
      return entries;
    }),
  );
  return {
    schema,
    jsonSchema: { type: 'object', additionalProperties: item.jsonSchema, description: expected },
  };
}
