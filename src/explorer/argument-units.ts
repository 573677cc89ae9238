/**
 * Scales amounts in the arguments of errors. Units are not part of an ABI, so a parameter counts as an amount
 * only because of its name. Amounts of a token have the decimals of the token, others the decimals of ether.
 */

import { decimal } from './format.ts';
import type { DecodedParameter } from './inspection.ts';

/** A token's decimals and symbol. */
export interface TokenUnit {
  readonly decimals: number;
  /** Empty if the token has none. */
  readonly symbol: string;
}

/** Words in the names of parameters that are amounts. */
const AMOUNT_WORDS: ReadonlySet<string> = new Set([
  'amount',
  'available',
  'balance',
  'cost',
  'deposit',
  'eth',
  'ether',
  'needed',
  'paid',
  'payment',
  'requested',
  'required',
  'value',
  'wei',
]);

/** Words of the native coin, which no token uses. */
const COIN_WORDS: ReadonlySet<string> = new Set(['eth', 'ether', 'wei']);

/** Integers below 64 bits are no amounts. */
const AMOUNT_TYPE = /^u?int(?:6[4-9]|[7-9]\d|[12]\d\d)$/;
const INTEGER = /^-?\d+$/;
const WEI_DIGITS = 18;
/** Smaller amounts of the native coin, in wei, are as readable without a unit. */
const LEAST_WEI = 10n ** 12n;

/** Returns the words of a name in camel case or snake case, in lower case and without a plural `s`. */
function wordsOf(name: string): string[] {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').split(/[^A-Za-z]+/);
  return words.map((word) => word.toLowerCase().replace(/s$/, ''));
}

/** An amount with its unit, and the reason for the unit. */
export interface ScaledAmount {
  readonly text: string;
  readonly reason: string;
}

/**
 * Returns the scaled amount of a parameter; `null` if it is not known to be an amount. `token` is the token
 * that raised the error; `null` if no token did.
 */
export function scaledAmount(
  { name, type, value }: DecodedParameter,
  token: TokenUnit | null,
): ScaledAmount | null {
  if (typeof value !== 'string' || !AMOUNT_TYPE.test(type) || !INTEGER.test(value)) return null;
  const words = wordsOf(name);
  if (!words.some((word) => AMOUNT_WORDS.has(word))) return null;
  const amount = BigInt(value);
  if (token !== null && !words.some((word) => COIN_WORDS.has(word))) {
    if (token.decimals === 0 || amount === 0n) return null;
    const unit = token.symbol === '' ? 'tokens' : token.symbol;
    return {
      text: `${decimal(amount, token.decimals)} ${unit}`,
      reason: `with the ${token.decimals} decimals of the token`,
    };
  }
  if ((amount < 0n ? -amount : amount) < LEAST_WEI) return null;
  return {
    text: `${decimal(amount, WEI_DIGITS)} ether`,
    reason: `if “${name}” is an amount in wei; the ABI contains no units`,
  };
}
