import { type CheckInterrupt, uninterrupted } from '../primitives/interrupt.ts';
import { nextTurn } from '../primitives/next-turn.ts';
import type { Block, BlockHeader, MergedMining } from '../rules/block.ts';
import { bloomOf, joinBlooms } from '../rules/bloom.ts';
import { ethereumFields } from '../rules/genesis.ts';
import { encodeBlock, hashForMergedMining, headerHash, unclesHash } from '../rules/header-encoding.ts';
import type { Receipt } from '../rules/receipt.ts';
import { encodeReceipt } from '../rules/receipt-encoding.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import type { Transaction } from '../rules/transaction.ts';
import { orderedTrieRoot } from '../state/ordered-trie.ts';
import type { WorldState } from '../state/world-state.ts';
import type { BlockEnvironment, ExecutionResult } from './engine.ts';
import { LocalWork } from './local-work.ts';

/** A block whose transactions have run. */
export interface UnsealedBlock {
  readonly parent: Pick<Block, 'hash' | 'totalDifficulty'>;
  readonly environment: BlockEnvironment;
  readonly extraData: Uint8Array;
  readonly uncles: readonly BlockHeader[];
  readonly transactions: readonly Transaction[];
  /** How each of the transactions ran. */
  readonly results: readonly ExecutionResult[];
  /** The state after the last of them. */
  readonly state: Pick<WorldState, 'root'>;
}

const NO_MERGED_MINING: MergedMining = {
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
  const { parent, environment, extraData, uncles, transactions, results, state } = unsealed;
  const { encoding } = ruleSet;
  const { coinbase, difficulty, number, gasLimit, timestamp, minimumGasPrice, baseFeePerGas } = environment;
  const encodedReceipts = receipts.map((receipt, index) =>
    encodeReceipt(receipt, transactions[index]?.type ?? 0, encoding),
  );
  return {
    parentHash: parent.hash,
    unclesHash: unclesHash(uncles, encoding),
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
    uncleCount: uncles.length,
    mergedMining: NO_MERGED_MINING,
    ethereum: ethereumFields(ruleSet, { baseFeePerGas, mixHash: environment.prevRandao }),
  };
}

/** How many nonces are tried before the event loop gets its turn: a few milliseconds. */
const ATTEMPTS_PER_TURN = 4_096;
/** Up to this difficulty a block is sealed in a time that nobody notices. */
const LITTLE_DIFFICULTY = 256n;

/** A block with its hash and size, which the proof of work is part of. */
function blockOf(parts: Omit<Block, 'hash' | 'size'>, { encoding }: RuleSet): Block {
  return { ...parts, hash: headerHash(parts.header, encoding), size: encodeBlock(parts, encoding).length };
}

function unprovenParts(unsealed: UnsealedBlock, ruleSet: RuleSet): Omit<Block, 'hash' | 'size'> {
  const receipts = receiptsOf(unsealed.results);
  const header = headerOf(unsealed, receipts, ruleSet);
  return {
    header,
    transactions: unsealed.transactions,
    uncles: unsealed.uncles,
    receipts,
    totalDifficulty: unsealed.uncles.reduce(
      (sum, uncle) => sum + uncle.difficulty,
      unsealed.parent.totalDifficulty + header.difficulty,
    ),
  };
}

/** The block without proof of work: receipts, roots, bloom, header. Its hash is not the one that it gets with a proof. */
export function candidateBlock(unsealed: UnsealedBlock, ruleSet: RuleSet): Block {
  return blockOf(unprovenParts(unsealed, ruleSet), ruleSet);
}

/** The block with that proof of work, and the hash and the size that it has with it. */
export function withProof(block: Block, mergedMining: MergedMining, ruleSet: RuleSet): Block {
  return blockOf({ ...block, header: { ...block.header, mergedMining } }, ruleSet);
}

/** The work on a block of the network. */
function workOn(header: BlockHeader): LocalWork {
  return new LocalWork(hashForMergedMining(header), header.difficulty);
}

/**
 * The finished block: as {@link candidateBlock} gives it and, in the network's own encoding, with a proof of work, which is
 * always the same for the same block. Others are heard while it is searched for. Rejects with what `checkInterrupt`
 * throws, which is asked now and then.
 */
export async function sealBlock(
  unsealed: UnsealedBlock,
  ruleSet: RuleSet,
  checkInterrupt: CheckInterrupt = uninterrupted,
): Promise<Block> {
  const parts = unprovenParts(unsealed, ruleSet);
  if (ruleSet.encoding === 'ethereum') return blockOf(parts, ruleSet);
  const work = workOn(parts.header);
  let mergedMining = work.search(ATTEMPTS_PER_TURN);
  while (mergedMining === null) {
    await nextTurn();
    checkInterrupt();
    mergedMining = work.search(ATTEMPTS_PER_TURN);
  }
  return blockOf({ ...parts, header: { ...parts.header, mergedMining } }, ruleSet);
}

/** As {@link sealBlock}, but at once; a block that takes more work than goes unnoticed is left without proof. */
export function sealAtOnce(unsealed: UnsealedBlock, ruleSet: RuleSet): Block {
  const parts = unprovenParts(unsealed, ruleSet);
  const { header } = parts;
  if (ruleSet.encoding === 'ethereum' || header.difficulty > LITTLE_DIFFICULTY)
    return blockOf(parts, ruleSet);
  const mergedMining = workOn(header).search(Number.POSITIVE_INFINITY) ?? NO_MERGED_MINING;
  return blockOf({ ...parts, header: { ...header, mergedMining } }, ruleSet);
}
