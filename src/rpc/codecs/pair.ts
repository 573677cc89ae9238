import * as z from 'zod/mini';
import type { Codec } from './codec.ts';

/** A codec for arrays of two values, each of its own kind. */
export function pairOf<First, Second>(
  first: Codec<First>,
  second: Codec<Second>,
  expected: string,
): Codec<readonly [First, Second]> {
  return {
    schema: z.readonly(z.tuple([first.schema, second.schema], { error: expected })),
    jsonSchema: {
      type: 'array',
      prefixItems: [first.jsonSchema, second.jsonSchema],
      minItems: 2,
      maxItems: 2,
      description: expected,
    },
  };
}
