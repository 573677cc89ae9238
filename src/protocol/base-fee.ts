import type { BlockHeader, EthereumHeaderFields } from './block.ts';

const ELASTICITY = 2n;
const CHANGE_DENOMINATOR = 8n;

/** Wei per gas of the first block's base fee (EIP-1559). */
export const INITIAL_BASE_FEE = 1_000_000_000n;

/** Wei per gas that a transaction is to offer above the base fee when its sender says nothing; Anvil and Hardhat suggest it too. */
export const SUGGESTED_PRIORITY_FEE = 1_000_000_000n;

/** What of a header the next base fee follows from. */
export type FeeParent = Pick<BlockHeader, 'gasLimit' | 'gasUsed'> & {
  readonly ethereum: Pick<EthereumHeaderFields, 'baseFeePerGas'>;
};

/** The base fee, in wei per gas, of the block after `parent` (EIP-1559). */
export function nextBaseFee(parent: FeeParent): bigint {
  const { baseFeePerGas } = parent.ethereum;
  if (baseFeePerGas === null) return INITIAL_BASE_FEE;
  const target = parent.gasLimit / ELASTICITY;
  if (parent.gasUsed === target || target === 0n) return baseFeePerGas;
  if (parent.gasUsed > target) {
    const rise = (baseFeePerGas * (parent.gasUsed - target)) / target / CHANGE_DENOMINATOR;
    return baseFeePerGas + (rise > 0n ? rise : 1n);
  }
  const fall = (baseFeePerGas * (target - parent.gasUsed)) / target / CHANGE_DENOMINATOR;
  return baseFeePerGas - fall;
}

/** Wei per gas that a sender pays: its priority fee on top of the base fee, up to its most. */
export function effectiveGasPrice(
  fees: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint },
  baseFeePerGas: bigint | null,
): bigint {
  const wanted = (baseFeePerGas ?? 0n) + fees.maxPriorityFeePerGas;
  return baseFeePerGas === null || wanted > fees.maxFeePerGas ? fees.maxFeePerGas : wanted;
}
