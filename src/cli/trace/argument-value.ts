/** Reads arguments of functions as people write them in a shell: `5`, `true`, `0x…`, `[1,2]`, `(1,0x…)`. */

import { UsageError } from '../../config/errors.ts';
import { quoted } from '../../config/usage-messages.ts';

/** A parameter of a function. */
export interface WrittenParameter {
  readonly name?: string;
  readonly type: string;
  readonly components?: readonly WrittenParameter[];
}

const ARRAY = /^(?<item>.*)\[(?<length>\d*)\]$/;
const NUMBER = /^-?(?:\d+|0x[0-9a-fA-F]+)$/;
/** `1e18`, `2.5e6`. */
const POWER = /^(?<sign>-?)(?<whole>\d+)(?:\.(?<fraction>\d+))?e(?<exponent>\d{1,3})$/;

/**
 * Returns the value in the form that the encoder takes. Throws {@link UsageError} for a text that is none of the type, which says
 * by `place` what it was written for, `amount of transfer`, and by `taker` what takes it.
 */
export function argumentValue(
  parameter: WrittenParameter,
  written: string,
  place: string,
  taker: string,
): unknown {
  const { type, components } = parameter;
  const text = written.trim();
  const array = ARRAY.exec(type)?.groups;
  if (array !== undefined) {
    const items = listOf(text, '[', ']');
    const { item = '', length = '' } = array;
    if (items === null || (length !== '' && items.length !== Number(length)))
      throw bad(type, written, place, taker);
    return items.map((each) => argumentValue({ ...parameter, type: item }, each, place, taker));
  }
  if (components !== undefined) {
    const members = listOf(text, '(', ')');
    if (members === null || members.length !== components.length)
      throw bad(typeOf(parameter), written, place, taker);
    return components.map((component, index) => argumentValue(component, members[index] ?? '', place, taker));
  }
  if (type === 'string') return unquoted(written);
  if (type === 'bool' && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'address' && /^0x[0-9a-fA-F]{40}$/.test(text)) return text.toLowerCase();
  if (/^u?int/.test(type)) {
    const number = numberOf(text);
    if (number !== null && isInRange(type, number)) return number;
  }
  if (/^bytes/.test(type) && /^0x(?:[0-9a-fA-F]{2})*$/.test(text)) {
    const size = type.slice('bytes'.length);
    if (size === '' || text.length === 2 + 2 * Number(size)) return text;
  }
  throw bad(type, written, place, taker);
}

/** Returns the form in which a type is written, in words that follow "takes". */
function formOf(type: string): string {
  if (ARRAY.test(type)) return `a list in brackets for ${type}`;
  if (type.startsWith('(')) return `members in parentheses for ${type}`;
  if (type === 'bool') return 'true or false';
  if (type === 'address') return 'an address of 0x and 40 hexadecimal digits';
  if (type === 'bytes') return 'bytes as 0x and pairs of hexadecimal digits';
  if (type.startsWith('bytes'))
    return `${type} as 0x and ${2 * Number(type.slice('bytes'.length))} hexadecimal digits`;
  return `a number for ${type}`;
}

function bad(type: string, written: string, place: string, taker: string): UsageError {
  return new UsageError(`${taker} takes ${formOf(type)} as ${place}, not ${quoted(written)}`);
}

function typeOf({ type, components }: WrittenParameter): string {
  return components === undefined ? type : `(${components.map(typeOf).join(',')})`;
}

function numberOf(text: string): bigint | null {
  if (NUMBER.test(text)) return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
  const { sign = '', whole = '', fraction = '', exponent = '' } = POWER.exec(text)?.groups ?? {};
  if (whole === '' || fraction.length > Number(exponent)) return null;
  const digits = `${whole}${fraction}${'0'.repeat(Number(exponent) - fraction.length)}`;
  return BigInt(`${sign}${digits}`);
}

function isInRange(type: string, value: bigint): boolean {
  const [, unsigned = '', bits = '256'] = /^(u?)int(\d*)$/.exec(type) ?? [];
  const size = BigInt(bits === '' ? 256 : bits);
  return unsigned === 'u'
    ? BigInt.asUintN(Number(size), value) === value
    : BigInt.asIntN(Number(size), value) === value;
}

/** Returns the text without the quotes around it, where it has some. */
function unquoted(text: string): string {
  if (!/^".*"$/s.test(text)) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Returns the items between the brackets, split at commas outside of brackets and quotes; `null` for what is no such list. */
function listOf(text: string, open: string, close: string): string[] | null {
  if (!text.startsWith(open) || !text.endsWith(close)) return null;
  const inner = text.slice(1, -1);
  if (inner.trim() === '') return [];
  const items: string[] = [];
  let depth = 0;
  let isQuoted = false;
  let from = 0;
  for (let index = 0; index < inner.length; index++) {
    const character = inner[index];
    if (isQuoted && character === '\\') index++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === '[' || character === '(') depth++;
    else if (character === ']' || character === ')') depth--;
    else if (character === ',' && depth === 0) {
      items.push(inner.slice(from, index));
      from = index + 1;
    }
    if (depth < 0) return null;
  }
  return depth === 0 && !isQuoted ? [...items, inner.slice(from)] : null;
}
