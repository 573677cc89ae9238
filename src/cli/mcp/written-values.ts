/** Turns arguments of JSON into the form in which the command line takes them, so that both are read in one way. */

import { UsageError } from '../../config/errors.ts';
import type { WrittenParameter } from '../trace/argument-value.ts';

/**
 * Returns an argument as it is written in a shell: `5`, `[1,2]`, `(1,0x…)`. Structs may be objects by the names of their members.
 * A text for anything but a list or a struct is left as it is. Throws {@link UsageError} for what has no such form.
 */
export function writtenValue(parameter: WrittenParameter, value: unknown, place: string): string {
  return written(parameter, value, place, false);
}

function written(parameter: WrittenParameter, value: unknown, place: string, isInside: boolean): string {
  const { type, components } = parameter;
  if (typeof value === 'string') {
    // Inside of brackets a comma would end it.
    return isInside && type === 'string' ? JSON.stringify(value) : value;
  }
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new UsageError(
      `${place} is the number ${value}, which JSON cannot hold exactly; write it as a text, "${value}"`,
    );
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const item = /^(.*)\[\d*\]$/.exec(type)?.[1];
  if (Array.isArray(value) && item !== undefined) {
    const items = value.map((each) => written({ ...parameter, type: item }, each, place, true));
    return `[${items.join(',')}]`;
  }
  if (components !== undefined && item === undefined && typeof value === 'object' && value !== null) {
    const members = Array.isArray(value) ? value : membersOf(components, value, place);
    if (members.length !== components.length)
      throw new UsageError(`${place} has ${components.length} members, not ${members.length}`);
    const texts = components.map((component, index) => written(component, members[index], place, true));
    return `(${texts.join(',')})`;
  }
  throw new UsageError(`${place} takes ${formOf(parameter)}, not ${JSON.stringify(value) ?? 'nothing'}`);
}

function formOf({ type, components }: WrittenParameter): string {
  if (type.endsWith(']')) return `an array for ${type}`;
  return components === undefined
    ? `a text, a number or a boolean for ${type}`
    : 'an object or an array of its members';
}

function membersOf(components: readonly WrittenParameter[], value: object, place: string): unknown[] {
  return components.map(({ name = '' }) => {
    if (Object.hasOwn(value, name)) return Reflect.get(value, name);
    throw new UsageError(
      `${place} has no member ${name}; it is to have ${components.map((each) => each.name).join(', ')}`,
    );
  });
}
