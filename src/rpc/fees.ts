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
 * The fees that a caller named; `null` when it named none. The base fee is the next block's, in wei per gas. Who names the
 * most that it pays and no priority fee offers `usualPriorityFee` of it, as far as it goes.
 */
export function namedFees(given: GivenFees, baseFeePerGas: bigint, usualPriorityFee: bigint): Fees | null {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = given;
  if (gasPrice !== null) return flatFees(gasPrice);
  if (maxFeePerGas !== null) {
    const usual = usualPriorityFee < maxFeePerGas ? usualPriorityFee : maxFeePerGas;
    return { maxFeePerGas, maxPriorityFeePerGas: maxPriorityFeePerGas ?? usual };
  }
  return maxPriorityFeePerGas === null ? null : feesAbove(baseFeePerGas, maxPriorityFeePerGas);
}
