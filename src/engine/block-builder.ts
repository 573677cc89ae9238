import type { Block, BlockHeader } from '../rules/block.ts';
import { bloomOf, joinBlooms } from '../rules/bloom.ts';
import { ethereumFields, localDifficulty, localPrevRandao } from '../rules/genesis.ts';
import { encodeBlock, headerHash, unclesHash } from '../rules/header-encoding.ts';
import type { Receipt } from '../rules/receipt.ts';
import { encodeReceipt } from '../rules/receipt-encoding.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import type { Transaction } from '../rules/transaction.ts';
import { orderedTrieRoot } from '../state/ordered-trie.ts';
import { Overlay } from '../state/overlay.ts';
import type { WorldState } from '../state/world-state.ts';
import type { BlockEnvironment, Engine, ExecutionResult } from './engine.ts';

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
  readonly extraData: Uint8Array;
  /** The hash of a block up to the parent. */
  blockHash(number: number): Uint8Array;
}

/** A block that was built, the state after it, and how each of its transactions ran. */
export interface BuiltBlock {
  readonly block: Block;
  readonly state: WorldState;
  readonly results: readonly ExecutionResult[];
}

const NO_MERGED_MINING = {
  header: new Uint8Array(0),
  coinbaseTransaction: new Uint8Array(0),
  merkleProof: new Uint8Array(0),
};

/** Builds one block on top of another: transactions are added one after the other, then it is sealed. */
export class BlockBuilder {
  readonly environment: BlockEnvironment;
  readonly #engine: Engine;
  readonly #ruleSet: RuleSet;
  readonly #template: BlockTemplate;
  readonly #overlay: Overlay;
  readonly #transactions: Transaction[] = [];
  readonly #receipts: Receipt[] = [];
  readonly #results: ExecutionResult[] = [];
  #gasUsed = 0n;
  #paidFees = 0n;

  constructor(engine: Engine, ruleSet: RuleSet, template: BlockTemplate) {
    this.#engine = engine;
    this.#ruleSet = ruleSet;
    this.#template = template;
    this.#overlay = new Overlay(template.parentState);
    this.environment = {
      number: template.parent.header.number + 1,
      timestamp: template.timestamp,
      coinbase: template.coinbase,
      difficulty: localDifficulty(ruleSet),
      gasLimit: template.gasLimit,
      minimumGasPrice: template.minimumGasPrice,
      baseFeePerGas: template.baseFeePerGas,
      prevRandao: localPrevRandao(ruleSet, template.parent.hash),
      blockHash: template.blockHash,
    };
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
    this.#paidFees += result.gasUsed * result.effectiveGasPrice;
    this.#transactions.push(transaction);
    this.#results.push(result);
    this.#receipts.push({
      succeeded: result.outcome === 'success',
      cumulativeGasUsed: this.#gasUsed,
      gasUsed: result.gasUsed,
      effectiveGasPrice: result.effectiveGasPrice,
      logs: result.logs,
      logsBloom: bloomOf(result.logs),
      contractAddress: result.createdAddress,
    });
    return result;
  }

  /** The finished block: roots, bloom, header, hash. */
  seal(): BuiltBlock {
    const { parent } = this.#template;
    const { encoding } = this.#ruleSet;
    const state = this.#overlay.toWorldState();
    const header = this.#header(state.root);
    const body = { header, transactions: this.#transactions, uncles: [] };
    const block: Block = {
      ...body,
      hash: headerHash(header, encoding),
      receipts: this.#receipts,
      totalDifficulty: parent.totalDifficulty + header.difficulty,
      size: encodeBlock(body, encoding).length,
    };
    return { block, state, results: this.#results };
  }

  #header(stateRoot: Uint8Array): BlockHeader {
    const { encoding } = this.#ruleSet;
    const { parent, extraData, coinbase, gasLimit, timestamp, minimumGasPrice, baseFeePerGas } =
      this.#template;
    const encodedReceipts = this.#receipts.map((receipt, index) =>
      encodeReceipt(receipt, this.#transactions[index]?.type ?? 0, encoding),
    );
    return {
      parentHash: parent.hash,
      unclesHash: unclesHash([], encoding),
      coinbase,
      stateRoot,
      transactionsRoot: orderedTrieRoot(this.#transactions.map((transaction) => transaction.raw)),
      receiptsRoot: orderedTrieRoot(encodedReceipts),
      logsBloom: joinBlooms(this.#receipts.map((receipt) => receipt.logsBloom)),
      difficulty: this.environment.difficulty,
      number: this.environment.number,
      gasLimit,
      gasUsed: this.#gasUsed,
      timestamp,
      extraData,
      paidFees: this.#paidFees,
      minimumGasPrice,
      uncleCount: 0,
      mergedMining: NO_MERGED_MINING,
      ethereum: ethereumFields(this.#ruleSet, { baseFeePerGas, mixHash: this.environment.prevRandao }),
    };
  }
}
