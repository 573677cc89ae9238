/** Formats values for people, and parses their input. */

const WEI_DIGITS = 18;
const GWEI_DIGITS = 9;

export type Unit = 'ether' | 'gwei' | 'wei';

const UNIT_DIGITS: Readonly<Record<Unit, number>> = { ether: WEI_DIGITS, gwei: GWEI_DIGITS, wei: 0 };

/** Returns an integer with commas as thousands separators. */
export function grouped(value: bigint | number | string): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** Returns a block number as readers see it. */
export function blockText(number: bigint | number): string {
  return `#${grouped(number)}`;
}

/** Removes thousands separators from an entered number. Other commas stay, so that `1,5` is not a number. */
function ungrouped(text: string): string {
  const number = text.trim();
  return /^\d{1,3}(?:,\d{3})+(?:\.\d*)?$/.test(number) ? number.replaceAll(',', '') : number;
}

/** Parses an entered integer. Throws an `Error` whose message starts with `name` for other text. */
export function wholeNumberOf(text: string, name: string): bigint {
  const digits = ungrouped(text).replace(/[\s_]/g, '');
  if (!/^\d{1,78}$/.test(digits))
    throw new Error(`${name}: expected a whole number, got “${text.slice(0, 40)}”`);
  return BigInt(digits);
}

/** Returns a count with its noun in singular or plural. */
export function counted(count: bigint | number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${BigInt(count) === 1n ? one : many}`;
}

/** Returns an amount of the smallest unit with `digits` decimals, exact and without trailing zeros. */
export function decimal(value: bigint, digits: number): string {
  const isNegative = value < 0n;
  const text = (isNegative ? -value : value).toString().padStart(digits + 1, '0');
  const whole = digits === 0 ? text : text.slice(0, -digits);
  const fraction = digits === 0 ? '' : text.slice(-digits).replace(/0+$/, '');
  return `${isNegative ? '−' : ''}${grouped(whole)}${fraction === '' ? '' : `.${fraction}`}`;
}

export function amount(wei: bigint, unit: Unit): string {
  return decimal(wei, UNIT_DIGITS[unit]);
}

/** Parses an entered amount in ether as wei. Throws an `Error` that starts with `name` for other text. */
export function weiOf(text: string, name = 'Value'): bigint {
  return scaledOf(text, name, 'ether', WEI_DIGITS);
}

/** Digits of Bitcoin's smallest unit. */
export const SATOSHI_DIGITS = 8;

/** Parses an entered amount of Bitcoin as satoshi. Throws an `Error` that starts with `name` for other text. */
export function satoshisOf(text: string, name = 'Value'): bigint {
  return scaledOf(text, name, 'BTC', SATOSHI_DIGITS);
}

function scaledOf(text: string, name: string, unit: string, digits: number): bigint {
  const [whole = '', fraction = '', ...rest] = ungrouped(text).split('.');
  const isRight = /^\d{0,40}$/.test(whole) && /^\d*$/.test(fraction) && fraction.length <= digits;
  if (!isRight || rest.length > 0 || whole + fraction === '')
    throw new Error(`${name}: expected an amount in ${unit}, got “${text.slice(0, 40)}”`);
  return BigInt(`${whole}${fraction.padEnd(digits, '0')}`);
}

/** Returns an address or hash shortened in the middle. */
export function shortHex(hex: string, digits = 4): string {
  return hex.length <= 2 * digits + 5 ? hex : `${hex.slice(0, 2 + digits)}…${hex.slice(-digits)}`;
}

/** Shortens the addresses and hashes in a variable's name. */
export function withShortKeys(variable: string): string {
  return variable.replace(/0x[0-9a-fA-F]{40,64}/g, (key) => shortHex(key));
}

/** Removes the leading zeros of a word. */
export function withoutZeros(word: string): string {
  return word.replace(/^0x0*(?=[0-9a-f])/i, '0x');
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns a duration in its largest whole unit. */
function durationText(seconds: number): string {
  if (seconds < MINUTE) return `${seconds} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h`;
  return `${grouped(Math.floor(seconds / DAY))} d`;
}

/** Returns the age of an item. Both times are in seconds since 1970. */
export function ageText(time: number, now: number): string {
  const age = Math.round(now - time);
  return age < 2 ? 'now' : `${durationText(age)} ago`;
}

/** Returns a clock offset in seconds with its sign. */
export function clockOffsetText(seconds: number): string {
  return `${seconds < 0 ? '−' : '+'}${durationText(Math.abs(seconds))}`;
}

/** Returns a time in seconds since 1970 as date and time of day; `invalid date` if it is out of range. */
export function absoluteTime(time: number): string {
  const date = new Date(time * 1_000);
  return Number.isNaN(date.getTime())
    ? 'invalid date'
    : date.toISOString().replace('T', ' ').replace('.000Z', ' UTC');
}

const BYTES_IN_KB = 1_000;

export function byteSize(bytes: number): string {
  if (bytes < BYTES_IN_KB) return `${bytes} B`;
  if (bytes < BYTES_IN_KB ** 2) return `${(bytes / BYTES_IN_KB).toFixed(1)} kB`;
  return `${(bytes / BYTES_IN_KB ** 2).toFixed(1)} MB`;
}

const MAX_SHOWN_LENGTH = 400;

/** Characters that move or hide other text: control characters and direction marks. */
const UNSEEN = /(?![\t\n\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Makes untrusted text safe to display: invisible characters become escapes, and long text is cut. */
export function shown(text: string, longest = MAX_SHOWN_LENGTH): string {
  const cut =
    text.length > longest ? `${text.slice(0, longest)}… (${grouped(text.length)} characters)` : text;
  return cut.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Returns the length of a list. A list cut by the node ends with the number of omitted items. */
export function itemCount(items: readonly unknown[]): number {
  const last = items.at(-1);
  const cut = typeof last === 'string' ? /^… (\d{1,15}) more$/.exec(last) : null;
  return cut === null ? items.length : items.length - 1 + Number(cut[1]);
}

/** Returns a QUANTITY as a number; 0 if absent. */
export function numberOf(quantity: string | null | undefined): number {
  return quantity == null ? 0 : Number(BigInt(quantity));
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
