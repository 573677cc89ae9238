import { type Codec, leaf } from './codec.ts';

/** An array of what this chain never has: it is taken when it is empty; `expected` says why there can be nothing in it. */
export function emptyArray(expected: string): Codec<readonly never[]> {
  return leaf<readonly never[]>(expected, { type: 'array', maxItems: 0 }, (value) =>
    Array.isArray(value) && value.length === 0 ? [] : undefined,
  );
}
