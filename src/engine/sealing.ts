import type { Block, BlockHeader } from '../rules/block.ts';
import { bloomOf, joinBlooms } from '../rules/bloom.ts';
import { ethereumFields } from '../rules/genesis.ts';
import { encodeBlock, headerHash, unclesHash } from '../rules/header-encoding.ts';
import type { Receipt } from '../rules/receipt.ts';
import { encodeReceipt } from '../rules/receipt-encoding.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import type { Transaction } from '../rules/transaction.ts';
import { orderedTrieRoot } from '../state/ordered-trie.ts';
import type { WorldState } from '../state/world-state.ts';
import type { BlockEnvironment, ExecutionResult } from './engine.ts';

/** A block whose transactions have run. */
export interface UnsealedBlock {
  readonly parent: Pick<Block, 'hash' | 'totalDifficulty'>;
  readonly environment: BlockEnvironment;
  readonly extraData: Uint8Array;
  readonly transactions: readonly Transaction[];
  /** How each of the transactions ran. */
  readonly results: readonly ExecutionResult[];
  /** The state after the last of them. */
  readonly state: Pick<WorldState, 'root'>;
}

const NO_MERGED_MINING = {
  header: new Uint8Array(0),
  coinbaseTransaction: new Uint8Array(0),
  merkleProof: new Uint8Array(0),
};

function receiptsOf(results: readonly ExecutionResult[]): Receipt[] {
  let cumulativeGasUsed = 0n;
  return results.map(({ outcome, gasUsed, effectiveGasPrice, logs, createdAddress }) => {
    cumulativeGasUsed += gasUsed;
    return {
      succeeded: outcome === 'success',
      cumulativeGasUsed,
      gasUsed,
      effectiveGasPrice,
      logs,
      logsBloom: bloomOf(logs),
      contractAddress: createdAddress,
    };
  });
}

function headerOf(unsealed: UnsealedBlock, receipts: readonly Receipt[], ruleSet: RuleSet): BlockHeader {
  const { parent, environment, extraData, transactions, results, state } = unsealed;
  const { encoding } = ruleSet;
  const { coinbase, difficulty, number, gasLimit, timestamp, minimumGasPrice, baseFeePerGas } = environment;
  const encodedReceipts = receipts.map((receipt, index) =>
    encodeReceipt(receipt, transactions[index]?.type ?? 0, encoding),
  );
  return {
    parentHash: parent.hash,
    unclesHash: unclesHash([], encoding),
    coinbase,
    stateRoot: state.root,
    transactionsRoot: orderedTrieRoot(transactions.map((transaction) => transaction.raw)),
    receiptsRoot: orderedTrieRoot(encodedReceipts),
    logsBloom: joinBlooms(receipts.map((receipt) => receipt.logsBloom)),
    difficulty,
    number,
    gasLimit,
    gasUsed: receipts.at(-1)?.cumulativeGasUsed ?? 0n,
    timestamp,
    extraData,
    paidFees: results.reduce(
      (fees, { gasUsed, effectiveGasPrice }) => fees + gasUsed * effectiveGasPrice,
      0n,
    ),
    minimumGasPrice,
    uncleCount: 0,
    mergedMining: NO_MERGED_MINING,
    ethereum: ethereumFields(ruleSet, { baseFeePerGas, mixHash: environment.prevRandao }),
  };
}

/** The finished block: receipts, roots, bloom, header, hash. */
export function sealBlock(unsealed: UnsealedBlock, ruleSet: RuleSet): Block {
  const receipts = receiptsOf(unsealed.results);
  const header = headerOf(unsealed, receipts, ruleSet);
  const body = { header, transactions: unsealed.transactions, uncles: [] };
  return {
    ...body,
    hash: headerHash(header, ruleSet.encoding),
    receipts,
    totalDifficulty: unsealed.parent.totalDifficulty + header.difficulty,
    size: encodeBlock(body, ruleSet.encoding).length,
  };
}
