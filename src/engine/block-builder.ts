import type { Block } from '../rules/block.ts';
import { localDifficulty, localPrevRandao } from '../rules/genesis.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import type { Transaction } from '../rules/transaction.ts';
import { Overlay } from '../state/overlay.ts';
import type { WorldState } from '../state/world-state.ts';
import type { BlockEnvironment, Engine, ExecutionResult } from './engine.ts';
import { sealBlock } from './sealing.ts';

/** What is settled about a block before its transactions run. */
export interface BlockTemplate {
  readonly parent: Block;
  readonly parentState: WorldState;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly coinbase: Uint8Array;
  readonly gasLimit: bigint;
  /** Wei per gas. */
  readonly minimumGasPrice: bigint;
  /** Wei per gas; `null` under rule sets without a base fee. */
  readonly baseFeePerGas: bigint | null;
  /** 32 bytes; `null` for the value that follows from the parent. Without meaning before proof of stake. */
  readonly prevRandao: Uint8Array | null;
  readonly extraData: Uint8Array;
  /** The hash of a block up to the parent. */
  blockHash(number: number): Uint8Array;
}

/** What code can see of the block of that number which is made like this on top of the parent. */
export function blockEnvironment(
  ruleSet: RuleSet,
  template: Omit<BlockTemplate, 'parent' | 'parentState' | 'extraData'>,
  number: number,
  parentHash: Uint8Array,
): BlockEnvironment {
  return {
    number,
    timestamp: template.timestamp,
    coinbase: template.coinbase,
    difficulty: localDifficulty(ruleSet),
    gasLimit: template.gasLimit,
    minimumGasPrice: template.minimumGasPrice,
    baseFeePerGas: template.baseFeePerGas,
    prevRandao: template.prevRandao ?? localPrevRandao(ruleSet, parentHash),
    blockHash: template.blockHash,
  };
}

/** A block that was built, the state after it, and how each of its transactions ran. */
export interface BuiltBlock {
  readonly block: Block;
  readonly state: WorldState;
  readonly results: readonly ExecutionResult[];
}

/** Builds one block on top of another: transactions are added one after the other, then it is sealed. */
export class BlockBuilder {
  readonly environment: BlockEnvironment;
  readonly #engine: Engine;
  readonly #ruleSet: RuleSet;
  readonly #template: BlockTemplate;
  readonly #overlay: Overlay;
  readonly #transactions: Transaction[] = [];
  readonly #results: ExecutionResult[] = [];
  #gasUsed = 0n;

  constructor(engine: Engine, ruleSet: RuleSet, template: BlockTemplate) {
    this.#engine = engine;
    this.#ruleSet = ruleSet;
    this.#template = template;
    this.#overlay = new Overlay(template.parentState);
    const { parent } = template;
    this.environment = blockEnvironment(ruleSet, template, parent.header.number + 1, parent.hash);
  }

  /** Gas that the block still has for transactions. */
  get gasLeft(): bigint {
    return this.#template.gasLimit - this.#gasUsed;
  }

  /**
   * Runs the transaction as the block's next one. Throws `UnexecutableError`, the block unchanged, when it breaks a
   * rule that stands before any execution.
   */
  async add(transaction: Transaction): Promise<ExecutionResult> {
    const result = await this.#engine.transact(this.environment, this.#overlay, transaction);
    this.#gasUsed += result.gasUsed;
    this.#transactions.push(transaction);
    this.#results.push(result);
    return result;
  }

  /** The finished block: roots, bloom, header, hash. */
  seal(): BuiltBlock {
    const { parent, extraData } = this.#template;
    const state = this.#overlay.toWorldState();
    const transactions = this.#transactions;
    const results = this.#results;
    const unsealed = { parent, environment: this.environment, extraData, transactions, results, state };
    return { block: sealBlock(unsealed, this.#ruleSet), state, results };
  }
}
