import type { Block } from '../../protocol/block.ts';
import { nextMinimumGasPrice } from '../../protocol/minimum-gas-price.ts';
import type { BlockSettings } from './block-settings.ts';
import { nextGasLimit, sequentialGas } from './gas-limit.ts';

/** What of a block the limits of the next one follow from. */
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

/** What a block has for its transactions, and takes of each of them. */
export interface NextLimits {
  /** Gas of the block. */
  readonly gasLimit: bigint;
  /** Gas that one transaction can have. */
  readonly transactionGasLimit: bigint;
  /** Wei per gas. */
  readonly minimumGasPrice: bigint;
}

/** What the block after the parent has for its transactions, and takes of each of them. */
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

/** True when the blocks on top of this one will have its gas limit and its minimum gas price, if nobody changes them. */
export function hasSettledLimits(block: LimitParent, settings: BlockSettings): boolean {
  const { header } = block;
  return (
    gasLimitAfter(block, settings) === header.gasLimit &&
    minimumGasPriceAfter(block, settings) === header.minimumGasPrice
  );
}
