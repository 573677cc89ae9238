import type { Block } from '../../protocol/block.ts';
import { SUGGESTED_PRIORITY_FEE, suggestedGasPrice } from '../../protocol/fees.ts';
import type { ChainCore } from '../chain-core.ts';
import type { BlockSettings } from '../settings/block-settings.ts';
import { baseFeeAfter, limitsAfter, minimumGasPriceAfter, type NextLimits } from '../settings/next-limits.ts';

function highest(first: bigint, ...others: readonly bigint[]): bigint {
  return others.reduce((most, value) => (value > most ? value : most), first);
}

interface Suggestion {
  readonly head: Block;
  readonly settings: BlockSettings;
  readonly price: bigint;
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

  /** Returns the gas that the next block has for its transactions, and the price that it takes of each of them. */
  nextLimits(): NextLimits {
    const { blockchain, settings, options } = this.#core;
    return limitsAfter(blockchain.head, settings.current, options.networkLimits);
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
