// The definition of a call, and its decoded arguments.

import { readDigits } from '../../../primitives/hex.ts';
import type { Steps } from '../../../primitives/steps.ts';
import { MAX_MONEY } from '../amounts.ts';
import type { ParentChain } from '../parent-chain.ts';
import type { ParentWallet } from '../wallet/parent-wallet.ts';
import { BitcoinRpcError, CODES } from './rpc-error.ts';

/** The JSON type of a parameter. `amount` is a number or a string; `any` is checked by the call. */
export type ParameterType = 'string' | 'number' | 'bool' | 'array' | 'object' | 'amount' | 'any';

export interface Parameter {
  readonly name: string;
  readonly type: ParameterType;
  readonly isRequired: boolean;
}

/** The chain, arguments and wallet of a call. */
export interface CallContext {
  readonly chain: ParentChain;
  readonly arguments: CallArguments;
  /** The wallet of the request. Throws {@link BitcoinRpcError} without one. */
  readonly wallet: ParentWallet;
  /** The wallet of the path `/wallet/<name>`; `null` without a name. */
  readonly walletName: string | null;
  /** The names and usage lines of all calls. */
  readonly usages: ReadonlyMap<string, string>;
}

/** One call of the interface. Either `run` returns the result, or `steps` computes it. */
export type BitcoinCall = {
  readonly name: string;
  readonly group: 'Blockchain' | 'Control' | 'Mining' | 'Network' | 'Rawtransactions' | 'Util' | 'Wallet';
  readonly parameters: readonly Parameter[];
} & (
  | { readonly run: (context: CallContext) => unknown }
  | { readonly steps: (context: CallContext) => Steps<unknown> }
);

export function required(name: string, type: ParameterType): Parameter {
  return { name, type, isRequired: true };
}

export function optional(name: string, type: ParameterType): Parameter {
  return { name, type, isRequired: false };
}

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the name of the JSON type of a value, as in messages of bitcoind. */
export function jsonType(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'object' || typeof value === 'string' || typeof value === 'number'
    ? typeof value
    : 'null';
}

export function isObject(value: unknown): value is JsonObject {
  return jsonType(value) === 'object';
}

function wrongType(found: unknown, expected: string): BitcoinRpcError {
  return new BitcoinRpcError(
    CODES.type,
    `JSON value of type ${jsonType(found)} is not of expected type ${expected}`,
  );
}

export function toText(value: unknown): string {
  if (typeof value !== 'string') throw wrongType(value, 'string');
  return value;
}

export function toBoolean(value: unknown): boolean {
  if (typeof value !== 'boolean') throw wrongType(value, 'bool');
  return value;
}

export function toArray(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw wrongType(value, 'array');
  return value;
}

export function toObject(value: unknown): JsonObject {
  if (!isObject(value)) throw wrongType(value, 'object');
  return value;
}

const MAX_INT = 2 ** 31 - 1;

/** Returns an integer of 32 bits. */
export function toInteger(value: unknown): number {
  if (typeof value !== 'number') throw wrongType(value, 'number');
  if (!Number.isInteger(value) || Math.abs(value) > MAX_INT) {
    throw new BitcoinRpcError(CODES.misc, 'JSON integer out of range');
  }
  return value;
}

const DECIMALS = 8;

/** Returns a decimal number times 10^8; `undefined` for other texts or more than eight decimals. */
function parseFixedPoint(text: string): bigint | undefined {
  const match = /^(-?)(\d{1,20})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const shift = DECIMALS - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction);
  const divisor = 10n ** BigInt(Math.max(-shift, 0));
  if (digits % divisor !== 0n) return undefined;
  const value = (digits / divisor) * 10n ** BigInt(Math.max(shift, 0));
  return sign === '-' ? -value : value;
}

/** Returns an amount of coins in satoshis. */
export function toAmount(value: unknown): bigint {
  if (typeof value !== 'number' && typeof value !== 'string') {
    throw new BitcoinRpcError(CODES.type, 'Amount is not a number or string');
  }
  const satoshis = parseFixedPoint(String(value));
  if (satoshis === undefined) throw new BitcoinRpcError(CODES.type, 'Invalid amount');
  if (satoshis < 0n || satoshis > MAX_MONEY) throw new BitcoinRpcError(CODES.type, 'Amount out of range');
  return satoshis;
}

/** Returns a hash of 64 digits in lower case. */
export function toHash(value: unknown, name: string): string {
  const text = toText(value);
  if (text.length !== 64) {
    throw new BitcoinRpcError(
      CODES.parameter,
      `${name} must be of length 64 (not ${text.length}, for '${shown(text)}')`,
    );
  }
  if (readDigits(text) === undefined) {
    throw new BitcoinRpcError(CODES.parameter, `${name} must be hexadecimal string (not '${text}')`);
  }
  return text.toLowerCase();
}

const SHOWN_LENGTH = 100;

/** Returns the start of a text for a message. */
export function shown(text: string): string {
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

/** Returns the bytes of digits; `undefined` for any other text. */
export function digitsToBytes(value: unknown): Uint8Array | undefined {
  return readDigits(toText(value));
}

/** The arguments of a call by name. Each method throws {@link BitcoinRpcError} for an invalid argument. */
export class CallArguments {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(values: ReadonlyMap<string, unknown>) {
    this.#values = values;
  }

  /** Returns `undefined` if the argument is absent or null. */
  value(name: string): unknown {
    return this.#values.get(name) ?? undefined;
  }

  has(name: string): boolean {
    return this.value(name) !== undefined;
  }

  text(name: string): string {
    return toText(this.value(name));
  }

  optionalText(name: string): string | undefined {
    return this.has(name) ? this.text(name) : undefined;
  }

  integer(name: string, fallback?: number): number {
    const value = this.value(name) ?? fallback;
    return toInteger(value);
  }

  boolean(name: string, fallback: boolean): boolean {
    return this.has(name) ? toBoolean(this.value(name)) : fallback;
  }

  array(name: string): readonly unknown[] {
    return this.has(name) ? toArray(this.value(name)) : [];
  }

  object(name: string): JsonObject {
    return this.has(name) ? toObject(this.value(name)) : {};
  }

  amount(name: string): bigint {
    return toAmount(this.value(name));
  }

  hash(name: string): string {
    return toHash(this.value(name), name);
  }
}
