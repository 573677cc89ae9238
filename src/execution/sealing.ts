// The environment of an unsealed block, and sealing it after its transactions were executed.

import { createHash } from 'node:crypto';
import { blockGasUsed } from '../evm/admission.ts';
import type { BlockEnvironment, BlocksWithoutCalls, ExecutionResult } from '../evm/engine.ts';
import { joinBytes } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { finish, type Steps, WORK_PER_STEP } from '../primitives/steps.ts';
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
import { blockSize, encodeHeader, RootstockHeaderEncoding, unclesHash } from '../protocol/header-encoding.ts';
import { type CreateWork, createLocalWork, LocalWork } from '../protocol/merged-mining/proof-of-work.ts';
import { BloomMaker, EMPTY_BLOOM, encodeReceipt, type Log, type Receipt } from '../protocol/receipt.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { nextIteration } from '../scheduling/cancel-check.ts';
import { type Task, waitFor } from '../scheduling/task.ts';
import { orderedTrieRoot, orderedTrieRootOf, SHORT_VALUE } from '../state/trie/ordered-trie.ts';
import type { WorldState } from '../state/world-state.ts';

/** The block properties that are fixed before its transactions run and that their code can read. */
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
  /** 32 bytes; `null` to derive it from the parent. Unused before Paris. */
  readonly prevRandao: Uint8Array | null;
  /** 32 bytes; `null` for zeros. Unused before EIP-4788. */
  readonly parentBeaconBlockRoot: Uint8Array | null;
  /** `null` for the slot number of a local block. Unused before EIP-7843. */
  readonly slotNumber: bigint | null;
  /** Returns the hash of an ancestor; the parent is the last one. */
  blockHash(number: number): Uint8Array;
  /** Returns an ancestor up to the parent; `undefined` if missing, for example below a fork. */
  readonly ancestor: (number: number) => Block | undefined;
  /** The preceding blocks without system calls; undefined if there are none. */
  readonly uncalled?: BlocksWithoutCalls | undefined;
}

/** Builds the environment of a block from the template and its parent. */
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

