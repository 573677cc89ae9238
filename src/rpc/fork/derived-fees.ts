// Fee histories that follow from blocks and receipts of an upstream.

import { headerOfUpstream, wholeBlockOfUpstream } from '../../fork/upstream-body.ts';
import type { Block } from '../../protocol/block.ts';
import { GAS_PRICE_RULE } from '../../protocol/fees.ts';
import type { JsonObject } from '../../wire/tolerant.ts';
import type { ForkCall } from '../method.ts';
import { feeHistoryView } from '../views/fee-history.ts';
import { hashesOf, listIn, nativeView, readBlocks, readReceipts, rulesAt } from './upstream-reads.ts';

/** Maximum blocks of a history with rewards, because each of their receipts is requested. */
const MAX_REWARDED_BLOCKS = 128;

function numbersFrom(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Converts blocks. With `hasRewards`, they include transactions and receipts. */
async function blocksOf(call: ForkCall, found: readonly JsonObject[], hasRewards: boolean): Promise<Block[]> {
  const lists = found.map((block) => (hasRewards ? listIn(block, 'transactions') : []));
  const receipts = (await readReceipts(call, hashesOf(lists.flat()))).map(nativeView);
  return found.map((block, index) => {
    const own = receipts.splice(0, lists[index]?.length ?? 0);
    return wholeBlockOfUpstream(
      { block: nativeView(block), receipts: own, uncles: [] },
      rulesAt(call, block),
    );
  });
}

function baseFeeOf(call: ForkCall, block: JsonObject): bigint | null {
  return headerOfUpstream(nativeView(block), rulesAt(call, block)).ethereum.baseFeePerGas;
}

/**
 * Returns the fee history of the blocks from `oldest` to `last`, as `eth_feeHistory` of the upstream would. With
 * percentiles it may start later. The fee after the fork block is 0, because the block after it is local.
 */
export async function feeHistory(
  call: ForkCall,
  { oldest, last }: { readonly oldest: number; readonly last: number },
): Promise<unknown> {
  const percentiles = (call.params.decoded[2] ?? null) as readonly number[] | null;
  const hasRewards = percentiles !== null && percentiles.length > 0;
  const first = hasRewards ? Math.max(oldest, last - MAX_REWARDED_BLOCKS + 1) : oldest;
  const hasNext = last < call.fork.number;
  const found = await readBlocks(call, numbersFrom(first, hasNext ? last + 1 : last), hasRewards);
  const next = hasNext ? found.pop() : undefined;
  const blocks = await blocksOf(call, found, hasRewards);
  const hasBlobs = blocks.some(({ header }) => header.ethereum.excessBlobGas !== null);
  const own = call.context.node.chain.ruleSet.fees;
  // Only RSKIP-546 has rewards for empty blocks, because its clients derive their fees from rewards.
  const fees = own.name === 'two fees' ? own : GAS_PRICE_RULE;
  const history = {
    blocks,
    following: next === undefined ? null : baseFeeOf(call, next),
    percentiles,
    rules: hasBlobs ? rulesAt(call, found.at(-1)) : { blobs: null, fees },
  };
  return call.context.deadline.run(feeHistoryView(history));
}
