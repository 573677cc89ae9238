/** A header's minimum gas price may differ from its parent's by this part of it (RSKIP-09). */
const DRIFT_DIVISOR = 100n;
/** How many times the minimum gas price a transaction may offer (RSKIP-252). */
const CAP_MULTIPLE = 80n;

/**
 * Wei per gas of the minimum gas price in the block after one with `parent`, on the way towards `target`: at most one
 * percent nearer, and at least one wei (RSKIP-09).
 */
export function nextMinimumGasPrice(parent: bigint, target: bigint): bigint {
  const share = parent / DRIFT_DIVISOR;
  const step = share > 0n ? share : 1n;
  if (target > parent) return target - parent > step ? parent + step : target;
  return parent - target > step ? parent - step : target;
}

/** The most wei per gas that a transaction may offer; `null` for any, where the minimum is 0 (RSKIP-252). */
export function gasPriceCap(minimumGasPrice: bigint): bigint | null {
  return minimumGasPrice === 0n ? null : CAP_MULTIPLE * minimumGasPrice;
}
