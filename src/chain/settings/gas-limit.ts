/** A header's gas limit may differ from its parent's by this part of it. */
const BOUND_DIVISOR = 1024n;
/** The least gas limit that blocks of the network have. */
const MINIMUM_GAS_LIMIT = 3_000_000n;
/** Gas that the sequential list of transactions has before the parallel lists get any (RSKIP-144). */
const LEAST_SEQUENTIAL_GAS = 6_800_000n;
/** Lists of transactions that run beside the sequential one (RSKIP-144). */
const PARALLEL_LISTS = 2n;

/** The gas limit of the block after one with `parentGasLimit`, on the network's way towards `target`. */
export function nextGasLimit(parentGasLimit: bigint, target: bigint): bigint {
  const goal = target > MINIMUM_GAS_LIMIT ? target : MINIMUM_GAS_LIMIT;
  const step = parentGasLimit / BOUND_DIVISOR;
  if (goal < parentGasLimit) {
    const lowered = parentGasLimit - step;
    return lowered < goal ? goal : lowered;
  }
  const raised = parentGasLimit + step;
  return raised > goal ? goal : raised;
}

/**
 * Gas of the sequential list in a block of that gas limit: the most that one transaction can have on the network, since
 * a parallel list never has more (RSKIP-144).
 */
export function sequentialGas(blockGasLimit: bigint): bigint {
  if (blockGasLimit <= LEAST_SEQUENTIAL_GAS) return blockGasLimit;
  const lists = PARALLEL_LISTS + 1n;
  const isSharedEvenly = blockGasLimit >= lists * LEAST_SEQUENTIAL_GAS;
  const perParallelList = isSharedEvenly
    ? blockGasLimit / lists
    : (blockGasLimit - LEAST_SEQUENTIAL_GAS) / PARALLEL_LISTS;
  return blockGasLimit - PARALLEL_LISTS * perParallelList;
}
