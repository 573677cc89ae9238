import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { EMPTY_TRIE_ROOT } from '../state/trie/trie-node.ts';
import type { Kinds } from './field-kinds.ts';
import { EMPTY_BLOOM, type FiledReceipt, type Log, logsOf, type Receipt } from './receipt.ts';
import type { Transaction } from './transaction.ts';

/** The merged-mining fields of a header. They are empty for a block without proof of work. */
export interface MergedMining {
  /** The 80 bytes of the parent chain's header. */
  readonly header: Uint8Array;
  readonly coinbaseTransaction: Uint8Array;
  readonly merkleProof: Uint8Array;
}

/** The header fields of Ethereum rule sets; `null` if the rule set lacks a field. */
export interface EthereumHeaderFields {
  readonly baseFeePerGas: bigint | null;
  /** 32 bytes; the value of PREVRANDAO from Paris on. */
  readonly mixHash: Uint8Array;
  /** Empty bytes in headers of Anvil before v0.3: the field is missing, but the hash includes it as empty. */
  readonly withdrawalsRoot: Uint8Array | null;
  readonly blobGasUsed: bigint | null;
  readonly excessBlobGas: bigint | null;
  readonly parentBeaconBlockRoot: Uint8Array | null;
  readonly requestsHash: Uint8Array | null;
  /** The hash of the block's access list (EIP-7928). */
  readonly blockAccessListHash: Uint8Array | null;
  /** The slot of the block on the consensus layer (EIP-7843). */
  readonly slotNumber: bigint | null;
}

/** Hashes and roots are 32 bytes, the coinbase 20, the bloom 256. */
export interface BlockHeader {
  readonly parentHash: Uint8Array;
  readonly unclesHash: Uint8Array;
  readonly coinbase: Uint8Array;
  readonly stateRoot: Uint8Array;
  readonly transactionsRoot: Uint8Array;
  readonly receiptsRoot: Uint8Array;
  readonly logsBloom: Uint8Array;
  readonly difficulty: bigint;
  readonly number: number;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly extraData: Uint8Array;
  /** Wei: the fees of all transactions of the block. */
  readonly paidFees: bigint;
  /** Minimum gas price of transactions in wei per gas. */
  readonly minimumGasPrice: bigint;
  readonly uncleCount: number;
  readonly mergedMining: MergedMining;
  readonly ethereum: EthereumHeaderFields;
}

/** The fields of a header with its two groups flattened. */
export type FlatHeader = Omit<BlockHeader, 'mergedMining' | 'ethereum'> & MergedMining & EthereumHeaderFields;

/** The first fields of both encodings of a header, in the order of encodings and records. */
export const SHARED_FIELDS = {
  parentHash: 'hash',
  unclesHash: 'hash',
  coinbase: 'address',
  stateRoot: 'hash',
  transactionsRoot: 'hash',
  receiptsRoot: 'hash',
  logsBloom: 'bloom',
  difficulty: 'integer',
  number: 'count',
  gasLimit: 'gas',
  gasUsed: 'gas',
  timestamp: 'count',
  extraData: 'bytes',
} as const satisfies Partial<Kinds<BlockHeader>>;

/** The fields of a header without its groups. Ethereum's encoding has only the shared fields. */
export const HEADER_FIELDS = {
  ...SHARED_FIELDS,
  paidFees: 'integer',
  minimumGasPrice: 'integer',
  uncleCount: 'count',
} as const satisfies Kinds<Omit<BlockHeader, 'mergedMining' | 'ethereum'>>;

/** The fields of {@link MergedMining}, as in {@link HEADER_FIELDS}. */
export const MERGED_MINING_FIELDS = {
  header: 'bytes',
  coinbaseTransaction: 'bytes',
  merkleProof: 'bytes',
} as const satisfies Kinds<MergedMining>;

/** The fields of {@link EthereumHeaderFields}, as in {@link HEADER_FIELDS}. */
export const ETHEREUM_FIELDS = {
  baseFeePerGas: 'optional integer',
  mixHash: 'hash',
  withdrawalsRoot: 'optional root',
  blobGasUsed: 'optional integer',
  excessBlobGas: 'optional integer',
  parentBeaconBlockRoot: 'optional hash',
  requestsHash: 'optional hash',
  blockAccessListHash: 'optional hash',
  slotNumber: 'optional integer',
} as const satisfies Kinds<EthereumHeaderFields>;

