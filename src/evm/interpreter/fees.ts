import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { countZeros, intrinsicGas } from '../../protocol/intrinsic-gas.ts';
import type { Message } from '../engine.ts';

/** What a message pays before any code runs, in gas. */
export interface StartingGas {
  readonly intrinsic: bigint;
  /** What it pays at least in the end (EIP-7623); 0 where there is no such rule. */
  readonly floor: bigint;
}

/** The gas of a message before any code runs. */
export function startingGas(ruleSet: RuleSet, message: Message): StartingGas {
  const { floorPerToken, transaction } = ruleSet.intrinsicGas;
  if (floorPerToken === 0n) return { intrinsic: intrinsicGas(ruleSet, message), floor: 0n };
  const prices = { ...ruleSet.intrinsicGas, floorPerToken: 0n };
  const zeros = countZeros(message.data);
  const tokens = BigInt(zeros + 4 * (message.data.length - zeros));
  return {
    intrinsic: intrinsicGas({ ...ruleSet, intrinsicGas: prices }, message),
    floor: transaction + floorPerToken * tokens,
  };
}

/** What is paid per gas: `price` by the sender, `tip` of it to who gets the block's fees. In wei. */
export interface GasPrice {
  readonly price: bigint;
  readonly tip: bigint;
}

/** The price of gas for a message; `baseFeePerGas` is `null` where there is no base fee (EIP-1559). */
export function gasPrice(message: Message, baseFeePerGas: bigint | null): GasPrice {
  const { maxFeePerGas, maxPriorityFeePerGas } = message;
  if (baseFeePerGas === null) return { price: maxFeePerGas, tip: maxFeePerGas };
  const offered = baseFeePerGas + maxPriorityFeePerGas;
  const price = offered < maxFeePerGas ? offered : maxFeePerGas;
  return { price, tip: price - baseFeePerGas };
}
