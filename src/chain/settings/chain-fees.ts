import type { Block } from '../../protocol/block.ts';
import { SUGGESTED_PRIORITY_FEE, suggestedGasPrice } from '../../protocol/fees.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import { baseFeeAfter } from '../mining/block-production.ts';
import type { BlockSettings, LiveSettings } from './block-settings.ts';
import type { ChainOptions } from './chain-options.ts';
import { limitsAfter, minimumGasPriceAfter, type NextLimits } from './next-limits.ts';

/** What an oracle reads; all of it belongs to one chain. */
export interface OracleParts {
  readonly ruleSet: RuleSet;
  readonly blockchain: Blockchain;
  readonly settings: LiveSettings;
}

function highest(first: bigint, ...others: readonly bigint[]): bigint {
  return others.reduce((most, value) => (value > most ? value : most), first);
}

interface Suggestion {
  readonly head: Block;
  readonly settings: BlockSettings;
  readonly price: bigint;
}

/**
 * Says what price per gas a transaction should offer. It reads the last blocks only when it is asked, once for each head,
 * so that blocks and reverts need not tell it anything.
 */
export class GasPriceOracle {
  readonly #parts: OracleParts;
  #last: Suggestion | undefined;

  constructor(parts: OracleParts) {
    this.#parts = parts;
  }

  /**
   * Wei per gas: the price that was set, or what follows from the chain; never below what the next block takes, nor below
   * the head's base fee, since calls are made against the head too.
   */
  suggested(): bigint {
    const { blockchain, settings } = this.#parts;
    const { head } = blockchain;
    const { current } = settings;
    if (this.#last?.head !== head || this.#last.settings !== current) {
      this.#last = { head, settings: current, price: this.#compute(head, current) };
    }
    return this.#last.price;
  }

  #compute(head: Block, settings: BlockSettings): bigint {
    const minimum = minimumGasPriceAfter(head, settings);
    const baseFee = baseFeeAfter(head, settings, this.#parts.ruleSet);
    const price = settings.gasPrice ?? this.#following(head, settings, minimum, baseFee);
    return highest(price, minimum, baseFee ?? 0n, head.header.ethereum.baseFeePerGas ?? 0n);
  }

  #following(head: Block, settings: BlockSettings, least: bigint, baseFee: bigint | null): bigint {
    const { ruleSet, blockchain } = this.#parts;
    if (baseFee !== null) return baseFee + highest(least, SUGGESTED_PRIORITY_FEE);
    if (ruleSet.encoding === 'ethereum') return least;
    // On its way to a target the minimum of the last block is the one that the network goes by.
    const minimum = settings.minimumGasPriceTarget === null ? least : head.header.minimumGasPrice;
    return suggestedGasPrice(head, minimum, (number) => blockchain.block(number));
  }
}

/** What fees are settled by; all of it belongs to one chain. */
export interface ChainFeeParts {
  readonly blockchain: Blockchain;
  readonly settings: LiveSettings;
  readonly ruleSet: RuleSet;
  readonly options: Pick<ChainOptions, 'networkLimits'>;
}

/** What transactions have to pay on a chain, and how much of it the next block has room for. */
export class ChainFees {
  readonly #parts: ChainFeeParts;
  readonly #gasPrices: GasPriceOracle;

  constructor(parts: ChainFeeParts) {
    this.#parts = parts;
    this.#gasPrices = new GasPriceOracle(parts);
  }

  /** Wei per gas of the next block's base fee; `null` under rule sets without one. */
  nextBaseFee(): bigint | null {
    const { blockchain, settings, ruleSet } = this.#parts;
    return baseFeeAfter(blockchain.head, settings.current, ruleSet);
  }

  /** What the next block has for its transactions, and takes of each of them. */
  nextLimits(): NextLimits {
    const { blockchain, settings, options } = this.#parts;
    return limitsAfter(blockchain.head, settings.current, options.networkLimits);
  }

  /** Wei per gas that a transaction should offer. */
  gasPrice(): bigint {
    return this.#gasPrices.suggested();
  }
}
