// The environment of code in a block that is not sealed yet, and the sealed block that its executed transactions make.

import { createHash } from 'node:crypto';
import { blockGasUsed } from '../evm/admission.ts';
import type { BlockEnvironment, ExecutionResult, UncalledBlocks } from '../evm/engine.ts';
import { joinBytes } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { blobBaseFee, blobGasOf } from '../protocol/blobs.ts';
import {
  type Block,
  type BlockHeader,
  type MergedMining,
  NO_MERGED_MINING,
  NO_TRANSACTIONS,
} from '../protocol/block.ts';
import type { Encoding } from '../protocol/field-kinds.ts';
import {
  ethereumFields,
  localBeaconRoot,
  localPrevRandao,
  localSlotNumber,
  NO_REQUESTS_HASH,
} from '../protocol/genesis.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { blockSize, encodeHeader, NetworkHeaderEncoding, unclesHash } from '../protocol/header-encoding.ts';
import { LocalWork } from '../protocol/merged-mining/proof-of-work.ts';
import {
  BloomMaker,
  encodeReceipt,
  encodeReceiptInPieces,
  isEncodedInPieces,
  type Log,
  type Receipt,
} from '../protocol/receipt.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { nextTurn } from '../scheduling/interrupt.ts';
import { type Task, waitFor } from '../scheduling/task.ts';
import { inOnePiece, type WorkPieces } from '../scheduling/work-pieces.ts';
import { orderedTrieRootInPieces, orderedTrieRootOf, SHORT_VALUE } from '../state/trie/ordered-trie.ts';
import type { WorldState } from '../state/world-state.ts';

/** The properties of a block that are fixed before its transactions run and visible to their code. */
export interface EnvironmentTemplate {
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly coinbase: Uint8Array;
  readonly gasLimit: bigint;
  /** Wei per gas. */
  readonly minimumGasPrice: bigint;
  /** Wei per gas; `null` under rule sets without a base fee. */
  readonly baseFeePerGas: bigint | null;
  /** `null` under rule sets without blobs (EIP-4844). */
  readonly excessBlobGas: bigint | null;
  /** 32 bytes; `null` for the value that follows from the parent. Without meaning before proof of stake. */
  readonly prevRandao: Uint8Array | null;
  /** 32 bytes; `null` for zeros. Without meaning before EIP-4788. */
  readonly parentBeaconBlockRoot: Uint8Array | null;
  /** `null` for that of a local block. Without meaning before EIP-7843. */
  readonly slotNumber: bigint | null;
  /** Returns the hash of a block up to the parent. */
  blockHash(number: number): Uint8Array;
  /** Returns the block with that number, up to the parent; `undefined` for a missing one, such as below a fork. */
  readonly ancestor: (number: number) => Block | undefined;
  /** The blocks right before this one in which the protocol made no calls; absent when there are none. */
  readonly uncalled?: UncalledBlocks | undefined;
}

/** Returns the environment of the block with that number, built from the template on top of the parent. */
export function blockEnvironment(
  ruleSet: RuleSet,
  template: EnvironmentTemplate,
  number: number,
  parentHash: Uint8Array,
): BlockEnvironment {
  return {
    number,
    timestamp: template.timestamp,
    coinbase: template.coinbase,
    difficulty: ruleSet.difficulty,
    gasLimit: template.gasLimit,
    minimumGasPrice: template.minimumGasPrice,
    baseFeePerGas: template.baseFeePerGas,
    excessBlobGas: template.excessBlobGas,
    blobBaseFee: blobBaseFee(template.excessBlobGas, ruleSet.blobs),
    prevRandao: template.prevRandao ?? localPrevRandao(ruleSet, parentHash),
    parentBeaconBlockRoot: localBeaconRoot(ruleSet, template.parentBeaconBlockRoot),
    slotNumber: ruleSet.hasSlotNumbers ? (template.slotNumber ?? localSlotNumber(ruleSet, number)) : null,
    blockHash: template.blockHash,
    ancestor: template.ancestor,
    uncalled: template.uncalled,
  };
}

/** A block whose transactions have been executed. */
export interface UnsealedBlock {
  readonly parent: Pick<Block, 'hash' | 'totalDifficulty'>;
  readonly environment: BlockEnvironment;
  readonly extraData: Uint8Array;
  readonly uncles: readonly BlockHeader[];
  readonly transactions: readonly Transaction[];
  /** The results of the transactions, in order. */
  readonly results: readonly ExecutionResult[];
  /** The requests that the contracts of the protocol returned after them (EIP-7685), each with its type before it. */
  readonly requests: readonly Uint8Array[];
  /** 32 bytes: the hash of the access list of the block (EIP-7928); `null` under rule sets without one. */
  readonly accessListHash: Uint8Array | null;
  /** The state after the block. */
  readonly state: Pick<WorldState, 'root'>;
}

