// The Solidity console (`console.sol`): records calls, decodes them, and formats them like Hardhat and
// forge-std.

import { format } from 'node:util';
import { bytesToBigInt } from '../primitives/bytes.ts';
import { fromHex, hexKey, toHex } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';

/** The console of Hardhat and forge-std, an account without code: `console.log` in ASCII. */
export const CONSOLE_ADDRESS: Uint8Array = fromHex('0x000000000000000000636f6e736f6c652e6c6f67');

export interface ConsoleCall {
  /** 20 bytes: the calling contract, or the sender of a message sent directly to the console. */
  readonly caller: Uint8Array;
  /** Calldata for {@link ConsoleDecoder}. */
  readonly input: Uint8Array;
}

export interface ConsoleRecord {
  /** In order, including calls in reverted frames. */
  readonly calls: readonly ConsoleCall[];
  /** The number of further calls that were not recorded. */
  readonly omitted: number;
}

/** Maximum size of the record of one execution in bytes. It bounds the memory of a loop of calls. */
const MAX_BYTES = 2 ** 20;
/** Size of a call in bytes, excluding its data. It bounds a loop of empty calls. */
const CALL_OVERHEAD = 64;

/**
 * Records the console calls of one execution. The engine adds every frame that runs the code of
 * `CONSOLE_ADDRESS`, for all call opcodes. Calls that fail before their frame starts are not recorded.
 */
export class ConsoleRecorder {
  readonly #calls: ConsoleCall[] = [];
  #bytesLeft = MAX_BYTES;
  #omitted = 0;

  /** Adds a call and copies its `input`. If the record is full, the call is only counted. */
  add(caller: Uint8Array, input: Uint8Array): void {
    this.#bytesLeft -= input.length + CALL_OVERHEAD;
    if (this.#bytesLeft < 0) {
      this.#bytesLeft = 0;
      this.#omitted++;
    } else this.#calls.push({ caller: caller.slice(), input: input.slice() });
  }

