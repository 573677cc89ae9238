import type { RuleSet } from './hardforks/rule-set.ts';
import type { AccessListEntry } from './transaction.ts';

/** The fields of a transaction that cost gas before any code runs. */
export interface PricedFields {
  readonly to: Uint8Array | null;
  readonly data: Uint8Array;
  readonly accessList: readonly AccessListEntry[];
  readonly authorizationList: readonly unknown[];
}

/** The length in bytes from which on a count is kept, because the price of a message is asked for more than once. */
const LONG_DATA = 2 ** 16;

/** The zeros of long data, which never changes. */
const zerosOfLongData = new WeakMap<Uint8Array, number>();

/** Returns the number of bytes of the data, which never changes, that are zero. */
export function countZeros(data: Uint8Array): number {
  const known = data.length < LONG_DATA ? undefined : zerosOfLongData.get(data);
  if (known !== undefined) return known;
  const { length } = data;
  let zeros = 0;
  // Iterating over the bytes would take five times as long.
  for (let index = 0; index < length; index++) if (data[index] === 0) zeros++;
  if (length >= LONG_DATA) zerosOfLongData.set(data, zeros);
  return zeros;
}

/** Returns the gas that a transaction costs before any code runs, which is the least gas limit that it can have. */
export function intrinsicGas(ruleSet: RuleSet, parts: PricedFields): bigint {
  const prices = ruleSet.intrinsicGas;
  const zeros = BigInt(countZeros(parts.data));
  const nonZeros = BigInt(parts.data.length) - zeros;
  let gas = prices.transaction + zeros * prices.zeroByte + nonZeros * prices.nonZeroByte;
  if (parts.to === null) {
    gas += prices.creation + BigInt(ruleSet.gas.size.initcodeWord * Math.ceil(parts.data.length / 32));
  }
  let slots = 0;
  for (const { storageKeys } of parts.accessList) slots += storageKeys.length;
  gas += prices.accessListAddress * BigInt(parts.accessList.length) + prices.accessListSlot * BigInt(slots);
  gas += prices.authorization * BigInt(parts.authorizationList.length);
  const floor = prices.transaction + prices.floorPerToken * (zeros + 4n * nonZeros);
  return prices.floorPerToken > 0n && floor > gas ? floor : gas;
}
