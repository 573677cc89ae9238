import { mapInSteps, type Steps } from '../../primitives/steps.ts';
import { blobBaseFee, GAS_PER_BLOB, nextBlobBaseFee } from '../../protocol/blobs.ts';
import type { Block } from '../../protocol/block.ts';
import { effectiveGasPrice, type FeeRule, suggestedGasPrice } from '../../protocol/fees.ts';
import type { BlobRules } from '../../protocol/hardforks/rule-set.ts';
import { isRemascTransaction } from '../../protocol/remasc.ts';
import type { ChainCore } from '../chain-core.ts';
import {
  type BlockSettings,
  baseFeeAfter,
  limitsAfter,
  minimumGasPriceAfter,
  type NextLimits,
} from '../settings/block-settings.ts';

/** Work units per percentile of a block, and per transaction. */
const REWARD_WORK = 16;
const TRANSACTION_WORK = 64;

/** The fees of a range of blocks, oldest first, in wei per gas. */
export interface FeeHistory {
  /** The base fee of each block and of the block after the last; 0 without a base fee. */
  readonly baseFees: readonly bigint[];
  /** Gas used divided by gas limit, from 0 to 1, per block. */
  readonly gasUsedRatios: readonly number[];
  /** The priority fee of each block at each percentile of its gas. */
  readonly rewards: readonly (readonly bigint[])[];
}

function rewardsOf(
  { header, transactions, receipts }: Block,
  percentiles: readonly number[],
  rule: FeeRule,
): bigint[] {
  const { baseFeePerGas } = header.ethereum;
  const paid = receipts.flatMap(({ gasUsed }, index) => {
    const transaction = transactions[index];
    // REMASC's closing transaction pays no fee.
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
    rewards.push(paid[position]?.reward ?? rule.usualReward(header));
  }
  return rewards;
}

/**
 * Returns the fees of consecutive blocks, oldest first. `following` is the base fee of the block after the
 * last, or `null`. `percentiles` are ascending, from 0 to 100.
 */
export function* feeHistory(
  blocks: readonly Block[],
  following: bigint | null,
  percentiles: readonly number[],
  rule: FeeRule,
): Steps<FeeHistory> {
  const headers = blocks.map(({ header }) => header);
  const work = ({ transactions }: Block): number =>
    REWARD_WORK * percentiles.length + TRANSACTION_WORK * transactions.length;
  return {
    baseFees: [...headers.map(({ ethereum }) => ethereum.baseFeePerGas), following].map((fee) => fee ?? 0n),
    gasUsedRatios: headers.map(({ gasUsed, gasLimit }) =>
      gasLimit === 0n ? 0 : Number(gasUsed) / Number(gasLimit),
    ),
    rewards: yield* mapInSteps(blocks, work, (block) => rewardsOf(block, percentiles, rule)),
  };
}

/** The blob base fees of a range of blocks (wei per blob gas), oldest first, and the use of blob gas. */
export interface BlobFeeHistory {
  /** The blob base fee of each block and of the block after the last; 0 without one. */
  readonly baseFees: readonly bigint[];
  /** Blob gas used divided by the maximum blob gas, from 0 to 1, per block. */
  readonly gasUsedRatios: readonly number[];
}

/** Returns the blob fees of consecutive blocks. `following` is the blob base fee after the last. */
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

/** In wei per gas. */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

export function flatFees(gasPrice: bigint): Fees {
  return { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice };
}

/** Returns fees that stay sufficient if the base fee doubles, as client libraries do. */
export function feesAbove(baseFeePerGas: bigint, maxPriorityFeePerGas: bigint): Fees {
  return { maxFeePerGas: 2n * baseFeePerGas + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

/** The fees that transactions pay, and the gas that the next block has for them. */
export class ChainFees {
  readonly #core: ChainCore;
  /** Computed at most once per head and settings, on first use. */
  #last: Suggestion | undefined;

  constructor(core: ChainCore) {
    this.#core = core;
  }

  /** Returns the next block's base fee (wei per gas); `null` under rule sets without one. */
  nextBaseFee(): bigint | null {
    const { blockchain, settings, ruleSet } = this.#core;
    return baseFeeAfter(blockchain.head.block, settings.current, ruleSet);
  }

  /** The suggested priority fee in wei per gas, under rules with a base fee. */
  get priorityFee(): bigint {
    return this.#core.options.priorityFee;
  }

  /** Returns default fees for a transaction with two fees (EIP-1559). */
  suggested(): Fees {
    if (this.#core.ruleSet.fees.name === 'two fees') return flatFees(this.gasPrice());
    return feesAbove(this.nextBaseFee() ?? 0n, this.priorityFee);
  }

  /** Returns the next block's blob base fee (wei per blob gas); `null` under rule sets without blobs. */
  nextBlobBaseFee(): bigint | null {
    const { blockchain, ruleSet } = this.#core;
    return nextBlobBaseFee(blockchain.head.block.header, ruleSet.blobs);
  }

  /** Returns the next block's gas limit for transactions and its minimum price. */
  nextLimits(): NextLimits {
    const { blockchain, settings, options, ruleSet } = this.#core;
    return limitsAfter(blockchain.head.block, settings.current, options.networkLimits, ruleSet);
  }

  /**
   * Returns the suggested gas price (wei per gas): the price from the settings, or a price computed from the
   * chain. It is at least the next block's minimum, and at least the head's base fee, because calls run
   * against the head too.
   */
  gasPrice(): bigint {
    const { block: head } = this.#core.blockchain.head;
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
    if (ruleSet.fees.name === 'base fee' && baseFee !== null)
      return baseFee + highest(least, this.priorityFee);
    if (ruleSet.encoding === 'ethereum') return least;
    // While the minimum moves to a target, Rootstock's nodes use the minimum of the last block.
    const minimum = settings.minimumGasPriceTarget === null ? least : head.header.minimumGasPrice;
    return suggestedGasPrice(head, minimum, (number) => blockchain.block(number));
  }
}
