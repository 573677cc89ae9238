/** Parses the arguments in a function form: one text per argument, by its ABI type. */

import type { AbiParameter } from 'abitype';
import { shown } from './format.ts';

/** An argument has an invalid value. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

const ARRAY = /^(?<item>.*)\[(?<length>\d*)\]$/;

function refuse(name: string, expected: string, given: unknown): never {
  const text = typeof given === 'string' ? `“${given.slice(0, 60)}”` : JSON.stringify(given)?.slice(0, 60);
  throw new ArgumentError(`${name}: expected ${expected}, got ${text === '“”' ? 'nothing' : text}`);
}

/** Returns the item parameter of an array type; `null` for other types. */
function itemOf(
  parameter: AbiParameter,
): { readonly item: AbiParameter; readonly length: number | null } | null {
  const { item, length } = ARRAY.exec(parameter.type)?.groups ?? {};
  if (item === undefined) return null;
  return { item: { ...parameter, type: item }, length: length === '' ? null : Number(length) };
}

/** Returns the name of a parameter, or its position if it has none. */
export function nameOf({ name }: AbiParameter, index: number): string {
  return name === undefined || name === '' ? `argument ${index + 1}` : name;
}

/** Formats a decoded value as the text that {@link argumentOf} parses. */
export function argumentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object'
    ? JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))
    : String(value);
}

/** Returns the components of a tuple or of an array of tuples; empty for other types. */
function componentsOf(parameter: AbiParameter): readonly AbiParameter[] {
  return 'components' in parameter ? parameter.components : [];
}

/** Replaces types that viem cannot encode: the type `function` is encoded as `bytes24`. */
export function encodable(parameters: readonly AbiParameter[]): readonly AbiParameter[] {
  return parameters.map((parameter) => {
    const type = parameter.type.replace(/^function(?=\[|$)/, 'bytes24');
    const components = componentsOf(parameter);
    return components.length === 0
      ? { ...parameter, type }
      : { ...parameter, type, components: encodable(components) };
  });
}

/** Returns the type of a parameter; for a struct, its name in the source. */
export function typeOf({ type, internalType }: AbiParameter): string {
  return /^struct (.+)$/.exec(internalType ?? '')?.[1] ?? type;
}

const MAX_SHAPE_LENGTH = 160;

/** Returns the JSON shape of a tuple or an array of tuples, with types as values. A long shape is cut. */
function shapeOf(parameter: AbiParameter): string {
  const array = itemOf(parameter);
  const components = componentsOf(parameter);
  if (components.length === 0) return parameter.type.slice(0, MAX_SHAPE_LENGTH);
  if (array !== null) return `[${shapeOf(array.item)}, …]`;
  let members = '';
  for (const component of components) {
    if (members.length > MAX_SHAPE_LENGTH) return `{${members}, …}`;
    const name = shown(component.name ?? '', 40);
    members += `${members === '' ? '' : ', '}"${name}": ${shapeOf(component)}`;
  }
  return `{${members}}`;
}

/** Returns the byte length of a type with a fixed number of bytes; otherwise `null`. */
function sizeOf(type: string): number | null {
  if (type === 'address') return 20;
  return type === 'function' ? 24 : Number(/^bytes(\d+)$/.exec(type)?.[1]) || null;
}

/** Describes the expected input of a field. */
export function expectedOf(parameter: AbiParameter): string {
  const { type } = parameter;
  if (type.startsWith('tuple'))
    return `a JSON ${type.endsWith(']') ? 'array' : 'object'}, for example ${shown(shapeOf(parameter), 2 * MAX_SHAPE_LENGTH)}`;
  if (type.endsWith(']')) return 'a JSON array, for example [1, 2]';
  if (type === 'bool') return 'true or false';
  if (type === 'address') return '0x and 40 hex digits';
  if (type === 'string') return 'text';
  if (type === 'bytes') return '0x and an even number of hex digits';
  const size = sizeOf(type);
  return size === null ? 'a whole number' : `0x and ${2 * size} hex digits`;
}

function jsonOf(name: string, expected: string, text: string): unknown {
  try {
    // Quote numbers beyond 2^53, which would be rounded.
    return JSON.parse(text.replace(/(?<=[[,:]\s*)-?\d{16,}(?=\s*[\],}])/g, '"$&"'));
  } catch {
    return refuse(name, expected, text);
  }
}

function numberOf(name: string, parameter: AbiParameter, given: unknown): bigint {
  const isWhole = typeof given === 'number' ? Number.isSafeInteger(given) : typeof given === 'string';
  if (!isWhole || !/^(?:-?\d+|0x[0-9a-f]+)$/i.test(String(given).trim()))
    return refuse(name, expectedOf(parameter), given);
  const value = BigInt(String(given).trim());
  const bits = BigInt(/\d+$/.exec(parameter.type)?.[0] ?? '256');
  const isSigned = parameter.type.startsWith('int');
  const [least, most] = isSigned ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : [0n, 2n ** bits - 1n];
  if (value < least || value > most) refuse(name, `a number in the range of ${parameter.type}`, given);
  return value;
}

/**
 * Returns the value of an argument; `given` is the input or a part of it. Throws an {@link ArgumentError}
 * with the argument's name.
 */
export function argumentOf(
  parameter: AbiParameter,
  given: unknown,
  name = parameter.name || 'argument',
): unknown {
  const { type } = parameter;
  const expected = expectedOf(parameter);
  const array = itemOf(parameter);
  if (array !== null) {
    const items = typeof given === 'string' ? jsonOf(name, expected, given) : given;
    if (!Array.isArray(items)) return refuse(name, expected, given);
    if (array.length !== null && items.length !== array.length) {
      return refuse(name, `an array of ${array.length} items`, given);
    }
    return items.map((item, index) => argumentOf(array.item, item, `${name}[${index}]`));
  }
  if (type === 'tuple') {
    const members = typeof given === 'string' ? jsonOf(name, expected, given) : given;
    if (typeof members !== 'object' || members === null) return refuse(name, expected, given);
    return componentsOf(parameter).map((component, index) => {
      const key = component.name === undefined || component.name === '' ? String(index) : component.name;
      const member: unknown = Reflect.get(members, Array.isArray(members) ? index : key);
      return argumentOf(component, member, `${name}.${key}`);
    });
  }
  if (type === 'bool') {
    const word = String(given).trim();
    return word === 'true' ? true : word === 'false' ? false : refuse(name, expected, given);
  }
  if (type === 'string') return typeof given === 'string' ? given : refuse(name, expected, given);
  if (typeof given === 'string' && (type === 'address' || type.startsWith('bytes') || type === 'function')) {
    const digits = given.trim();
    const size = sizeOf(type);
    const isRight = /^0x(?:[0-9a-f]{2})*$/i.test(digits) && (size === null || digits.length === 2 + 2 * size);
    // Address checksums are not checked: Rootstock's differ from Ethereum's.
    return isRight ? digits.toLowerCase() : refuse(name, expected, given);
  }
  return numberOf(name, parameter, given);
}
