import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { EMPTY_TRIE_ROOT } from '../state/trie/trie-node.ts';
import type { Kinds } from './field-kinds.ts';
import { EMPTY_BLOOM, logsOf, type Receipt } from './receipt.ts';
import type { Transaction } from './transaction.ts';

/** The merged-mining part of a header: how the parent chain vouches for it. Empty bytes when it does not. */
export interface MergedMining {
  /** The 80 bytes of the parent chain's header. */
  readonly header: Uint8Array;
  readonly coinbaseTransaction: Uint8Array;
  readonly merkleProof: Uint8Array;
}

/** The fields that Ethereum rule sets add to a header; `null` where the rule set does not have them. */
export interface EthereumHeaderFields {
  readonly baseFeePerGas: bigint | null;
  /** 32 bytes; the value of PREVRANDAO since Paris. */
  readonly mixHash: Uint8Array;
  /** Empty bytes in headers that Anvil before v0.3 made: they lack the root, and their hash has an empty one in its place. */
  readonly withdrawalsRoot: Uint8Array | null;
  readonly blobGasUsed: bigint | null;
  readonly excessBlobGas: bigint | null;
  readonly parentBeaconBlockRoot: Uint8Array | null;
  readonly requestsHash: Uint8Array | null;
  /** The hash of the access list of the block (EIP-7928). */
  readonly blockAccessListHash: Uint8Array | null;
  /** The slot of the consensus layer that the block is of (EIP-7843). */
  readonly slotNumber: bigint | null;
}

/** A block's header. Hashes and roots are 32 bytes, the coinbase 20, the bloom 256. */
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
  /** Wei per gas below which no transaction is included. */
  readonly minimumGasPrice: bigint;
  readonly uncleCount: number;
  readonly mergedMining: MergedMining;
  readonly ethereum: EthereumHeaderFields;
}

/** The fields of a header without its groups: those of merged mining and of Ethereum stand beside the header's own. */
export type FlatHeader = Omit<BlockHeader, 'mergedMining' | 'ethereum'> & MergedMining & EthereumHeaderFields;

/** The fields that both forms of a header begin with, in the order in which encodings and records have them. */
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

/** The fields of a header but for the two groups below. Those behind the shared ones are in the network's form alone. */
export const HEADER_FIELDS = {
  ...SHARED_FIELDS,
  paidFees: 'integer',
  minimumGasPrice: 'integer',
  uncleCount: 'count',
} as const satisfies Kinds<Omit<BlockHeader, 'mergedMining' | 'ethereum'>>;

/** The fields of {@link MergedMining}, as {@link HEADER_FIELDS} has the others. */
export const MERGED_MINING_FIELDS = {
  header: 'bytes',
  coinbaseTransaction: 'bytes',
  merkleProof: 'bytes',
} as const satisfies Kinds<MergedMining>;

/** The fields of {@link EthereumHeaderFields}, as {@link HEADER_FIELDS} has the others. */
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

/** The merged-mining part of a header that no parent chain vouches for. */
export const NO_MERGED_MINING: MergedMining = {
  header: EMPTY_BYTES,
  coinbaseTransaction: EMPTY_BYTES,
  merkleProof: EMPTY_BYTES,
};

/** The Ethereum fields of headers of rule sets that have none of them. */
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
 * The values of fields in headers whose maker gives none: those of a header in Ethereum's form, which does not have the
 * fields, and those of a new block where nothing decides them. Every field that is not shared by both forms has one;
 * the compiler asks for it where headers are read from Ethereum's form.
 */
export const HEADER_DEFAULTS = {
  paidFees: 0n,
  minimumGasPrice: 0n,
  uncleCount: 0,
  mergedMining: NO_MERGED_MINING,
  ethereum: NO_ETHEREUM_FIELDS,
} as const satisfies Partial<BlockHeader>;

/** The header fields of a block without transactions that follow from there being none. */
export const NO_TRANSACTIONS = {
  transactionsRoot: EMPTY_TRIE_ROOT,
  receiptsRoot: EMPTY_TRIE_ROOT,
  logsBloom: EMPTY_BLOOM,
  gasUsed: 0n,
  paidFees: 0n,
} as const satisfies Partial<BlockHeader>;

/** A block with its transactions and their receipts. */
export interface Block {
  readonly header: BlockHeader;
  readonly hash: Uint8Array;
  readonly transactions: readonly Transaction[];
  readonly receipts: readonly Receipt[];
  readonly uncles: readonly BlockHeader[];
  /** The sum of difficulties, uncles included, from the first block to this one. */
  readonly totalDifficulty: bigint;
  /** Bytes of the encoded block. */
  readonly size: number;
}

/** A block as the next one depends on it: not on its size. */
export type ParentBlock = Omit<Block, 'size'>;

/** Returns true where the header has a root of withdrawals, so that the block has a list of them, which is empty here. */
export function hasWithdrawals({ ethereum: { withdrawalsRoot } }: BlockHeader): boolean {
  return withdrawalsRoot !== null && withdrawalsRoot.length > 0;
}

/** A mined transaction and where it stands. */
export interface TransactionLocation {
  readonly block: Block;
  readonly index: number;
  readonly transaction: Transaction;
  readonly receipt: Receipt;
  /** The position of its first log in the block: how many the transactions before it made. */
  readonly firstLogIndex: number;
}

/** Returns the transaction at an index of a block, whose logs begin at that position; `undefined` when there is none. */
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

/** Returns the transactions of a block, in their order. */
export function locatedTransactions(block: Block): TransactionLocation[] {
  let logCount = 0;
  return block.transactions.flatMap((_transaction, index) => {
    const firstLogIndex = logCount;
    const receipt = block.receipts[index];
    if (receipt !== undefined) logCount += logsOf(receipt).length;
    return locatedTransaction(block, index, firstLogIndex) ?? [];
  });
}

/** Returns how many logs a block has. */
export function logCountOf({ receipts }: Block): number {
  let count = 0;
  for (const receipt of receipts) count += logsOf(receipt).length;
  return count;
}
