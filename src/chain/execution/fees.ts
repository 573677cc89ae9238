import { blobBaseFee, GAS_PER_BLOB, nextBlobBaseFee } from '../../protocol/blobs.ts';
import type { Block } from '../../protocol/block.ts';
import { effectiveGasPrice, SUGGESTED_PRIORITY_FEE, suggestedGasPrice } from '../../protocol/fees.ts';
import type { BlobRules } from '../../protocol/hardforks/rule-set.ts';
import { isRemascTransaction } from '../../protocol/remasc.ts';
import type { Task } from '../../scheduling/task.ts';
import { mapInPieces, type WorkPieces } from '../../scheduling/work-pieces.ts';
import type { ChainCore } from '../chain-core.ts';
import {
  type BlockSettings,
  baseFeeAfter,
  limitsAfter,
  minimumGasPriceAfter,
  type NextLimits,
} from '../settings/block-settings.ts';

/** Units of work for a percentile of a block, and for a transaction among those that it is found in. */
const REWARD_WORK = 16;
const TRANSACTION_WORK = 64;

/** The fees of the blocks of a range, oldest first, in wei per gas. */
export interface FeeHistory {
  /** The base fee of each block and of the one after the last; 0 for a block that has none. */
  readonly baseFees: readonly bigint[];
  /** The fullness of each block, from 0 to 1. */
  readonly gasUsedRatios: readonly number[];
  /** The priority fee of each block at each percentile of its gas. */
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
 * Returns the fees of blocks that follow each other, oldest first. `following` is the base fee of the block after the last
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

/** The base fees of blob gas in the blocks of a range, oldest first, in wei per blob gas, and how full of blobs they are. */
export interface BlobFeeHistory {
  /** The base fee of each block and of the one after the last; 0 for a block that has none. */
  readonly baseFees: readonly bigint[];
  /** The share of the most blob gas of a block that each uses, from 0 to 1. */
  readonly gasUsedRatios: readonly number[];
}

/** Returns the fees of blobs in blocks that follow each other, oldest first. `following` is the base fee after the last. */
export function blobFeeHistory(
  blocks: readonly Pick<Block, 'header'>[],
  following: bigint | null,
  rules: BlobRules,
): BlobFeeHistory {
  const headers = blocks.map(({ header }) => header.ethereum);
  const most = GAS_PER_BLOB * BigInt(rules.maximum);
  return {
    baseFees: [...headers.map(({ excessBlobGas }) => blobBaseFee(excessBlobGas, rules)), following].map(
      (fee) => fee ?? 0n,
    ),
    gasUsedRatios: headers.map(({ blobGasUsed }) => Number(blobGasUsed ?? 0n) / Number(most)),
  };
}

function highest(first: bigint, ...others: readonly bigint[]): bigint {
  return others.reduce((most, value) => (value > most ? value : most), first);
}

interface Suggestion {
  readonly head: Block;
  readonly settings: BlockSettings;
  readonly price: bigint;
}

/** The fees of a message, in wei per gas. */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** Returns one gas price as fees. */
export function flatFees(gasPrice: bigint): Fees {
  return { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice };
}

/** Returns fees that stay sufficient while the base fee doubles, as client libraries choose them. */
export function feesAbove(baseFeePerGas: bigint, maxPriorityFeePerGas: bigint): Fees {
  return { maxFeePerGas: 2n * baseFeePerGas + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

/** The fees that transactions have to pay on a chain, and the room that the next block has for them. */
export class ChainFees {
  readonly #core: ChainCore;
  /** The last blocks are read only when a price is asked for, once for each head. */
  #last: Suggestion | undefined;

  constructor(core: ChainCore) {
    this.#core = core;
  }

  /** Returns the wei per gas of the next block's base fee; `null` under rule sets without one. */
  nextBaseFee(): bigint | null {
    const { blockchain, settings, ruleSet } = this.#core;
    return baseFeeAfter(blockchain.head, settings.current, ruleSet);
  }

  /** Returns fees for a transaction with two fees that names none (EIP-1559). */
  suggested(): Fees {
    return feesAbove(this.nextBaseFee() ?? 0n, SUGGESTED_PRIORITY_FEE);
  }

  /** Returns the wei per blob gas of the next block's base fee; `null` under rule sets without blobs. */
  nextBlobBaseFee(): bigint | null {
    const { blockchain, ruleSet } = this.#core;
    return nextBlobBaseFee(blockchain.head.header, ruleSet.blobs);
  }

  /** Returns the gas that the next block has for its transactions, and the price that it takes of each of them. */
  nextLimits(): NextLimits {
    const { blockchain, settings, options, ruleSet } = this.#core;
    return limitsAfter(blockchain.head, settings.current, options.networkLimits, ruleSet);
  }

  /**
   * Returns the wei per gas that a transaction should offer: the price that was set, or what follows from the chain; never
   * below what the next block takes, nor below the head's base fee, since calls are made against the head too.
   */
  gasPrice(): bigint {
    const { head } = this.#core.blockchain;
    const { current } = this.#core.settings;
    if (this.#last?.head !== head || this.#last.settings !== current) {
      this.#last = { head, settings: current, price: this.#compute(head, current) };
    }
    return this.#last.price;
  }

  #compute(head: Block, settings: BlockSettings): bigint {
    const minimum = minimumGasPriceAfter(head, settings);
    const baseFee = baseFeeAfter(head, settings, this.#core.ruleSet);
    const price = settings.gasPrice ?? this.#following(head, settings, minimum, baseFee);
    return highest(price, minimum, baseFee ?? 0n, head.header.ethereum.baseFeePerGas ?? 0n);
  }

  #following(head: Block, settings: BlockSettings, least: bigint, baseFee: bigint | null): bigint {
    const { ruleSet, blockchain } = this.#core;
    if (baseFee !== null) return baseFee + highest(least, SUGGESTED_PRIORITY_FEE);
    if (ruleSet.encoding === 'ethereum') return least;
    // On its way to a target the minimum of the last block is the one that the network goes by.
    const minimum = settings.minimumGasPriceTarget === null ? least : head.header.minimumGasPrice;
    return suggestedGasPrice(head, minimum, (number) => blockchain.block(number));
  }
}
