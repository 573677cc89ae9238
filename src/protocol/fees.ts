import type { BlockHeader, EthereumHeaderFields } from './block.ts';
import type { Transaction } from './transaction.ts';

const ELASTICITY = 2n;
const CHANGE_DENOMINATOR = 8n;

/** The base fee of the first block in wei per gas (EIP-1559). */
export const INITIAL_BASE_FEE = 1_000_000_000n;

/** The default priority fee in wei per gas, as in Anvil and Hardhat. */
export const SUGGESTED_PRIORITY_FEE = 1_000_000_000n;

/** The header fields that the next base fee depends on. */
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

/** The fees that a transaction offers, in wei per gas. */
export interface OfferedFees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** How a rule set determines gas prices, in wei per gas. */
export interface FeeRule {
  /**
   * - `base fee`: headers have a base fee, and senders pay an additional priority fee (EIP-1559)
   * - `gas price`: senders offer a single price, and headers have no base fee
   * - `two fees`: like `gas price`, but senders may offer two fees, and the lower one is the price (RSKIP-546).
   *   Blocks show a base fee of 0, so that clients send two fees
   */
  readonly name: 'base fee' | 'gas price' | 'two fees';
  /** Returns the base fee of a block: `given`, or the initial base fee; `null` without base fees. */
  baseFee(given: bigint | null): bigint | null;
  /** Returns the base fee of the block after `parent`; `null` without base fees. */
  nextBaseFee(parent: FeeParent): bigint | null;
  /**
   * Returns the wei per gas that a transaction offers at most. Its cost and the minimum gas price count with
   * this price.
   */
  offer(fees: OfferedFees): bigint;
  /**
   * Returns the priority fee that the fee history shows for a block without transactions. Clients derive their
   * fees from it, so it must suffice for the minimum gas price.
   */
  usualReward(header: Pick<BlockHeader, 'minimumGasPrice'>): bigint;
}

export const BASE_FEE_RULE: FeeRule = {
  name: 'base fee',
  baseFee: (given) => given ?? INITIAL_BASE_FEE,
  nextBaseFee,
  offer: ({ maxFeePerGas }) => maxFeePerGas,
  usualReward: () => 0n,
};

export const GAS_PRICE_RULE: FeeRule = {
  name: 'gas price',
  baseFee: () => null,
  nextBaseFee: () => null,
  offer: ({ maxFeePerGas }) => maxFeePerGas,
  usualReward: () => 0n,
};

export const TWO_FEES_RULE: FeeRule = {
  name: 'two fees',
  baseFee: () => 0n,
  nextBaseFee: () => 0n,
  offer: (fees) => effectiveGasPrice(fees, 0n),
  usualReward: ({ minimumGasPrice }) => usualGasPrice(minimumGasPrice),
};

/** Returns the wei per gas that a sender pays: base fee plus priority fee, capped by the maximum fee. */
export function effectiveGasPrice(fees: OfferedFees, baseFeePerGas: bigint | null): bigint {
  if (baseFeePerGas === null) return fees.maxFeePerGas;
  const wanted = baseFeePerGas + fees.maxPriorityFeePerGas;
  return wanted > fees.maxFeePerGas ? fees.maxFeePerGas : wanted;
}

/** The minimum gas price may change by this fraction per block (RSKIP-09). */
const DRIFT_DIVISOR = 100n;
/** Maximum gas price of a transaction, as a multiple of the minimum gas price (RSKIP-252). */
const CAP_MULTIPLE = 80n;

/**
 * Returns the minimum gas price (wei per gas) of the next block. It moves towards `target` by at most one
 * percent, and at least one wei (RSKIP-09).
 */
export function nextMinimumGasPrice(parent: bigint, target: bigint): bigint {
  const share = parent / DRIFT_DIVISOR;
  const step = share > 0n ? share : 1n;
  if (target > parent) return target - parent > step ? parent + step : target;
  return parent - target > step ? parent - step : target;
}

/** Returns the maximum gas price in wei per gas (RSKIP-252); `null` if the minimum is 0. */
export function gasPriceCap(minimumGasPrice: bigint): bigint | null {
  return minimumGasPrice === 0n ? null : CAP_MULTIPLE * minimumGasPrice;
}

/** Returns the gas price that Rootstock suggests without a market: a tenth above the minimum. */
function usualGasPrice(minimumGasPrice: bigint): bigint {
  return (minimumGasPrice * 11n) / 10n;
}

/** The number of blocks that decide whether there is a gas market. */
const BLOCK_WINDOW = 50;
/** Fixed-point 1 for the fullness of blocks. */
const WHOLE = 10n ** 9n;
/** Maximum total emptiness of these blocks: a tenth each. */
const MARKET_EMPTINESS = (BigInt(BLOCK_WINDOW) * WHOLE) / 10n;
/** The number of transactions that determine the market price. */
const TRANSACTION_WINDOW = 512;
/** The rank of the price among these transactions, cheapest first: a quarter offered less. */
const PRICE_RANK = TRANSACTION_WINDOW / 4;

/** The parts of a block that suggested prices depend on. */
export interface PricedBlock {
  readonly header: Pick<BlockHeader, 'number' | 'gasLimit' | 'gasUsed'>;
  readonly transactions: readonly (Pick<Transaction, 'gasLimit'> & OfferedFees)[];
}

/** Returns a block by number; `undefined` below the first block. */
export type BlockReader = (number: number) => PricedBlock | undefined;

function* blocksFrom(head: PricedBlock, blockAt: BlockReader): Generator<PricedBlock, void, undefined> {
  yield head;
  for (let number = head.header.number - 1; number >= 0; number--) {
    const block = blockAt(number);
    if (block === undefined) return;
    yield block;
  }
}

/** Returns true if the last blocks were so full that transactions had to outbid each other. */
function isMarket(head: PricedBlock, blockAt: BlockReader): boolean {
  if (head.header.number + 1 < BLOCK_WINDOW) return false;
  // Stops when the blocks are too empty for the rest to compensate, for example after six empty blocks.
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

/** Returns the first quartile of the last gas prices; `null` if there are too few transactions. */
function marketPrice(head: PricedBlock, blockAt: BlockReader): bigint | null {
  const prices: bigint[] = [];
  for (const { transactions } of blocksFrom(head, blockAt)) {
    // The REMASC transaction has no gas and offers no price.
    const offers = transactions.filter(({ gasLimit }) => gasLimit > 0n).toReversed();
    for (const offer of offers) prices.push(effectiveGasPrice(offer, 0n));
    if (prices.length >= TRANSACTION_WINDOW) break;
  }
  if (prices.length < TRANSACTION_WINDOW) return null;
  const latest = prices.slice(0, TRANSACTION_WINDOW);
  latest.sort((left, right) => (left < right ? -1 : left > right ? 1 : 0));
  return latest[PRICE_RANK] ?? null;
}

/**
 * Returns the gas price (wei per gas) that Rootstock suggests after the block `head`. The minimum is a tenth
 * above the `minimumGasPrice` argument. If the last 50 blocks were 90% full, the market price of the last 512
 * transactions applies if it is higher.
 */
export function suggestedGasPrice(head: PricedBlock, minimumGasPrice: bigint, blockAt: BlockReader): bigint {
  const usual = usualGasPrice(minimumGasPrice);
  const market = isMarket(head, blockAt) ? marketPrice(head, blockAt) : null;
  return market !== null && market > usual ? market : usual;
}
