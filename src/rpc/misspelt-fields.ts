/** Finds fields of messages that callers spelt wrongly: they are ignored as all unknown ones are, and the log says so. */

import { namesOf } from '../primitives/json/json-writer.ts';
import { misspelt } from '../primitives/nearest-word.ts';
import type { Method } from './method.ts';

/** Unknown names of an object that are looked at; clients send a few. */
const MOST_UNKNOWN = 16;

/** Fields that clients send in earnest, though no method reads them and their names are near to others. */
const FAMILIAR: ReadonlySet<string> = new Set(['chain', 'hash']);

function warningsAbout(place: string, value: unknown, known: ReadonlySet<string>): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const unknown: string[] = [];
  for (const name of namesOf(value)) {
    if (known.has(name) || FAMILIAR.has(name)) continue;
    unknown.push(name);
    if (unknown.length === MOST_UNKNOWN) break;
  }
  return unknown.flatMap((name) => {
    const meant = misspelt(name, known);
    return meant === undefined
      ? []
      : [`${place}.${name} is no known field and was ignored; did you mean ${meant}?`];
  });
}

/**
 * Returns a warning for each field in the parameters of a call that is not known to its codec and nearly has the name of one that is;
 * `undefined` for none. Others are no slips: clients send fields that only some nodes understand.
 */
export function misspeltFields({ params }: Pick<Method, 'params'>, given: unknown): string[] | undefined {
  let warnings: string[] | undefined;
  // Every call passes here, and few have an object that is looked at: nothing is made for the others.
  let position = -1;
  for (const { name, codec } of params) {
    position++;
    if (codec.fieldNames === undefined || typeof given !== 'object' || given === null) continue;
    const value = Reflect.get(given, Array.isArray(given) ? position : name);
    const found = warningsAbout(name, value, codec.fieldNames);
    if (found.length > 0) warnings = [...(warnings ?? []), ...found];
  }
  return warnings;
}
