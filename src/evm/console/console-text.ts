// Console messages as text, formatted as Hardhat and forge-std show them.

import { format } from 'node:util';
import { toHex } from '../../primitives/hex.ts';
import type { ConsoleMessage, ConsoleValue } from './console-decoder.ts';

const LONGEST_CELL = 100;

/** Returns the text on one line, cut so that rows stay readable. */
function cellOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > LONGEST_CELL ? `${line.slice(0, LONGEST_CELL)}…` : line;
}

/**
 * A table with a row for each value, drawn as forge-std's `console.table` shows it. Rows are numbered where `keys` is
 * `null`; keys without a value and values without a key have an empty cell beside them.
 */
function consoleTable(keys: readonly string[] | null, values: readonly string[]): string {
  const names = keys?.map(cellOf) ?? values.map((_, index) => String(index));
  const rows = Array.from({ length: Math.max(names.length, values.length) }, (_, index) => {
    return [names[index] ?? '', cellOf(values[index] ?? '')] as const;
  });
  const all = [['(index)', 'Values'] as const, ...rows];
  const left = Math.max(...all.map(([name]) => name.length));
  const right = Math.max(...all.map(([, value]) => value.length));
  const rule = (start: string, middle: string, end: string): string =>
    `${start}${'─'.repeat(left + 2)}${middle}${'─'.repeat(right + 2)}${end}`;
  const [heading, ...lines] = all.map(([name, value]) => `│ ${name.padEnd(left)} │ ${value.padEnd(right)} │`);
  return [rule('┌', '┬', '┐'), heading, rule('├', '┼', '┤'), ...lines, rule('└', '┴', '┘')].join('\n');
}

/** The placeholders of `util.format` and forge-std, and `%%`, which is a percent sign. */
const PLACE = /%(?:[%sdifjoOcxe]|(?<decimals>\d+)e)/g;
const MOST_DECIMALS = 1024;
const NOT_A_NUMBER = 'NaN';

/** Returns the value as text. Addresses are in lower case, since checksums differ between chains (EIP-1191). */
function valueText(value: ConsoleValue): string {
  return value instanceof Uint8Array ? toHex(value) : String(value);
}

function hexText(value: ConsoleValue | undefined): string {
  if (value instanceof Uint8Array) return toHex(value);
  return typeof value === 'bigint' ? `0x${BigInt.asUintN(256, value).toString(16)}` : NOT_A_NUMBER;
}

function digitsOf(value: bigint): { readonly sign: string; readonly digits: string } {
  return value < 0n ? { sign: '-', digits: String(-value) } : { sign: '', digits: String(value) };
}

function withFraction(whole: string, fraction: string): string {
  const shown = fraction.replace(/0+$/, '');
  return shown === '' ? whole : `${whole}.${shown}`;
}

/** 1002300 as `1.0023e6`. */
function exponentialText(value: ConsoleValue | undefined): string {
  if (typeof value !== 'bigint') return NOT_A_NUMBER;
  const { sign, digits } = digitsOf(value);
  return `${sign}${withFraction(digits.slice(0, 1), digits.slice(1))}e${digits.length - 1}`;
}

/** 1002300 with three decimals as `1002.3`. */
function fixedText(value: ConsoleValue | undefined, decimals: number): string {
  if (typeof value !== 'bigint') return NOT_A_NUMBER;
  const { sign, digits } = digitsOf(value);
  const padded = digits.padStart(decimals + 1, '0');
  const end = padded.length - decimals;
  return `${sign}${withFraction(padded.slice(0, end), padded.slice(end))}`;
}

/**
 * The values as `console.log` of Hardhat shows them: by `util.format`, where `%d` and `%i` take numbers of any size. As
 * in forge-std `%x` is hexadecimal, `%e` exponential, and `%18e` a number with so many decimals.
 */
function logText([first, ...values]: readonly ConsoleValue[]): string {
  if (first === undefined) return '';
  const texts = values.map(valueText);
  let next = 0;
  /** Uses the text for the next value, and returns its placeholder. */
  const replaced = (text: string): string => {
    texts[next++] = text;
    return '%s';
  };
  const template = valueText(first).replace(PLACE, (place: string, decimals: string | undefined) => {
    if (place === '%%' || next >= texts.length) return place;
    if (decimals !== undefined) {
      return Number(decimals) > MOST_DECIMALS ? place : replaced(fixedText(values[next], Number(decimals)));
    }
    if (place === '%x') return replaced(hexText(values[next]));
    if (place === '%e') return replaced(exponentialText(values[next]));
    next++;
    return place === '%d' || place === '%i' ? '%s' : place;
  });
  return format(template, ...texts);
}

/** Returns the text of the message: several lines for a table, and where a text has line ends. */
export function consoleText(message: ConsoleMessage): string {
  if (message.kind === 'log') return logText(message.values);
  return consoleTable(message.keys?.map(valueText) ?? null, message.values.map(valueText));
}
