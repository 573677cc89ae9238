// The console of contracts (`console.sol`): its calls are recorded, decoded, and written as Hardhat and forge-std show them.

import { format } from 'node:util';
import { bytesToBigInt } from '../primitives/bytes.ts';
import { fromHex, hexKey, toHex } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';

/**
 * The address that `console.sol` of Hardhat and forge-std calls: an account without code, named `console.log` in ASCII.
 */
export const CONSOLE_ADDRESS: Uint8Array = fromHex('0x000000000000000000636f6e736f6c652e6c6f67');

export interface ConsoleCall {
  /** 20 bytes: the contract that called, or the sender of a message that goes to the console itself. */
  readonly caller: Uint8Array;
  /** The data of the call, which a `ConsoleDecoder` decodes. */
  readonly input: Uint8Array;
}

/** The console calls of an execution. */
export interface ConsoleRecord {
  /** In their order, including those of reverted frames. */
  readonly calls: readonly ConsoleCall[];
  /** The number of further calls, which were not recorded. */
  readonly omitted: number;
}

/** The maximum size of the record of one execution in bytes; a loop of calls could exhaust the memory otherwise. */
const MOST_BYTES = 2 ** 20;
/** Bytes that a call counts for besides its data, because a loop of empty calls must be limited too. */
const CALL_OVERHEAD = 64;

/**
 * Records the calls of the console while a message runs. An engine has one for each execution and adds every frame that
 * runs the code of `CONSOLE_ADDRESS`, whatever opcode began it; calls that are refused before a frame begins are not
 * recorded.
 */
export class ConsoleRecorder {
  readonly #calls: ConsoleCall[] = [];
  #bytesLeft = MOST_BYTES;
  #omitted = 0;

  /** Adds a call; `input` is copied. Once the record is full, calls are only counted. */
  add(caller: Uint8Array, input: Uint8Array): void {
    this.#bytesLeft -= input.length + CALL_OVERHEAD;
    if (this.#bytesLeft < 0) {
      this.#bytesLeft = 0;
      this.#omitted++;
    } else this.#calls.push({ caller: caller.slice(), input: input.slice() });
  }

  /** The recorded calls; `undefined` when the console was not called. */
  get record(): ConsoleRecord | undefined {
    if (this.#calls.length === 0 && this.#omitted === 0) return undefined;
    return { calls: this.#calls, omitted: this.#omitted };
  }
}

// Decoding the calls of the contracts' console (`console.sol`).

/** A Solidity type of console arguments. */
type ConsoleType = 'uint256' | 'int256' | 'string' | 'bool' | 'address' | 'bytes' | `bytes${number}`;

/** The function of a selector: `log` with these types, or `table` with one or two arrays of a type. */
type ConsoleSignature =
  | { readonly kind: 'log'; readonly types: readonly ConsoleType[] }
  | { readonly kind: 'table'; readonly hasKeys: boolean; readonly type: ConsoleType };

/** `log` takes up to four of these, in any order. */
const COMBINED: readonly ConsoleType[] = ['uint256', 'string', 'bool', 'address'];
const MOST_COMBINED = 4;
const TABLE_TYPES: readonly ConsoleType[] = ['uint256', 'int256', 'address', 'bytes32', 'string', 'bool'];
const SELECTOR_SIZE = 4;

function combinations(length: number): ConsoleType[][] {
  if (length === 0) return [[]];
  return combinations(length - 1).flatMap((shorter) => COMBINED.map((type) => [...shorter, type]));
}

function logTypes(): ConsoleType[][] {
  const fixedBytes = Array.from({ length: 32 }, (_, index): ConsoleType => `bytes${index + 1}`);
  const alone: ConsoleType[] = ['int256', 'bytes', ...fixedBytes];
  const combined = Array.from({ length: MOST_COMBINED + 1 }, (_, length) => combinations(length));
  return [...combined.flat(), ...alone.map((type) => [type]), ['string', 'int256']];
}

function selectorOf(signature: string): string {
  return hexKey(keccak256(new TextEncoder().encode(signature)).subarray(0, SELECTOR_SIZE));
}

/**
 * Returns all functions of `console.sol` of Hardhat and forge-std, by their selector (eight digits): `log` and the
 * functions with names of their own (`logBytes32` sends `log(bytes32)`), and `table` of forge-std. Until version 2.10.2
 * Hardhat computed selectors with `uint` and `int`, which are not ABI types; contracts of that time are supported too.
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

/** An argument of a console function: a number, a boolean, a text, or bytes and addresses. */
export type ConsoleValue = bigint | boolean | string | Uint8Array;

/** A decoded console call. */
type ConsoleMessage =
  | { readonly kind: 'log'; readonly values: readonly ConsoleValue[] }
  /** `keys` is `null` for a table whose rows are numbered. */
  | {
      readonly kind: 'table';
      readonly keys: readonly ConsoleValue[] | null;
      readonly values: readonly ConsoleValue[];
    };
const WORD = 32;
const ADDRESS_SIZE = 20;
const TEXT = new TextDecoder();

/** Thrown inside this file when data ends too early. */
class TooShortError extends Error {
  override readonly name = 'TooShortError';
}

/** Reads ABI-encoded data (Solidity documentation, Contract ABI Specification). */
class AbiReader {
  readonly #data: Uint8Array;
  /** Encoders never let two items share bytes, so items cannot be longer in total than the data. */
  #bytesLeft: number;

  constructor(data: Uint8Array) {
    this.#data = data;
    this.#bytesLeft = data.length;
  }

  /** Returns the value of the type whose head is at `head`; offsets count from `base`. */
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

  /** Returns an offset or a length. */
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

/** Decodes console calls. The table of selectors is computed at the first one. */
export class ConsoleDecoder {
  #signatures: ReadonlyMap<string, ConsoleSignature> | undefined;

  /** Returns the decoded call; `null` for an unknown function, and for data that ends too early. */
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

// Console messages as text, formatted as Hardhat and forge-std show them.

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