/** Returns the hash of the requests of a block (EIP-7685), 32 bytes. */
export function requestsHash(requests: readonly Uint8Array[]): Uint8Array {
  if (requests.length === 0) return NO_REQUESTS_HASH;
  const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
  return new Uint8Array(sha256(joinBytes(requests.map(sha256))));
}

/** Units of work for a receipt, and for a log in it besides its data. */
const RECEIPT_WORK = 256;

/** Units of work for the logs of a receipt. */
function logWork(logs: readonly Log[]): number {
  if (logs.length === 0) return 0;
  let work = RECEIPT_WORK * logs.length;
  for (const { data } of logs) work += data.length;
  return work;
}

/** Logs whose bloom is made at once. */
const LOGS_AT_ONCE = 256;

function* receiptsOf(
  results: readonly ExecutionResult[],
  blooms: BloomMaker,
  pieces: WorkPieces,
): Task<Receipt[]> {
  let cumulativeGasUsed = 0n;
  const receipts: Receipt[] = [];
  for (const { outcome, gasUsed, effectiveGasPrice, logs, createdAddress } of results) {
    cumulativeGasUsed += gasUsed;
    receipts.push({
      succeeded: outcome === 'success',
      cumulativeGasUsed,
      gasUsed,
      effectiveGasPrice,
      logs,
      logsBloom: logs.length <= LOGS_AT_ONCE ? blooms.add(logs) : yield* blooms.addInPieces(logs, pieces),
      contractAddress: createdAddress,
    });
    // Code that made long logs has just held the event loop for their bytes.
    const turn = pieces.spend(RECEIPT_WORK + logWork(logs));
    if (turn !== undefined) yield turn;
  }
  return receipts;
}

/** Returns what encodes the receipt at an index; a short encoding is there until the next is asked for. Many logs are encoded in pieces. */
function receiptEncoder(
  receipts: readonly Receipt[],
  transactions: readonly Transaction[],
  encoding: Encoding,
  pieces: WorkPieces,
): (index: number) => Uint8Array | Task<Uint8Array> {
  const scratch = new Uint8Array(SHORT_VALUE);
  return (index) => {
    const receipt = receipts[index];
    if (receipt === undefined) throw new RangeError(`receipt ${index} does not exist`);
    const type = transactions[index]?.type ?? 0;
    return isEncodedInPieces(receipt)
      ? encodeReceiptInPieces(receipt, type, encoding, pieces)
      : encodeReceipt(receipt, type, encoding, scratch);
  };
}

/** The receipts of a block, and the fields of its header that follow from its transactions. */
interface Executed {
  readonly receipts: readonly Receipt[];
  readonly fields: Pick<BlockHeader, keyof typeof NO_TRANSACTIONS>;
}

/** As {@link executedOf} without transactions: an empty block, of which chains have many, hashes nothing for them. */
const NOTHING_EXECUTED: Executed = { receipts: [], fields: NO_TRANSACTIONS };

function* executedOf(
  { transactions, results }: UnsealedBlock,
  ruleSet: RuleSet,
  pieces: WorkPieces,
): Task<Executed> {
  const blooms = new BloomMaker();
  const receipts = yield* receiptsOf(results, blooms, pieces);
  const encodedTransactions = transactions.map((transaction) => transaction.raw);
  const transactionsRoot = yield* orderedTrieRootInPieces(encodedTransactions, pieces);
  const encoded = receiptEncoder(receipts, transactions, ruleSet.encoding, pieces);
  const receiptsRoot = yield* orderedTrieRootOf(receipts.length, encoded, pieces);
  let paidFees = 0n;
  for (const { gasPaid, effectiveGasPrice } of results) paidFees += gasPaid * effectiveGasPrice;
  const gasUsed = blockGasUsed(ruleSet, results);
  return {
    receipts,
    fields: { transactionsRoot, receiptsRoot, logsBloom: blooms.joined, gasUsed, paidFees },
  };
}

function headerOf(unsealed: UnsealedBlock, executed: Executed['fields'], ruleSet: RuleSet): BlockHeader {
  const { parent, environment, extraData, uncles, transactions, state } = unsealed;
  const { coinbase, difficulty, number, gasLimit, timestamp, minimumGasPrice, baseFeePerGas } = environment;
  const { transactionsRoot, receiptsRoot, logsBloom, gasUsed, paidFees } = executed;
  let blobGasUsed = 0n;
  for (const transaction of transactions) blobGasUsed += blobGasOf(transaction);
  // No spread of defaults: before Node 24, one whose members are given again takes V8 some 5 us.
  return {
    parentHash: parent.hash,
    unclesHash: unclesHash(uncles, ruleSet.encoding),
    coinbase,
    stateRoot: state.root,
    transactionsRoot,
    receiptsRoot,
    logsBloom,
    difficulty,
    number,
    gasLimit,
    gasUsed,
    timestamp,
    extraData,
    paidFees,
    minimumGasPrice,
    uncleCount: uncles.length,
    mergedMining: NO_MERGED_MINING,
    ethereum: ethereumFields(ruleSet, {
      baseFeePerGas,
      mixHash: environment.prevRandao,
      parentBeaconBlockRoot: environment.parentBeaconBlockRoot,
      requestsHash: requestsHash(unsealed.requests),
      blockAccessListHash: unsealed.accessListHash,
      slotNumber: environment.slotNumber,
      excessBlobGas: environment.excessBlobGas,
      blobGasUsed,
    }),
  };
}

