/** The result of `peg_status`. Amounts are in satoshi, decimal. Ids have 64 digits. */

/** An unspent output of the federation. */
export interface FederationCoin {
  readonly txid: string;
  readonly index: number;
  readonly satoshis: string;
  /** `null` if the parent chain is unknown. */
  readonly confirmations: number | null;
}

export interface PegoutOutput {
  readonly address: string | null;
  readonly satoshis: string;
}

/** A request that waits for its Bitcoin transaction. */
export interface QueuedPegout {
  /** The hash of the request's transaction on Rootstock; `null` if unknown. */
  readonly hash: string | null;
  readonly address: string;
  readonly satoshis: string;
}

/** A Bitcoin transaction that waits for confirmations on Rootstock. */
export interface UnconfirmedPegout {
  readonly txid: string;
  /** The hash of the transaction on Rootstock that created it. */
  readonly hash: string;
  readonly confirmations: number;
  readonly neededConfirmations: number;
  readonly outputs: readonly PegoutOutput[];
}

/** A Bitcoin transaction that waits for signatures. */
export interface UnsignedPegout {
  readonly txid: string;
  readonly hash: string;
  /** The addresses of the members that signed, on Rootstock. */
  readonly signers: readonly string[];
  readonly neededSignatures: number;
  readonly outputs: readonly PegoutOutput[];
}

export interface ParentBlock {
  readonly height: number;
  readonly hash: string;
  /** Seconds since 1970. */
  readonly time: number;
  readonly transactionCount: number;
}

/** The simulated parent chain. */
export interface ParentChain {
  /** The latest blocks, newest first. */
  readonly blocks: readonly ParentBlock[];
  readonly mempool: readonly { readonly txid: string; readonly outputs: readonly PegoutOutput[] }[];
  /** True if the built-in federate runs. */
  readonly hasFederate: boolean;
}

export interface PegStatus {
  readonly federation: {
    readonly address: string;
    readonly members: readonly string[];
    readonly threshold: number;
  };
  readonly coins: readonly FederationCoin[];
  readonly lockingCap: string;
  readonly minimumPegin: string;
  readonly minimumPegout: string;
  readonly feePerKilobyte: string;
  /** The block that creates the next Bitcoin transaction from queued requests. */
  readonly nextPegoutBlock: number;
  readonly queued: readonly QueuedPegout[];
  readonly unconfirmed: readonly UnconfirmedPegout[];
  readonly unsigned: readonly UnsignedPegout[];
  /** The best header of the parent chain in the Bridge. */
  readonly bestHeader: { readonly height: number; readonly hash: string };
  /** `null` without `--parent-chain`. */
  readonly parentChain: ParentChain | null;
}
