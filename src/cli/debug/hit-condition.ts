/** The hit condition of a breakpoint: the hits to stop at. */

import { InvalidArgumentError } from './debug-error.ts';

const CONDITION = /^\s*(?<operator>==?|>=?|<=?|%)?\s*(?<count>\d{1,9})\s*$/;

/** Returns true if the debugger stops at a hit. Hits count from 1. */
export type HitCondition = (hit: number) => boolean;

/** Parses `5`, `>= 5` or `% 5`. A number alone means this hit and all later ones. Throws {@link InvalidArgumentError}. */
export function hitConditionOf(text: string): HitCondition {
  const { operator = '>=', count = '' } = CONDITION.exec(text)?.groups ?? {};
  const wanted = Number(count);
  if (count === '' || (operator === '%' && wanted === 0))
    throw new InvalidArgumentError('hitCondition', 'a number, optionally after ==, >, >=, <, <= or %', text);
  switch (operator) {
    case '>=':
      return (hit) => hit >= wanted;
    case '>':
      return (hit) => hit > wanted;
    case '<':
      return (hit) => hit < wanted;
    case '<=':
      return (hit) => hit <= wanted;
    case '%':
      return (hit) => hit % wanted === 0;
    default:
      return (hit) => hit === wanted;
  }
}
