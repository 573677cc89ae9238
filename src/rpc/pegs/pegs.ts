// Transfers between both chains, as RPC methods use them. `node/pegs.ts` makes the transfers.

import type { CallToken } from '../../chain/changes.ts';

/** A transfer from the parent chain. */
export interface PeginRequest {
  /** The account (20 bytes) that receives the coins. */
  readonly to: Uint8Array;
  readonly satoshis: bigint;
}

export interface Pegin {
  /** The transaction on the parent chain, in text order. */
  readonly txid: string;
  /** The hash (32 bytes) of the Rootstock transaction that registered it. */
  readonly hash: Uint8Array;
}

/** A transfer to the parent chain. The fee is taken from the amount. */
export interface PegoutRequest {
  /** The account (20 bytes) that pays. Its key receives the coins on the parent chain. */
  readonly from: Uint8Array;
  readonly satoshis: bigint;
}

export interface Pegout {
  /** The hash (32 bytes) of the Rootstock transaction with the request. */
  readonly hash: Uint8Array;
  /** The payment on the parent chain, in text order. */
  readonly txid: string;
  /** The number of Rootstock blocks that were mined. */
  readonly blocks: number;
}

/** A block of one of the chains. Hashes are as their chain prints them. */
interface BlockStatus {
  readonly number: number;
  readonly hash: string;
}

/** The state of both chains and of all transfers. Amounts are in satoshis, and txids in text order. */
export interface PegStatus {
  readonly parentChain: BlockStatus & {
    /** The latest blocks, newest first. */
    readonly blocks: readonly (BlockStatus & {
      /** Seconds since 1970. */
      readonly timestamp: number;
      readonly transactionCount: number;
    })[];
    readonly mempool: readonly string[];
  };
  readonly rootstock: BlockStatus;
  /** The best block of the parent chain that the Bridge knows. */
  readonly bridge: BlockStatus;
  readonly federation: {
    readonly address: string;
    readonly members: readonly string[];
    /** The number of required signatures. */
    readonly threshold: number;
    /** True if the built-in federate sends the calls of the federation. */
    readonly hasFederate: boolean;
  };
  /** The coins of the federation. */
  readonly utxos: readonly {
    readonly txid: string;
    readonly vout: number;
    readonly satoshis: number;
    /** Blocks of the parent chain from the output on. */
    readonly confirmations: number;
  }[];
  /** Transactions of the parent chain that the Bridge has not processed. */
  readonly deposits: readonly {
    readonly txid: string;
    readonly satoshis: number;
    readonly confirmations: number;
    readonly requiredConfirmations: number;
    /** True if the Bridge rejects it without a refund. It stays in the list. */
    readonly isRejected: boolean;
  }[];
  /** Requests that no transaction pays yet. */
  readonly queue: readonly {
    readonly hash: string;
    readonly address: string;
    readonly satoshis: number;
    /** The number of the Rootstock block that can create the payment. */
    readonly nextBlock: number;
  }[];
  /** Payments that wait for Rootstock blocks or signatures. */
  readonly pegouts: readonly {
    /** The hash of the Rootstock transaction that created the payment. */
    readonly hash: string;
    /** Without signatures. */
    readonly txid: string;
    readonly satoshis: number;
    /** `null` if the payment waits for signatures. */
    readonly confirmations: number | null;
    readonly requiredConfirmations: number;
    /** The addresses of the members that signed. */
    readonly signers: readonly string[];
  }[];
}

/** The transfers of a node with a parent chain. */
export interface Pegs {
  /** Rejects with {@link PeginError}. */
  pegIn(request: PeginRequest, call: CallToken | null): Promise<Pegin>;
  /** Rejects with {@link PegoutError}, or with the error of the transaction. */
  pegOut(request: PegoutRequest, call: CallToken | null): Promise<Pegout>;
  status(): PegStatus;
}
