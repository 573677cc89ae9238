import type { Block } from '../../protocol/block.ts';
import { nextMinimumGasPrice } from '../../protocol/fees.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { BlockSettings } from './block-settings.ts';

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

/** Returns the wei per gas of the base fee in the block after the parent: what is set for it alone, or what the rules say. */
export function baseFeeAfter(parent: Block, settings: BlockSettings, ruleSet: RuleSet): bigint | null {
  const { baseFeePerGas } = settings.next;
  return baseFeePerGas === null
    ? ruleSet.fees.nextBaseFee(parent.header)
    : ruleSet.fees.baseFee(baseFeePerGas);
}

/** The fields of a block that the limits of the next one follow from. */
type LimitParent = { readonly header: Pick<Block['header'], 'gasLimit' | 'minimumGasPrice'> };

/** The gas limit of the block after the parent. */
export function gasLimitAfter({ header }: LimitParent, settings: BlockSettings): bigint {
  const { gasLimit, gasLimitTarget } = settings;
  return gasLimitTarget === null ? gasLimit : nextGasLimit(header.gasLimit, gasLimitTarget);
}

/** Wei per gas of the minimum gas price in the block after the parent. */
export function minimumGasPriceAfter({ header }: LimitParent, settings: BlockSettings): bigint {
  const { minimumGasPrice, minimumGasPriceTarget } = settings;
  if (minimumGasPriceTarget === null) return minimumGasPrice;
  return nextMinimumGasPrice(header.minimumGasPrice, minimumGasPriceTarget);
}

/**
 * Gas that a transaction of a block with that gas limit can have, and all of its transactions together: under the
 * network's limits that of the sequential list, which all stand in.
 */
export function transactionGas(gasLimit: bigint, networkLimits: boolean): bigint {
  return networkLimits ? sequentialGas(gasLimit) : gasLimit;
}

/** The gas that a block has for its transactions, and the price that it takes of each of them. */
export interface NextLimits {
  /** Gas of the block. */
  readonly gasLimit: bigint;
  /** Gas that one transaction can have. */
  readonly transactionGasLimit: bigint;
  /** Wei per gas. */
  readonly minimumGasPrice: bigint;
}

/** Returns the limits of the block after the parent. */
export function limitsAfter(
  parent: LimitParent,
  settings: BlockSettings,
  networkLimits: boolean,
): NextLimits {
  const gasLimit = gasLimitAfter(parent, settings);
  return {
    gasLimit,
    transactionGasLimit: transactionGas(gasLimit, networkLimits),
    minimumGasPrice: minimumGasPriceAfter(parent, settings),
  };
}

/** True when the blocks on top of this one will have its gas limit and its minimum gas price unless a caller changes them. */
export function hasSettledLimits(block: LimitParent, settings: BlockSettings): boolean {
  const { header } = block;
  return (
    gasLimitAfter(block, settings) === header.gasLimit &&
    minimumGasPriceAfter(block, settings) === header.minimumGasPrice
  );
}