/** A block with executed transactions. */
export interface UnsealedBlock {
  readonly parent: Pick<Block, 'hash' | 'totalDifficulty'>;
  readonly environment: BlockEnvironment;
  readonly extraData: Uint8Array;
  readonly uncles: readonly BlockHeader[];
  readonly transactions: readonly Transaction[];
  /** The results of the transactions, in order. */
  readonly results: readonly ExecutionResult[];
  /** The requests of the system contracts (EIP-7685), each prefixed with its type. */
  readonly requests: readonly Uint8Array[];
  /** 32 bytes: the hash of the access list (EIP-7928); `null` under rule sets without access lists. */
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

/** Work units of a receipt, and of a log without its data. */
const RECEIPT_WORK = 256;

/** Returns the work units of the logs of a receipt. */
function logWork(logs: readonly Log[]): number {
  if (logs.length === 0) return 0;
  let work = RECEIPT_WORK * logs.length;
  for (const { data } of logs) work += data.length;
  return work;
}

function* receiptsOf(results: readonly ExecutionResult[], blooms: BloomMaker): Steps<Receipt[]> {
  let cumulativeGasUsed = 0n;
  let work = 0;
  const receipts: Receipt[] = [];
  for (const { outcome, gasUsed, effectiveGasPrice, logs, createdAddress } of results) {
    cumulativeGasUsed += gasUsed;
    receipts.push({
      succeeded: outcome === 'success',
      cumulativeGasUsed,
      gasUsed,
      effectiveGasPrice,
      logs,
      logsBloom: logs.length === 0 ? EMPTY_BLOOM : yield* blooms.add(logs),
      contractAddress: createdAddress,
    });
    // Code that emitted long logs has just blocked the event loop in proportion to their size.
    work += RECEIPT_WORK + logWork(logs);
    if (work >= WORK_PER_STEP) {
      yield work;
      work = 0;
    }
  }
  return receipts;
}

/** A buffer for short receipts. Each one is hashed before the next one is encoded. */
const ENCODED_RECEIPT = new Uint8Array(SHORT_VALUE);

/** Returns an encoder of receipts by index. A short encoding is valid until the next call. */
function receiptEncoder(
  receipts: readonly Receipt[],
  transactions: readonly Transaction[],
  encoding: Encoding,
): (index: number) => Steps<Uint8Array> {
  return (index) => {
    const receipt = receipts[index];
    if (receipt === undefined) throw new RangeError(`receipt ${index} does not exist`);
    const type = transactions[index]?.type ?? 0;
    return encodeReceipt(receipt, type, encoding, ENCODED_RECEIPT);
  };
}

/** The receipts of a block, and the header fields derived from its transactions. */
interface Executed {
  readonly receipts: readonly Receipt[];
  readonly fields: Pick<BlockHeader, keyof typeof NO_TRANSACTIONS>;
}

/** The result of {@link executedOf} without transactions, so that empty blocks compute no hashes. */
const NOTHING_EXECUTED: Executed = { receipts: [], fields: NO_TRANSACTIONS };

function* executedOf({ transactions, results }: UnsealedBlock, ruleSet: RuleSet): Steps<Executed> {
  const blooms = new BloomMaker();
  const receipts = yield* receiptsOf(results, blooms);
  const encodedTransactions = transactions.map((transaction) => transaction.raw);
  const transactionsRoot = yield* orderedTrieRoot(encodedTransactions);
  const encoded = receiptEncoder(receipts, transactions, ruleSet.encoding);
  const receiptsRoot = yield* orderedTrieRootOf(receipts.length, encoded);
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
  // No object spread of defaults: before Node 24, V8 takes some 5 us for a spread whose members are
  // overridden.
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

/** Nonces to try between two yields (a few milliseconds). */
const ATTEMPTS_PER_TURN = 4_096;
/** Up to this difficulty, the search is short enough to be synchronous. */
const LITTLE_DIFFICULTY = 256n;

/** A block without the fields that depend on its proof of work. */
type UnprovenBlock = Omit<Block, 'hash' | 'size'>;

function ethereumBlock(parts: UnprovenBlock): Block {
  const encoded = encodeHeader(parts.header, 'ethereum');
  const size = blockSize(parts, 'ethereum', encoded.length);
  return Object.assign({}, parts, { hash: keccak256(encoded), size });
}

function networkBlock(
  parts: UnprovenBlock,
  encoding: RootstockHeaderEncoding,
  mergedMining: MergedMining,
): Block {
  const size = blockSize(parts, 'network', encoding.fullLength(mergedMining));
  const header = { ...parts.header, mergedMining };
  // No object spread: before Node 24, V8 takes 0.4 us for each member after a spread.
  return Object.assign({}, parts, { header, hash: keccak256(encoding.raw(mergedMining)), size });
}

function* unprovenParts(unsealed: UnsealedBlock, ruleSet: RuleSet): Steps<UnprovenBlock> {
  const { transactions, uncles, results, parent } = unsealed;
  const { receipts, fields } = results.length === 0 ? NOTHING_EXECUTED : yield* executedOf(unsealed, ruleSet);
  const header = headerOf(unsealed, fields, ruleSet);
  let totalDifficulty = parent.totalDifficulty + header.difficulty;
  for (const uncle of uncles) totalDifficulty += uncle.difficulty;
  return { header, transactions, uncles, receipts, totalDifficulty };
}

/** Returns the parts of the block that its proof of work does not change: receipts and header. */
export function unprovenBlock(unsealed: UnsealedBlock, ruleSet: RuleSet): UnprovenBlock {
  return finish(unprovenParts(unsealed, ruleSet));
}

/** Returns the block without proof of work, in time slices. Its hash differs from the hash with a proof. */
export function* candidateBlock(unsealed: UnsealedBlock, ruleSet: RuleSet): Steps<Block> {
  const parts = yield* unprovenParts(unsealed, ruleSet);
  if (ruleSet.encoding === 'ethereum') return ethereumBlock(parts);
  return withProof(parts, NO_MERGED_MINING);
}

/** Returns a Rootstock block with this proof of work, and its hash and size. */
export function withProof(parts: UnprovenBlock, mergedMining: MergedMining): Block {
  return networkBlock(parts, new RootstockHeaderEncoding(parts.header), mergedMining);
}

/**
 * Returns the sealed block. A block in Rootstock's encoding gets a deterministic proof of work. A large
 * block is built in time slices. A long search awaits `pause` regularly (default: a turn of the event
 * loop) and rejects if `pause` rejects. `createWork` creates the parent chain's block for the proof.
 */
export function* sealBlock(
  unsealed: UnsealedBlock,
  ruleSet: RuleSet,
  pause: () => Promise<void> = nextIteration,
  createWork: CreateWork = createLocalWork,
): Task<Block> {
  return yield* provenBlock(yield* unprovenParts(unsealed, ruleSet), ruleSet, pause, createWork);
}

function* provenBlock(
  parts: UnprovenBlock,
  ruleSet: RuleSet,
  pause: () => Promise<void> = nextIteration,
  createWork: CreateWork = createLocalWork,
): Task<Block> {
  if (ruleSet.encoding === 'ethereum') return ethereumBlock(parts);
  const encoding = new RootstockHeaderEncoding(parts.header);
  const work = createWork(encoding.hashForMergedMining(), parts.header.difficulty);
  let mergedMining = work.search(ATTEMPTS_PER_TURN);
  while (mergedMining === null) {
    yield* waitFor(pause());
    mergedMining = work.search(ATTEMPTS_PER_TURN);
  }
  return networkBlock(parts, encoding, mergedMining);
}

/** The place of a block in a chain, and the parts of its header that depend on the place. */
export interface BlockPlace {
  readonly parent: Pick<Block, 'hash' | 'totalDifficulty'>;
  readonly number: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** 32 bytes: the root of the state after the block. */
  readonly stateRoot: Uint8Array;
  /** The last transaction at this place (see `BlockClosing`); `null` to keep all transactions. */
  readonly closing: Transaction | null;
}

/**
 * Returns the block at another place of the chain, with the same transactions (except for its closing one)
 * and receipts, without an execution. A block in Rootstock's encoding gets a new proof of work.
 */
export function* sealAgain(block: Block, place: BlockPlace, ruleSet: RuleSet): Task<Block> {
  const { parent, number, timestamp, stateRoot, closing } = place;
  const { header, receipts, uncles } = block;
  const transactions = closing === null ? block.transactions : [...block.transactions.slice(0, -1), closing];
  const transactionsRoot =
    closing === null
      ? header.transactionsRoot
      : yield* orderedTrieRoot(transactions.map((transaction) => transaction.raw));
  const { slotNumber } = header.ethereum;
  const ethereum =
    slotNumber === null
      ? header.ethereum
      : { ...header.ethereum, slotNumber: localSlotNumber(ruleSet, number) };
  const placed = { parentHash: parent.hash, number, timestamp, stateRoot, transactionsRoot, ethereum };
  let totalDifficulty = parent.totalDifficulty + header.difficulty;
  for (const uncle of uncles) totalDifficulty += uncle.difficulty;
  return yield* provenBlock(
    { header: { ...header, ...placed }, transactions, uncles, receipts, totalDifficulty },
    ruleSet,
  );
}

/** Like {@link sealBlock}, but synchronous. A block with a high difficulty gets no proof of work. */
export function sealSync(unsealed: UnsealedBlock, ruleSet: RuleSet): Block {
  const parts = unprovenBlock(unsealed, ruleSet);
  if (ruleSet.encoding === 'ethereum') return ethereumBlock(parts);
  const { difficulty } = parts.header;
  const encoding = new RootstockHeaderEncoding(parts.header);
  const work = new LocalWork(encoding.hashForMergedMining(), difficulty);
  const proof = difficulty > LITTLE_DIFFICULTY ? null : work.search(Number.POSITIVE_INFINITY);
  return networkBlock(parts, encoding, proof ?? NO_MERGED_MINING);
}
