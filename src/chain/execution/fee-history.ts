import type { Task } from '../../primitives/task.ts';
import { mapInPieces, type WorkPieces } from '../../primitives/work-pieces.ts';
import type { Block } from '../../protocol/block.ts';
import { effectiveGasPrice } from '../../protocol/fees.ts';
import { isRemascTransaction } from '../../protocol/remasc.ts';

/** Units of work for a percentile of a block, and for a transaction among those that it is found in. */
const REWARD_WORK = 16;
const TRANSACTION_WORK = 64;

/** The fees of the blocks of a range, oldest first, in wei per gas. */
export interface FeeHistory {
  /** Of each block and of the one after the last; 0 for a block that has none. */
  readonly baseFees: readonly bigint[];
  /** How full each block is, from 0 to 1. */
  readonly gasUsedRatios: readonly number[];
  /** Of each block, what was paid above the base fee up to each percentile of its gas. */
  readonly rewards: readonly (readonly bigint[])[];
}

function rewardsOf({ header, transactions, receipts }: Block, percentiles: readonly number[]): bigint[] {
  const { baseFeePerGas } = header.ethereum;
  const paid = receipts.flatMap(({ gasUsed }, index) => {
    const transaction = transactions[index];
    // The transaction that closes a block pays no fee.
    if (transaction === undefined || isRemascTransaction(transaction)) return [];
    const price = effectiveGasPrice(transaction, baseFeePerGas);
    return [{ gasUsed, reward: price - (baseFeePerGas ?? 0n) }];
  });
  paid.sort((left, right) => (left.reward < right.reward ? -1 : left.reward > right.reward ? 1 : 0));
  const rewards: bigint[] = [];
  let position = 0;
  let gasSoFar = paid[0]?.gasUsed ?? 0n;
  for (const percentile of percentiles) {
    const wanted = (Number(header.gasUsed) * percentile) / 100;
    while (Number(gasSoFar) < wanted && position < paid.length - 1) {
      position++;
      gasSoFar += paid[position]?.gasUsed ?? 0n;
    }
    rewards.push(paid[position]?.reward ?? 0n);
  }
  return rewards;
}

/**
 * The fees of blocks that follow each other, oldest first. `following` is the base fee of the block after the last
 * (`null` for none); `percentiles` rise and are from 0 to 100.
 */
export function* feeHistory(
  blocks: readonly Block[],
  following: bigint | null,
  percentiles: readonly number[],
  pieces: WorkPieces,
): Task<FeeHistory> {
  const headers = blocks.map(({ header }) => header);
  const work = ({ transactions }: Block): number =>
    REWARD_WORK * percentiles.length + TRANSACTION_WORK * transactions.length;
  return {
    baseFees: [...headers.map(({ ethereum }) => ethereum.baseFeePerGas), following].map((fee) => fee ?? 0n),
    gasUsedRatios: headers.map(({ gasUsed, gasLimit }) =>
      gasLimit === 0n ? 0 : Number(gasUsed) / Number(gasLimit),
    ),
    rewards: yield* mapInPieces(blocks, pieces, work, (block) => rewardsOf(block, percentiles)),
  };
}
