/** Formats decoded values and named addresses: `transfer(to: 0x70…c8, amount: 5)`. */

import type { DecodedEntry, DecodedParameter } from '../artifacts/decoding.ts';

/** Maximum characters of one value. Longer values are cut. */
const MAX_VALUE_LENGTH = 400;
/** Maximum array items to print. */
const MAX_ITEMS = 20;

/** Returns the name of an address (with or without checksum); `null` to print its digits. */
export type NameOfAddress = (address: string) => string | null;

/** Appended to a call, error or event that a well-known ABI decoded, not the contract's own ABI. */
export const GUESSED_BY_SELECTOR = ' (guessed by its selector)';
export const GUESSED_BY_TOPIC = ' (guessed by its topic)';

/**
 * Formats an undecoded call: `<fallback>(0x12345678, 32 bytes)`, or `0x12345678(32 bytes)` if the function is
 * unknown. `selector` is the first four bytes of the data in hex, or all of shorter data; `size` more bytes
 * follow.
 */
export function undecodedText(meant: string | null, selector: string, size: number): string {
  const rest = size > 0 ? `${size} bytes` : '';
  if (meant === null) return `${selector}(${rest})`;
  return `${meant}(${[selector === '0x' ? '' : selector, rest].filter((part) => part !== '').join(', ')})`;
}

/** Prints the digits of all addresses. */
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

/** Formats the value like a Solidity literal: text in quotes, structs in braces, arrays in brackets. */
function valueText({ type, value, meaning }: DecodedParameter, nameOf: NameOfAddress = NAMELESS): string {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') {
    if (meaning !== undefined) return `${value} (${meaning})`;
    if (type === 'string') return cut(JSON.stringify(value));
    return type === 'address' ? (nameOf(value) ?? value) : cut(value);
  }
  const shown = value.slice(0, MAX_ITEMS);
  const more = value.length > shown.length ? `, … ${value.length - shown.length} more` : '';
  const text = parametersText(shown, nameOf) + more;
  return type.endsWith(']') ? `[${text}]` : `{ ${text} }`;
}

function cut(text: string): string {
  return text.length > MAX_VALUE_LENGTH
    ? `${text.slice(0, MAX_VALUE_LENGTH)}… (${text.length} characters)`
    : text;
}

export interface NamedAddress {
  /** `0x` and 40 lower-case digits. */
  readonly address: string;
  /** A label, or the contract's name; `null` for none. */
  readonly name: string | null;
}

/** Returns the name of an address, or its digits. */
export function named({ address, name }: NamedAddress): string {
  return name ?? address;
}
