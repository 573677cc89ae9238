// Fee histories in JSON responses.

import { blobFeeHistory, feeHistory } from '../../chain/execution/fees.ts';
import { toQuantity } from '../../primitives/hex.ts';
import type { Steps } from '../../primitives/steps.ts';
import { nextBlobBaseFee } from '../../protocol/blobs.ts';
import type { Block } from '../../protocol/block.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Json } from '../../wire/values.ts';

/** Maximum blocks of a fee history. A request for more returns the newest ones. */
export const MAX_FEE_BLOCKS = 1024;

/** Consecutive blocks for a fee history. */
export interface FeeHistoryOptions {
  /** Oldest first, at least one. */
  readonly blocks: readonly Block[];
  /** The base fee of the block after the last (wei per gas); `null` without one. */
  readonly following: bigint | null;
  /** Ascending, from 0 to 100; `null` or empty for no rewards. */
  readonly percentiles: readonly number[] | null;
  readonly rules: Pick<RuleSet, 'blobs' | 'fees'>;
}

/** Returns the blob members of a fee history; empty for hardforks without blobs. */
function blobMembers({ blocks, rules: { blobs } }: FeeHistoryOptions): object {
  const newest = blocks.at(-1);
  if (blobs === null || newest === undefined) return {};
  const history = blobFeeHistory(blocks, nextBlobBaseFee(newest.header, blobs), blobs);
  return {
    baseFeePerBlobGas: history.baseFees.map(toQuantity),
    blobGasUsedRatio: history.gasUsedRatios,
  };
}

/** Returns a fee history as JSON. Yields if the blocks have many transactions. */
export function* feeHistoryView(options: FeeHistoryOptions): Steps<Json> {
  const { blocks, following, percentiles, rules } = options;
  const wanted = percentiles ?? [];
  const { baseFees, gasUsedRatios, rewards } = yield* feeHistory(blocks, following, wanted, rules.fees);
  return {
    oldestBlock: toQuantity(blocks[0]?.header.number ?? 0),
    baseFeePerGas: baseFees.map(toQuantity),
    gasUsedRatio: gasUsedRatios,
    ...(wanted.length > 0 ? { reward: rewards.map((ofBlock) => ofBlock.map(toQuantity)) } : {}),
    ...blobMembers(options),
  };
}
