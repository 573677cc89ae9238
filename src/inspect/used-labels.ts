/** Finds the labels of the addresses that an account of an execution mentions as values. */

import type { DecodedParameter } from '../artifacts/decoding.ts';
import type { Task } from '../primitives/task.ts';
import type { WorkPieces } from '../primitives/work-pieces.ts';
import type { InspectedCall, InspectedConsole, InspectedEvent } from './inspection.ts';
import type { NamedAddress } from './named-address.ts';
import type { NameOfAddress } from './value-text.ts';

/** Units of work for looking at one decoded value. */
const VALUE_WORK = 64;

/**
 * Returns the labelled addresses among arguments, results and the values of events and errors of a call and of all calls inside it,
 * each once. The work is done in pieces.
 */
export function* usedLabels(
  root: InspectedCall,
  labelOf: NameOfAddress,
  pieces: WorkPieces,
): Task<readonly NamedAddress[]> {
  const found = new Map<string, string>();
  const calls: (InspectedCall | InspectedEvent | InspectedConsole)[] = [root];
  for (let item = calls.pop(); item !== undefined; item = calls.pop()) {
    if (item.kind === 'call') for (const inner of item.items) calls.push(inner);
    const values = valuesOf(item);
    for (let value = values.pop(); value !== undefined; value = values.pop()) {
      if (typeof value.value === 'object') for (const member of value.value) values.push(member);
      else if (value.type === 'address' && typeof value.value === 'string') {
        const address = value.value.toLowerCase();
        const label = labelOf(address);
        if (label !== null) found.set(address, label);
      }
      const turn = pieces.spend(VALUE_WORK);
      if (turn !== undefined) yield turn;
    }
  }
  return Array.from(found, ([address, name]) => ({ address, name }));
}

function valuesOf(item: InspectedCall | InspectedEvent | InspectedConsole): DecodedParameter[] {
  if (item.kind === 'console') return [];
  if (item.kind === 'event') return [...(item.event?.parameters ?? [])];
  const { call, results, failure } = item;
  return [...(call?.parameters ?? []), ...(results ?? []), ...(failure?.error?.parameters ?? [])];
}