/** The number of nonces that are tried before yielding to the event loop: a few milliseconds. */
const ATTEMPTS_PER_TURN = 4_096;
/** Up to this difficulty the search is so short that it can be synchronous. */
const LITTLE_DIFFICULTY = 256n;

/** A block without the fields that its proof of work decides. */
type UnprovenBlock = Omit<Block, 'hash' | 'size'>;

function ethereumBlock(parts: UnprovenBlock): Block {
  const encoded = encodeHeader(parts.header, 'ethereum');
  const size = blockSize(parts, 'ethereum', encoded.length);
  return Object.assign({}, parts, { hash: keccak256(encoded), size });
}

function networkBlock(
  parts: UnprovenBlock,
  encoding: NetworkHeaderEncoding,
  mergedMining: MergedMining,
): Block {
  const size = blockSize(parts, 'network', encoding.fullLength(mergedMining));
  const header = { ...parts.header, mergedMining };
  // Before Node 24, each member that stands behind a spread takes V8 0.4 us; a candidate has hash and size already.
  return Object.assign({}, parts, { header, hash: keccak256(encoding.raw(mergedMining)), size });
}

function* unprovenParts(unsealed: UnsealedBlock, ruleSet: RuleSet, pieces: WorkPieces): Task<UnprovenBlock> {
  const { transactions, uncles, results, parent } = unsealed;
  const { receipts, fields } =
    results.length === 0 ? NOTHING_EXECUTED : yield* executedOf(unsealed, ruleSet, pieces);
  const header = headerOf(unsealed, fields, ruleSet);
  let totalDifficulty = parent.totalDifficulty + header.difficulty;
  for (const uncle of uncles) totalDifficulty += uncle.difficulty;
  return { header, transactions, uncles, receipts, totalDifficulty };
}

/** Returns all of the block that its proof of work does not decide: receipts, roots, bloom, header. */
export function unprovenBlock(unsealed: UnsealedBlock, ruleSet: RuleSet): UnprovenBlock {
  return inOnePiece((pieces) => unprovenParts(unsealed, ruleSet, pieces));
}

/** Returns the block without proof of work, in pieces. Its hash differs from the one with a proof. */
export function* candidateBlockInPieces(
  unsealed: UnsealedBlock,
  ruleSet: RuleSet,
  pieces: WorkPieces,
): Task<Block> {
  const parts = yield* unprovenParts(unsealed, ruleSet, pieces);
  if (ruleSet.encoding === 'ethereum') return ethereumBlock(parts);
  return withProof(parts, NO_MERGED_MINING);
}

/** The block of the network with that proof of work, and the hash and the size that it has with it. */
export function withProof(parts: UnprovenBlock, mergedMining: MergedMining): Block {
  return networkBlock(parts, new NetworkHeaderEncoding(parts.header), mergedMining);
}

/**
 * Returns the finished block: that of {@link candidateBlockInPieces} and, in the network's own encoding, with a proof of work,
 * which is always the same for the same block. A large block is made in `pieces`. A long search waits for `pause` now
 * and then, by default for a turn of the event loop, so that other work runs; it ends with the rejection of `pause`.
 */
export function* sealBlock(
  unsealed: UnsealedBlock,
  ruleSet: RuleSet,
  pieces: WorkPieces,
  pause: () => Promise<void> = nextTurn,
): Task<Block> {
  const parts = yield* unprovenParts(unsealed, ruleSet, pieces);
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

/** Same as {@link sealBlock}, but synchronous; a block of a higher difficulty gets no proof of work. */
export function sealAtOnce(unsealed: UnsealedBlock, ruleSet: RuleSet): Block {
  const parts = unprovenBlock(unsealed, ruleSet);
  if (ruleSet.encoding === 'ethereum') return ethereumBlock(parts);
  const { difficulty } = parts.header;
  const encoding = new NetworkHeaderEncoding(parts.header);
  const work = new LocalWork(encoding.hashForMergedMining(), difficulty);
  const proof = difficulty > LITTLE_DIFFICULTY ? null : work.search(Number.POSITIVE_INFINITY);
  return networkBlock(parts, encoding, proof ?? NO_MERGED_MINING);
}
