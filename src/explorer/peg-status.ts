/** The result of `peg_status`. Amounts are in satoshi. Bitcoin's hashes have 64 digits. */

export interface ParentBlock {
  readonly number: number;
  readonly hash: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly transactionCount: number;
}

/** A transaction of the parent chain that the Bridge has not processed. */
export interface Deposit {
  readonly txid: string;
  readonly satoshis: number;
  readonly confirmations: number;
  readonly requiredConfirmations: number;
  /** True if the Bridge rejects it without a refund. */
  readonly isRejected: boolean;
}

/** A request that no Bitcoin transaction pays yet. */
export interface QueuedPegout {
  /** The hash of the request's transaction on Rootstock. */
  readonly hash: string;
  readonly address: string;
  readonly satoshis: number;
  /** The block that can create the payment. */
  readonly nextBlock: number;
}

/** A payment that waits for blocks on Rootstock, or for signatures. */
export interface WaitingPegout {
  /** The hash of the transaction on Rootstock that created the payment. */
  readonly hash: string;
  readonly txid: string;
  readonly satoshis: number;
  /** `null` if the payment waits for signatures. */
  readonly confirmations: number | null;
  readonly requiredConfirmations: number;
  /** The members that signed: their addresses on Rootstock. */
  readonly signers: readonly string[];
}

export interface PegStatus {
  readonly parentChain: {
    readonly number: number;
    readonly hash: string;
    /** The latest blocks, newest first. */
    readonly blocks: readonly ParentBlock[];
    /** The ids of the transactions without block. */
    readonly mempool: readonly string[];
  };
  /** The best header of the parent chain in the Bridge. */
  readonly bridge: { readonly number: number; readonly hash: string };
  readonly federation: {
    readonly members: readonly string[];
    readonly threshold: number;
    /** True if the built-in federate runs. */
    readonly hasFederate: boolean;
  };
  readonly utxos: readonly {
    readonly txid: string;
    readonly vout: number;
    readonly satoshis: number;
    readonly confirmations: number;
  }[];
  readonly deposits: readonly Deposit[];
  readonly queue: readonly QueuedPegout[];
  readonly pegouts: readonly WaitingPegout[];
}
