import type { Steps } from '../../primitives/steps.ts';
import type { WorkPieces } from '../../primitives/work-pieces.ts';
import { type Codec, complaintBelow, isUnfinished, type Reading } from './codec.ts';

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
): Steps<Reading<readonly [First, Second]>> {
  const begunFirst = first.read(given[0], pieces);
  const readFirst = isUnfinished(begunFirst) ? yield* begunFirst : begunFirst;
  if (!('value' in readFirst)) return complaintBelow(0, readFirst);
  const begunSecond = second.read(given[1], pieces);
  const readSecond = isUnfinished(begunSecond) ? yield* begunSecond : begunSecond;
  if (!('value' in readSecond)) return complaintBelow(1, readSecond);
  return { value: [readFirst.value, readSecond.value] };
}
