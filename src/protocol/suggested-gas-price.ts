import type { BlockHeader } from './block.ts';
import type { Transaction } from './transaction.ts';

/** How many blocks tell whether there is a market for gas. */
const BLOCK_WINDOW = 50;
/** How full is full, so that parts of it are whole numbers. */
const WHOLE = 10n ** 9n;
/** How empty all of these together may be: a tenth each. */
const MARKET_EMPTINESS = (BigInt(BLOCK_WINDOW) * WHOLE) / 10n;
/** How many transactions tell the price in a market. */
const TRANSACTION_WINDOW = 512;
/** Where among these, the cheapest first, the price stands: a quarter of them offered less. */
const PRICE_RANK = TRANSACTION_WINDOW / 4;

/** What of a block tells about prices. */
export interface PricedBlock {
  readonly header: Pick<BlockHeader, 'number' | 'gasLimit' | 'gasUsed'>;
  readonly transactions: readonly Pick<Transaction, 'gasLimit' | 'maxFeePerGas'>[];
}

/** The block with that number; `undefined` below the first. */
export type BlockReader = (number: number) => PricedBlock | undefined;

function* blocksFrom(head: PricedBlock, blockAt: BlockReader): Generator<PricedBlock, void, undefined> {
  yield head;
  for (let number = head.header.number - 1; number >= 0; number--) {
    const block = blockAt(number);
    if (block === undefined) return;
    yield block;
  }
}

/** True when the last blocks were so full that transactions had to outbid each other. */
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

/** Wei per gas that three in four of the last transactions offered at least; `null` when there are too few of them. */
function marketPrice(head: PricedBlock, blockAt: BlockReader): bigint | null {
  const prices: bigint[] = [];
  for (const { transactions } of blocksFrom(head, blockAt)) {
    // What has no gas offers no price for it: the transaction that closes a block.
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
 * Wei per gas that the network suggests after the block `head`: a tenth above `minimumGasPrice`; what most of the last
 * 512 transactions paid, where that is more and the last 50 blocks were nine tenths full.
 */
export function suggestedGasPrice(head: PricedBlock, minimumGasPrice: bigint, blockAt: BlockReader): bigint {
  const usual = (minimumGasPrice * 11n) / 10n;
  const market = isMarket(head, blockAt) ? marketPrice(head, blockAt) : null;
  return market !== null && market > usual ? market : usual;
}
