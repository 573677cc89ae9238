import type { Receipt } from './receipt.ts';
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

/** A block with everything that is known of it. */
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

/** True where the header has a root of withdrawals, so that the block has a list of them, which is empty here. */
export function hasWithdrawals({ ethereum: { withdrawalsRoot } }: BlockHeader): boolean {
  return withdrawalsRoot !== null && withdrawalsRoot.length > 0;
}
