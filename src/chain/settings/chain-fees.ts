import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import { baseFeeAfter } from '../mining/block-production.ts';
import type { LiveSettings } from './block-settings.ts';
import type { ChainOptions } from './chain-options.ts';
import { GasPriceOracle } from './gas-price-oracle.ts';
import { limitsAfter, type NextLimits } from './next-limits.ts';

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
