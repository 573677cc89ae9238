import type { RuleSet } from './rule-set.ts';
import type { AccessListEntry } from './transaction.ts';

/** The parts of a transaction that cost gas before any code runs. */
export interface PricedParts {
  readonly to: Uint8Array | null;
  readonly data: Uint8Array;
  readonly accessList: readonly AccessListEntry[];
  readonly authorizationList: readonly unknown[];
}

function countZeros(data: Uint8Array): bigint {
  let zeros = 0;
  for (const byte of data) if (byte === 0) zeros++;
  return BigInt(zeros);
}

/** The gas a transaction costs before any code runs: the least gas limit it can have. */
export function intrinsicGas(ruleSet: RuleSet, parts: PricedParts): bigint {
  const prices = ruleSet.intrinsicGas;
  const zeros = countZeros(parts.data);
  const nonZeros = BigInt(parts.data.length) - zeros;
  let gas = prices.transaction + zeros * prices.zeroByte + nonZeros * prices.nonZeroByte;
  if (parts.to === null) {
    gas += prices.creation + prices.initcodeWord * BigInt(Math.ceil(parts.data.length / 32));
  }
  for (const entry of parts.accessList) {
    gas += prices.accessListAddress + prices.accessListSlot * BigInt(entry.storageKeys.length);
  }
  gas += prices.authorization * BigInt(parts.authorizationList.length);
  const floor = prices.transaction + prices.floorPerToken * (zeros + 4n * nonZeros);
  return prices.floorPerToken > 0n && floor > gas ? floor : gas;
}
