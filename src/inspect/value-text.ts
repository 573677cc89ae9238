/** Writes decoded values and addresses with names as developers write them: `transfer(to: 0x70…c8, amount: 5)`. */

import type { DecodedEntry, DecodedParameter } from '../artifacts/decoding.ts';

/** Characters of one value; longer ones are cut. */
const LONGEST_VALUE = 400;
/** Items of an array that are shown. */
const MOST_ITEMS = 20;

/** Returns what an address is called, which may have a checksum; `null` to show its digits. */
export type NameOfAddress = (address: string) => string | null;

/** Stands behind a call, an error or an event that was decoded by what is well known and not by the contract's own ABI. */
export const GUESSED_BY_SELECTOR = ' (guessed by its selector)';
export const GUESSED_BY_TOPIC = ' (guessed by its topic)';

/**
 * Returns how a call is written that was not decoded: `<fallback>(0x12345678, 32 bytes)`, or `0x12345678(32 bytes)` where it is not known
 * which function was meant. `selector` has the first four bytes of the data, or all of fewer, in hexadecimal; `size` bytes follow.
 */
export function undecodedText(meant: string | null, selector: string, size: number): string {
  const rest = size > 0 ? `${size} bytes` : '';
  if (meant === null) return `${selector}(${rest})`;
  return `${meant}(${[selector === '0x' ? '' : selector, rest].filter((part) => part !== '').join(', ')})`;
}

/** Shows the digits of all addresses. */
export const NAMELESS: NameOfAddress = () => null;

/** Returns `transfer(to: 0x…, amount: 5)`. */
export function entryText({ name, parameters }: DecodedEntry, nameOf: NameOfAddress = NAMELESS): string {
  return `${name}(${parametersText(parameters, nameOf)})`;
}

/** Returns `to: 0x…, amount: 5`. */
export function parametersText(
  parameters: readonly DecodedParameter[],
  nameOf: NameOfAddress = NAMELESS,
): string {
  return parameters
    .map((parameter) => {
      const value = valueText(parameter, nameOf);
      return parameter.name === '' ? value : `${parameter.name}: ${value}`;
    })
    .join(', ');
}

/** Returns the value as a literal of Solidity would look: text in quotes, structs in braces, arrays in brackets. */
function valueText({ type, value }: DecodedParameter, nameOf: NameOfAddress = NAMELESS): string {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') {
    if (type === 'string') return cut(JSON.stringify(value));
    return type === 'address' ? (nameOf(value) ?? value) : cut(value);
  }
  const shown = value.slice(0, MOST_ITEMS);
  const more = value.length > shown.length ? `, … ${value.length - shown.length} more` : '';
  const text = parametersText(shown, nameOf) + more;
  return type.endsWith(']') ? `[${text}]` : `{ ${text} }`;
}

function cut(text: string): string {
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}… (${text.length} characters)` : text;
}

/** An address with what it is called. */
export interface NamedAddress {
  /** `0x` and 40 lower-case digits. */
  readonly address: string;
  /** A label, or the name of the contract there; `null` for none. */
  readonly name: string | null;
}

/** Returns the name of an address, or its digits. */
export function named({ address, name }: NamedAddress): string {
  return name ?? address;
}