  get record(): ConsoleRecord | undefined {
    if (this.#calls.length === 0 && this.#omitted === 0) return undefined;
    return { calls: this.#calls, omitted: this.#omitted };
  }
}

// Decoding

type ConsoleType = 'uint256' | 'int256' | 'string' | 'bool' | 'address' | 'bytes' | `bytes${number}`;

/** `log` takes the listed types. `table` takes one or two arrays. */
type ConsoleSignature =
  | { readonly kind: 'log'; readonly types: readonly ConsoleType[] }
  | { readonly kind: 'table'; readonly hasKeys: boolean; readonly type: ConsoleType };

/** The types of `log` with up to four arguments in any order. */
const COMBINED: readonly ConsoleType[] = ['uint256', 'string', 'bool', 'address'];
const MAX_COMBINED = 4;
const TABLE_TYPES: readonly ConsoleType[] = ['uint256', 'int256', 'address', 'bytes32', 'string', 'bool'];
const SELECTOR_SIZE = 4;

function combinations(length: number): ConsoleType[][] {
  if (length === 0) return [[]];
  return combinations(length - 1).flatMap((shorter) => COMBINED.map((type) => [...shorter, type]));
}

function logTypes(): ConsoleType[][] {
  const fixedBytes = Array.from({ length: 32 }, (_, index): ConsoleType => `bytes${index + 1}`);
  const alone: ConsoleType[] = ['int256', 'bytes', ...fixedBytes];
  const combined = Array.from({ length: MAX_COMBINED + 1 }, (_, length) => combinations(length));
  return [...combined.flat(), ...alone.map((type) => [type]), ['string', 'int256']];
}

function selectorOf(signature: string): string {
  return hexKey(keccak256(new TextEncoder().encode(signature)).subarray(0, SELECTOR_SIZE));
}

/**
 * Returns the functions of `console.sol` of Hardhat and forge-std by selector (eight hex digits). Functions
 * such as `logBytes32` use the selector of `log(bytes32)`. The result includes the invalid selectors for
 * `uint` and `int` that Hardhat used until version 2.10.2.
 */
export function consoleSignatures(): ReadonlyMap<string, ConsoleSignature> {
  const signatures = new Map<string, ConsoleSignature>();
  for (const types of logTypes()) {
    const written = `log(${types.join(',')})`;
    const signature = { kind: 'log', types } as const;
    signatures.set(selectorOf(written), signature);
    if (written.includes('int256'))
      signatures.set(selectorOf(written.replaceAll('int256', 'int')), signature);
  }
  for (const type of TABLE_TYPES) {
    signatures.set(selectorOf(`table(${type}[])`), { kind: 'table', hasKeys: false, type });
    signatures.set(selectorOf(`table(string[],${type}[])`), { kind: 'table', hasKeys: true, type });
  }
  return signatures;
}

export type ConsoleValue = bigint | boolean | string | Uint8Array;

type ConsoleMessage =
  | { readonly kind: 'log'; readonly values: readonly ConsoleValue[] }
  /** `keys` is `null` for a table with numbered rows. */
  | {
      readonly kind: 'table';
      readonly keys: readonly ConsoleValue[] | null;
      readonly values: readonly ConsoleValue[];
    };
const WORD = 32;
const ADDRESS_SIZE = 20;
const TEXT = new TextDecoder();

/** Thrown if the data is truncated. Handled in this file. */
class TooShortError extends Error {
  override readonly name = 'TooShortError';
}

/** Reads ABI-encoded data (Solidity documentation, Contract ABI Specification). */
class AbiReader {
  readonly #data: Uint8Array;
  /** Limits the total size of all items to the size of the data, because encoders never let items overlap. */
  #bytesLeft: number;

  constructor(data: Uint8Array) {
    this.#data = data;
    this.#bytesLeft = data.length;
  }

  /** Returns the value of the type whose head is at `head`. Offsets are relative to `base`. */
  value(type: ConsoleType, head: number, base: number): ConsoleValue {
    switch (type) {
      case 'uint256':
        return bytesToBigInt(this.#slice(head, WORD));
      case 'int256':
        return BigInt.asIntN(256, bytesToBigInt(this.#slice(head, WORD)));
      case 'bool':
        return this.#slice(head, WORD).some((byte) => byte !== 0);
      case 'address':
        return this.#slice(head, WORD).subarray(WORD - ADDRESS_SIZE);
      case 'bytes':
        return this.#bytes(base + this.#size(head));
      case 'string':
        return TEXT.decode(this.#bytes(base + this.#size(head)));
      default:
        return this.#slice(head, WORD).subarray(0, Number(type.slice('bytes'.length)));
    }
  }

  /** Returns the items of the array whose head is at `head`. */
  array(type: ConsoleType, head: number): ConsoleValue[] {
    const start = this.#size(head);
    const length = this.#size(start);
    const items = start + WORD;
    this.#slice(items, length * WORD);
    return Array.from({ length }, (_, index) => this.value(type, items + index * WORD, items));
  }

  #bytes(start: number): Uint8Array {
    const length = this.#size(start);
    this.#bytesLeft -= length;
    if (this.#bytesLeft < 0) throw new TooShortError();
    return this.#slice(start + WORD, length);
  }

  /** Reads an offset or a length. */
  #size(start: number): number {
    const size = bytesToBigInt(this.#slice(start, WORD));
    if (size > BigInt(this.#data.length)) throw new TooShortError();
    return Number(size);
  }

  #slice(start: number, length: number): Uint8Array {
    if (start + length > this.#data.length) throw new TooShortError();
    return this.#data.subarray(start, start + length);
  }
}

function read(signature: ConsoleSignature, data: Uint8Array): ConsoleMessage {
  const reader = new AbiReader(data);
  if (signature.kind === 'log') {
    const values = signature.types.map((type, index) => reader.value(type, index * WORD, 0));
    return { kind: 'log', values };
  }
  const { hasKeys, type } = signature;
  return {
    kind: 'table',
    keys: hasKeys ? reader.array('string', 0) : null,
    values: reader.array(type, hasKeys ? WORD : 0),
  };
}

/** Decodes console calls. The selectors are computed on first use. */
export class ConsoleDecoder {
  #signatures: ReadonlyMap<string, ConsoleSignature> | undefined;

  /** Returns `null` for an unknown function or truncated data. */
  decode(input: Uint8Array): ConsoleMessage | null {
    this.#signatures ??= consoleSignatures();
    const signature = this.#signatures.get(hexKey(input.subarray(0, SELECTOR_SIZE)));
    if (signature === undefined) return null;
    try {
      return read(signature, input.subarray(SELECTOR_SIZE));
    } catch (error) {
      if (error instanceof TooShortError) return null;
      throw error;
    }
  }
}

// Formatting

const MAX_CELL_LENGTH = 100;

/** Puts the text on one line and shortens it to {@link MAX_CELL_LENGTH} characters. */
function cellOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > MAX_CELL_LENGTH ? `${line.slice(0, MAX_CELL_LENGTH)}…` : line;
}

/**
 * Draws a table like `console.table` of forge-std. Rows are numbered if `keys` is `null`. If keys and values
 * differ in number, the missing cells are empty.
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

/** The placeholders of `util.format` and forge-std, and the escape `%%`. */
const PLACE = /%(?:[%sdifjoOcxe]|(?<decimals>\d+)e)/g;
const MAX_DECIMALS = 1024;
const NOT_A_NUMBER = 'NaN';

/** Addresses are in lower case, because checksums depend on the chain (EIP-1191). */
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

/** Formats 1002300 as `1.0023e6`. */
function exponentialText(value: ConsoleValue | undefined): string {
  if (typeof value !== 'bigint') return NOT_A_NUMBER;
  const { sign, digits } = digitsOf(value);
  return `${sign}${withFraction(digits.slice(0, 1), digits.slice(1))}e${digits.length - 1}`;
}

/** Formats 1002300 with three decimals as `1002.3`. */
function fixedText(value: ConsoleValue | undefined, decimals: number): string {
  if (typeof value !== 'bigint') return NOT_A_NUMBER;
  const { sign, digits } = digitsOf(value);
  const padded = digits.padStart(decimals + 1, '0');
  const end = padded.length - decimals;
  return `${sign}${withFraction(padded.slice(0, end), padded.slice(end))}`;
}

/**
 * Formats values like Hardhat's `console.log`: with `util.format`, but `%d` and `%i` accept numbers of any
 * size. As in forge-std, `%x` is hexadecimal, `%e` exponential, and `%18e` a number with 18 decimals.
 */
function logText([first, ...values]: readonly ConsoleValue[]): string {
  if (first === undefined) return '';
  const texts = values.map(valueText);
  let next = 0;
  /** Consumes the next value and returns its placeholder. */
  const replaced = (text: string): string => {
    texts[next++] = text;
    return '%s';
  };
  const template = valueText(first).replace(PLACE, (place: string, decimals: string | undefined) => {
    if (place === '%%' || next >= texts.length) return place;
    if (decimals !== undefined) {
      return Number(decimals) > MAX_DECIMALS ? place : replaced(fixedText(values[next], Number(decimals)));
    }
    if (place === '%x') return replaced(hexText(values[next]));
    if (place === '%e') return replaced(exponentialText(values[next]));
    next++;
    return place === '%d' || place === '%i' ? '%s' : place;
  });
  return format(template, ...texts);
}

/** Returns the text of a message. Tables and texts with line breaks have several lines. */
export function consoleText(message: ConsoleMessage): string {
  if (message.kind === 'log') return logText(message.values);
  return consoleTable(message.keys?.map(valueText) ?? null, message.values.map(valueText));
}
