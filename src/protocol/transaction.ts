import type { Kinds } from './field-kinds.ts';

/** EIP-2718 types: legacy, access list (2930), fee market (1559), blobs (4844), set code (7702). */
export const TRANSACTION_TYPES = [0, 1, 2, 3, 4] as const;

export type TransactionType = (typeof TRANSACTION_TYPES)[number];

export function isTransactionType(type: number | string): type is TransactionType {
  return TRANSACTION_TYPES.some((known) => known === type);
}

/** The types with a priority fee and a maximum fee instead of a gas price. */
export const TYPES_WITH_TWO_FEES: readonly TransactionType[] = [2, 3, 4];

/** An address and its storage slots in an access list (EIP-2930). */
export interface AccessListEntry {
  readonly address: Uint8Array;
  /** 32 bytes each. */
  readonly storageKeys: readonly Uint8Array[];
}

/** A signed authorization to delegate an account to a contract's code (EIP-7702). */
export interface Authorization {
  readonly chainId: bigint;
  readonly address: Uint8Array;
  readonly nonce: bigint;
  readonly yParity: bigint;
  readonly r: bigint;
  readonly s: bigint;
}

/** The fields of an authorization in the order of RLP and JSON. */
export const AUTHORIZATION_FIELDS = {
  chainId: 'integer',
  address: 'address',
  nonce: 'gas',
  yParity: 'byte',
  r: 'integer',
  s: 'integer',
} as const satisfies Kinds<Authorization>;

/** The blob fields of a transaction. The blobs themselves are not part of it (EIP-4844). */
export interface BlobFields {
  /** Maximum wei per blob gas that the sender pays. */
  readonly maxFeePerBlobGas: bigint;
  /** 32 bytes each; empty for types without blobs. */
  readonly blobVersionedHashes: readonly Uint8Array[];
}

/** The fields of a transaction without blobs. */
export const NO_BLOBS: BlobFields = { maxFeePerBlobGas: 0n, blobVersionedHashes: [] };

/** An unsigned transaction. Wei and gas are `bigint`. */
export interface TransactionRequest extends BlobFields {
  readonly type: TransactionType;
  /** `null` for a legacy transaction without replay protection (before EIP-155). */
  readonly chainId: bigint | null;
  readonly nonce: bigint;
  /** Maximum wei per gas that the sender pays; the gas price for types 0 and 1. */
  readonly maxFeePerGas: bigint;
  /** Maximum wei per gas for the miner; equal to {@link maxFeePerGas} for types 0 and 1. */
  readonly maxPriorityFeePerGas: bigint;
  readonly gasLimit: bigint;
  /** `null` creates a contract. */
  readonly to: Uint8Array | null;
  /** Wei. */
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly accessList: readonly AccessListEntry[];
  readonly authorizationList: readonly Authorization[];
}

/** A transaction in a block: signed, or sent by an impersonated account. */
export interface Transaction extends TransactionRequest {
  /** As encoded: 27/28 or 35 + 2 * chain id + parity for legacy transactions; the parity for typed ones. */
  readonly v: bigint;
  readonly r: bigint;
  readonly s: bigint;
  /** 20 bytes. */
  readonly sender: Uint8Array;
  /** The canonical encoding: RLP, prefixed with the type for typed transactions. */
  readonly raw: Uint8Array;
  /** Keccak of {@link raw}. */
  readonly hash: Uint8Array;
}

/** An account with this nonce can send no transaction (EIP-2681). */
export const HIGHEST_NONCE = 2n ** 64n - 1n;
const HIGHEST_GAS_LIMIT = 2n ** 64n - 1n;
const HIGHEST_WORD = 2n ** 256n - 1n;

/**
 * Returns the reason why the fields are invalid in every state, with messages that clients recognise; `null`
 * if they are valid (EIP-1559, EIP-2681, EIP-7702).
 */
export function fieldFault(request: TransactionRequest): string | null {
  const { nonce, gasLimit, value, maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas } = request;
  if (nonce >= HIGHEST_NONCE)
    return `nonce ${nonce} is above the maximum of 2^64 - 2 (nonce too high, EIP-2681)`;
  if (gasLimit > HIGHEST_GAS_LIMIT) return `gas limit ${gasLimit} does not fit into 64 bits`;
  if (value > HIGHEST_WORD || maxFeePerGas > HIGHEST_WORD || maxFeePerBlobGas > HIGHEST_WORD)
    return 'the value or the fee does not fit into 256 bits';
  if (request.type === 3) {
    if (request.blobVersionedHashes.length === 0) return 'blob transaction missing blob hashes (EIP-4844)';
    if (request.to === null) return 'blob transaction of type create (EIP-4844)';
  }
  if (request.type === 4 && request.authorizationList.length === 0)
    return 'a transaction of type 4 needs at least one authorization (EIP-7702)';
  if (maxPriorityFeePerGas > maxFeePerGas) {
    return `max priority fee per gas higher than max fee per gas (${maxPriorityFeePerGas} > ${maxFeePerGas})`;
  }
  return null;
}