/** The merged-mining fields of a header without proof of work. */
export const NO_MERGED_MINING: MergedMining = {
  header: EMPTY_BYTES,
  coinbaseTransaction: EMPTY_BYTES,
  merkleProof: EMPTY_BYTES,
};

/** The Ethereum fields under rule sets without them. */
export const NO_ETHEREUM_FIELDS: EthereumHeaderFields = {
  baseFeePerGas: null,
  mixHash: new Uint8Array(32),
  withdrawalsRoot: null,
  blobGasUsed: null,
  excessBlobGas: null,
  parentBeaconBlockRoot: null,
  requestsHash: null,
  blockAccessListHash: null,
  slotNumber: null,
};

/**
 * Defaults for omitted fields: for decoded Ethereum headers, which lack these fields, and for new blocks.
 * Every field that is not shared by both encodings has a default; the type checks this in the decoder.
 */
export const HEADER_DEFAULTS = {
  paidFees: 0n,
  minimumGasPrice: 0n,
  uncleCount: 0,
  mergedMining: NO_MERGED_MINING,
  ethereum: NO_ETHEREUM_FIELDS,
} as const satisfies Partial<BlockHeader>;

/** The header fields of a block without transactions. */
export const NO_TRANSACTIONS = {
  transactionsRoot: EMPTY_TRIE_ROOT,
  receiptsRoot: EMPTY_TRIE_ROOT,
  logsBloom: EMPTY_BLOOM,
  gasUsed: 0n,
  paidFees: 0n,
} as const satisfies Partial<BlockHeader>;

/** A block with its transactions and receipts. */
export interface Block {
  readonly header: BlockHeader;
  readonly hash: Uint8Array;
  readonly transactions: readonly Transaction[];
  readonly receipts: readonly Receipt[];
  readonly uncles: readonly BlockHeader[];
  /** The sum of difficulties, including uncles, from genesis to this block. */
  readonly totalDifficulty: bigint;
  /** The size of the encoded block in bytes. */
  readonly size: number;
}

/** A block whose transactions are not decoded, and whose logs are read one by one. */
export interface FiledBlock extends Omit<Block, 'transactions' | 'receipts'> {
  readonly transactions: readonly Pick<Transaction, 'raw' | 'sender'>[];
  readonly receipts: readonly FiledReceipt[];
}

/** The parts of a block that are stored. */
export interface SealedBlock extends FiledBlock {
  readonly transactions: readonly Pick<Transaction, 'raw' | 'sender' | 'hash'>[];
}

/** Yields the logs of a block in order. */
export function* logsIn({ receipts }: Pick<FiledBlock, 'receipts'>): Generator<Log, void, undefined> {
  for (const receipt of receipts) yield* logsOf(receipt);
}

/** The parts of a block that the next block depends on. */
export type ParentBlock = Omit<Block, 'size'>;

/** Returns true if the header has a withdrawals root. The block then has an empty list of them. */
export function hasWithdrawals({ ethereum: { withdrawalsRoot } }: BlockHeader): boolean {
  return withdrawalsRoot !== null && withdrawalsRoot.length > 0;
}

/** A mined transaction with its location. */
export interface TransactionLocation {
  readonly block: Block;
  readonly index: number;
  readonly transaction: Transaction;
  readonly receipt: Receipt;
  /** The block index of its first log. */
  readonly firstLogIndex: number;
}

/** Returns the transaction at an index of a block; `undefined` if absent. */
export function locatedTransaction(
  block: Block,
  index: number,
  firstLogIndex: number,
): TransactionLocation | undefined {
  const transaction = block.transactions[index];
  const receipt = block.receipts[index];
  return transaction === undefined || receipt === undefined
    ? undefined
    : { block, index, transaction, receipt, firstLogIndex };
}

/** Returns the transactions of a block in order. */
export function locatedTransactions(block: Block): TransactionLocation[] {
  let logCount = 0;
  return block.transactions.flatMap((_transaction, index) => {
    const firstLogIndex = logCount;
    const receipt = block.receipts[index];
    if (receipt !== undefined) logCount += logsOf(receipt).length;
    return locatedTransaction(block, index, firstLogIndex) ?? [];
  });
}

/** Returns the number of logs of a block. */
export function logCountOf({ receipts }: FiledBlock): number {
  let count = 0;
  for (const receipt of receipts) count += logsOf(receipt).length;
  return count;
}
