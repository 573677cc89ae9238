/** Sorts differences between a recorded and an actual response by kind. */

import type { Response } from './exchanges.ts';

export const KINDS: Readonly<Record<string, string>> = {};

export interface Compared {
  readonly file: string;
  readonly method: string;
  readonly isSpecOnly: boolean;
  readonly expected: Response;
  readonly actual: Response;
}

function sortedText(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([left], [right]) => (left < right ? -1 : 1)))
      : member,
  );
}

/** Returns the kind of a difference; `null` if the responses are equal. */
export function kindOf({ isSpecOnly, expected, actual }: Compared): string | null {
  if (expected.error !== undefined && actual.error !== undefined)
    return expected.error.code === actual.error.code ? null : 'error code';
  if ((expected.error === undefined) !== (actual.error === undefined))
    return expected.error === undefined ? 'unexpected error' : 'missing error';
  if (isSpecOnly) return null;
  return sortedText(expected.result) === sortedText(actual.result) ? null : 'other';
}
