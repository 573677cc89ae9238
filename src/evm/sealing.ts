import { nextTurn } from '../primitives/interrupt.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { type Task, waitFor } from '../primitives/task.ts';
import { type Block, type BlockHeader, type MergedMining, NO_MERGED_MINING } from '../protocol/block.ts';
import { bloomOf, joinBlooms } from '../protocol/bloom.ts';
import { ethereumFields } from '../protocol/genesis.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { encodeBlock, headerHash, NetworkHeaderEncoding, unclesHash } from '../protocol/header-encoding.ts';
import { LocalWork } from '../protocol/local-work.ts';
import type { Receipt } from '../protocol/receipt.ts';
import { encodeReceipt } from '../protocol/receipt-encoding.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { orderedTrieRoot } from '../state/trie/trie-encoding.ts';
import type { WorldState } from '../state/world-state.ts';
import type { BlockEnvironment, ExecutionResult } from './engine.ts';

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
      (fees, { gasPaid, effectiveGasPrice }) => fees + gasPaid * effectiveGasPrice,
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

/** All of a block but what its proof of work has a part in. */
type BlockParts = Omit<Block, 'hash' | 'size'>;

function ethereumBlock(parts: BlockParts): Block {
  const { length: size } = encodeBlock(parts, 'ethereum');
  return { ...parts, hash: headerHash(parts.header, 'ethereum'), size };
}

function networkBlock(parts: BlockParts, encoding: NetworkHeaderEncoding, mergedMining: MergedMining): Block {
  const { length: size } = encodeBlock(parts, 'network', encoding.full(mergedMining));
  const header = { ...parts.header, mergedMining };
  return { ...parts, header, hash: keccak256(encoding.raw(mergedMining)), size };
}

function unprovenParts(unsealed: UnsealedBlock, ruleSet: RuleSet): BlockParts {
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
  const parts = unprovenParts(unsealed, ruleSet);
  if (ruleSet.encoding === 'ethereum') return ethereumBlock(parts);
  return withProof(parts, NO_MERGED_MINING);
}

/** The block of the network with that proof of work, and the hash and the size that it has with it. */
export function withProof(parts: BlockParts, mergedMining: MergedMining): Block {
  return networkBlock(parts, new NetworkHeaderEncoding(parts.header), mergedMining);
}

/**
 * The finished block: as {@link candidateBlock} gives it and, in the network's own encoding, with a proof of work, which is
 * always the same for the same block. If the search takes long, it waits for `pause` now and then, by default for a turn of
 * the event loop, so that others are heard; it ends with what `pause` rejects with.
 */
export function* sealBlock(
  unsealed: UnsealedBlock,
  ruleSet: RuleSet,
  pause: () => Promise<void> = nextTurn,
): Task<Block> {
  const parts = unprovenParts(unsealed, ruleSet);
  if (ruleSet.encoding === 'ethereum') return ethereumBlock(parts);
  const encoding = new NetworkHeaderEncoding(parts.header);
  const work = new LocalWork(encoding.hashForMergedMining(), parts.header.difficulty);
  let mergedMining = work.search(ATTEMPTS_PER_TURN);
  while (mergedMining === null) {
    yield* waitFor(pause());
    mergedMining = work.search(ATTEMPTS_PER_TURN);
  }
  return networkBlock(parts, encoding, mergedMining);
}

/** As {@link sealBlock}, but at once; a block that takes more work than goes unnoticed is left without proof. */
export function sealAtOnce(unsealed: UnsealedBlock, ruleSet: RuleSet): Block {
  const parts = unprovenParts(unsealed, ruleSet);
  if (ruleSet.encoding === 'ethereum') return ethereumBlock(parts);
  const { difficulty } = parts.header;
  const encoding = new NetworkHeaderEncoding(parts.header);
  const work = new LocalWork(encoding.hashForMergedMining(), difficulty);
  const proof = difficulty > LITTLE_DIFFICULTY ? null : work.search(Number.POSITIVE_INFINITY);
  return networkBlock(parts, encoding, proof ?? NO_MERGED_MINING);
}
