/** Wei per gas that a transaction offers above the base fee when its sender says nothing. */
export const DEFAULT_PRIORITY_FEE = 1_000_000_000n;

/** The fees that a caller may name in a call or a transaction; `null` for those it leaves out. Wei per gas. */
export interface GivenFees {
  readonly gasPrice: bigint | null;
  readonly maxFeePerGas: bigint | null;
  readonly maxPriorityFeePerGas: bigint | null;
}

/** The fees of a message, wei per gas. */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** One price for all: what a gas price means as fees. */
export function flatFees(gasPrice: bigint): Fees {
  return { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice };
}

/** Fees that stay sufficient while the base fee doubles: the habit of client libraries. */
export function feesAbove(baseFeePerGas: bigint, maxPriorityFeePerGas: bigint): Fees {
  return { maxFeePerGas: 2n * baseFeePerGas + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

/**
 * The fees that a caller named; `null` when it named none. Where there is no base fee (`null`), `maxFeePerGas` is read
 * as the gas price, because clients that know only fee-market transactions send nothing else.
 */
export function namedFees(given: GivenFees, baseFeePerGas: bigint | null): Fees | null {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = given;
  if (gasPrice !== null) return flatFees(gasPrice);
  if (baseFeePerGas === null) return maxFeePerGas === null ? null : flatFees(maxFeePerGas);
  if (maxFeePerGas !== null) return { maxFeePerGas, maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n };
  return maxPriorityFeePerGas === null ? null : feesAbove(baseFeePerGas, maxPriorityFeePerGas);
}
