// The gas that a block counts for its transactions.

import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { ExecutionResult } from './engine.ts';

/** The gas of a result that its block counts. */
type CountedGas = Pick<ExecutionResult, 'gasUsed' | 'stateGas' | 'executionGas'>;

/**
 * Counts the gas of a block: that of execution, and apart from it that for new state, where that has a gas of its own. Each may be as
 * much as the gas limit of the block, and the larger one is the gas that the block has used (EIP-8037).
 */
export class BlockGas {
  readonly #ruleSet: RuleSet;
  #execution = 0n;
  #state = 0n;

  constructor(ruleSet: RuleSet) {
    this.#ruleSet = ruleSet;
  }

  /** Counts a transaction with that result. */
  add({ gasUsed, stateGas, executionGas }: CountedGas): void {
    this.#execution += this.#ruleSet.blockGas === 'before the refund' ? executionGas : gasUsed;
    this.#state += stateGas;
  }

  /** The gas that the block has used. */
  get used(): bigint {
    return this.#execution > this.#state ? this.#execution : this.#state;
  }

  /** Returns the highest gas limit of a transaction that fits into a block with the limit `most`. */
  left(most: bigint): bigint {
    const executionLeft = most - this.#execution;
    const stateLeft = most - this.#state;
    const executionLimit = this.#ruleSet.gas.state?.executionLimit;
    // Beyond that limit, all gas of a transaction is for state.
    if (executionLimit !== undefined && executionLeft >= executionLimit) return stateLeft;
    return executionLeft < stateLeft ? executionLeft : stateLeft;
  }
}

/** Returns the gas that a block with those results has used. */
export function blockGasUsed(ruleSet: RuleSet, results: readonly CountedGas[]): bigint {
  const gas = new BlockGas(ruleSet);
  for (const result of results) gas.add(result);
  return gas.used;
}
