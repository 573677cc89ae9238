import type { BlockHeader, EthereumHeaderFields } from './block.ts';
import type { Transaction } from './transaction.ts';

const ELASTICITY = 2n;
const CHANGE_DENOMINATOR = 8n;

/** Wei per gas of the first block's base fee (EIP-1559). */
const INITIAL_BASE_FEE = 1_000_000_000n;

/** Wei per gas that a transaction is to offer above the base fee when its sender says nothing; Anvil and Hardhat suggest it too. */
export const SUGGESTED_PRIORITY_FEE = 1_000_000_000n;

/** The fields of a header that the next base fee follows from. */
export type FeeParent = Pick<BlockHeader, 'gasLimit' | 'gasUsed'> & {
  readonly ethereum: Pick<EthereumHeaderFields, 'baseFeePerGas'>;
};

/** Returns the base fee, in wei per gas, of the block after `parent` (EIP-1559). */
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

/** The rule by which the price of gas comes about under a rule set. Prices are in wei per gas. */
export interface FeeRule {
  /**
   * `base fee`: headers carry a base fee that follows the fullness of blocks, and senders pay a priority fee on top of it
   * (EIP-1559). `gas price`: senders offer one price, and headers carry no base fee.
   */
  readonly name: 'base fee' | 'gas price';
  /** Returns the base fee of a block for which `given` is set, by default that of a first block; `null` where there is none. */
  baseFee(given: bigint | null): bigint | null;
  /** Returns the base fee of the block after `parent`; `null` where there is none. */
  nextBaseFee(parent: FeeParent): bigint | null;
}

export const BASE_FEE_RULE: FeeRule = {
  name: 'base fee',
  baseFee: (given) => given ?? INITIAL_BASE_FEE,
  nextBaseFee,
};

export const GAS_PRICE_RULE: FeeRule = {
  name: 'gas price',
  baseFee: () => null,
  nextBaseFee: () => null,
};

/** Returns the wei per gas that a sender pays: its priority fee on top of the base fee, up to its most. */
export function effectiveGasPrice(
  fees: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint },
  baseFeePerGas: bigint | null,
): bigint {
  if (baseFeePerGas === null) return fees.maxFeePerGas;
  const wanted = baseFeePerGas + fees.maxPriorityFeePerGas;
  return wanted > fees.maxFeePerGas ? fees.maxFeePerGas : wanted;
}

/** A header's minimum gas price may differ from its parent's by this part of it (RSKIP-09). */
const DRIFT_DIVISOR = 100n;
/** The multiple of the minimum gas price that a transaction may offer (RSKIP-252). */
const CAP_MULTIPLE = 80n;

/**
 * Returns the wei per gas of the minimum gas price in the block after one with `parent`, on the way towards `target`: at most one
 * percent nearer, and at least one wei (RSKIP-09).
 */
export function nextMinimumGasPrice(parent: bigint, target: bigint): bigint {
  const share = parent / DRIFT_DIVISOR;
  const step = share > 0n ? share : 1n;
  if (target > parent) return target - parent > step ? parent + step : target;
  return parent - target > step ? parent - step : target;
}

/** Returns the most wei per gas that a transaction may offer; `null` for any, where the minimum is 0 (RSKIP-252). */
export function gasPriceCap(minimumGasPrice: bigint): bigint | null {
  return minimumGasPrice === 0n ? null : CAP_MULTIPLE * minimumGasPrice;
}

/** The number of blocks that decide whether there is a market for gas. */
const BLOCK_WINDOW = 50;
/** The fullness of a full block, of which parts are whole numbers. */
const WHOLE = 10n ** 9n;
/** The emptiness that all of these blocks together may have: a tenth each. */
const MARKET_EMPTINESS = (BigInt(BLOCK_WINDOW) * WHOLE) / 10n;
/** The number of transactions that decide the price in a market. */
const TRANSACTION_WINDOW = 512;
/** The place of the price among these, the cheapest first: a quarter of them offered less. */
const PRICE_RANK = TRANSACTION_WINDOW / 4;

/** The parts of a block that suggested prices follow from. */
export interface PricedBlock {
  readonly header: Pick<BlockHeader, 'number' | 'gasLimit' | 'gasUsed'>;
  readonly transactions: readonly Pick<Transaction, 'gasLimit' | 'maxFeePerGas'>[];
}

/** Returns the block with that number; `undefined` below the first. */
export type BlockReader = (number: number) => PricedBlock | undefined;

function* blocksFrom(head: PricedBlock, blockAt: BlockReader): Generator<PricedBlock, void, undefined> {
  yield head;
  for (let number = head.header.number - 1; number >= 0; number--) {
    const block = blockAt(number);
    if (block === undefined) return;
    yield block;
  }
}

/** Returns true when the last blocks were so full that transactions had to outbid each other. */
function isMarket(head: PricedBlock, blockAt: BlockReader): boolean {
  if (head.header.number + 1 < BLOCK_WINDOW) return false;
  // Walking down ends as soon as the blocks seen are too empty for any others to make up for: after six empty ones.
  let emptiness = 0n;
  let seen = 0;
  for (const { header } of blocksFrom(head, blockAt)) {
    emptiness += WHOLE - (header.gasUsed * WHOLE) / header.gasLimit;
    if (emptiness > MARKET_EMPTINESS) return false;
    seen++;
    if (seen === BLOCK_WINDOW) return true;
  }
  return false;
}

/** Returns the wei per gas that three in four of the last transactions offered at least; `null` when there are too few of them. */
function marketPrice(head: PricedBlock, blockAt: BlockReader): bigint | null {
  const prices: bigint[] = [];
  for (const { transactions } of blocksFrom(head, blockAt)) {
    // The transaction that closes a block has no gas, and so offers no price.
    const offers = transactions.filter(({ gasLimit }) => gasLimit > 0n).toReversed();
    for (const { maxFeePerGas } of offers) prices.push(maxFeePerGas);
    if (prices.length >= TRANSACTION_WINDOW) break;
  }
  if (prices.length < TRANSACTION_WINDOW) return null;
  const latest = prices.slice(0, TRANSACTION_WINDOW);
  latest.sort((left, right) => (left < right ? -1 : left > right ? 1 : 0));
  return latest[PRICE_RANK] ?? null;
}

/**
 * Returns the wei per gas that the network suggests after the block `head`: a tenth above `minimumGasPrice`; what most of
 * the last 512 transactions paid, where that is more and the last 50 blocks were nine tenths full.
 */
export function suggestedGasPrice(head: PricedBlock, minimumGasPrice: bigint, blockAt: BlockReader): bigint {
  const usual = (minimumGasPrice * 11n) / 10n;
  const market = isMarket(head, blockAt) ? marketPrice(head, blockAt) : null;
  return market !== null && market > usual ? market : usual;
}
