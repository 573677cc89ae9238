/** The parameter `page` of methods that return a call tree, and the result with this page of the tree. */

import type { Inspection } from '../../../inspect/inspection.ts';
import { boolean } from '../../codecs/basic.ts';
import { type Decoded, exactObjectOf } from '../../codecs/codec.ts';
import { countUpTo, index, quantity } from '../../codecs/hex-values.ts';
import type { RequestDeadline } from '../../request-check.ts';

const MAX_LINES = 2_000;
const LINES = 200;

const lineCount = countUpTo(MAX_LINES, 'lines', 0);

/** A part of the lines of a call tree. */
export const linePage = exactObjectOf(
  { first: index, count: lineCount, leastGas: quantity, changes: boolean },
  'an object with first, count, leastGas and changes',
);

type LinePage = Decoded<typeof linePage> | null;

/** Resolves to an inspection as JSON. With a page, lines replace the call tree. */
export async function answerOf(made: Inspection, page: LinePage, deadline: RequestDeadline): Promise<object> {
  const { inspectionPageView, inspectionView } = await import('../../views/inspection.ts');
  if (page === null) return deadline.run(inspectionView(made));
  const { first, count, leastGas } = page;
  return deadline.run(inspectionPageView(made, { first: first ?? 0, count: count ?? LINES, leastGas }));
}
