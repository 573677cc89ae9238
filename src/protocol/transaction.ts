import type { Kinds } from './field-kinds.ts';

/** Transaction types by their EIP-2718 number: legacy, access list (2930), fee market (1559), set code (7702). */
export type TransactionType = 0 | 1 | 2 | 4;

/** An address and the storage slots of it that a transaction declares beforehand (EIP-2930). */
export interface AccessListEntry {
  readonly address: Uint8Array;
  /** 32 bytes each. */
  readonly storageKeys: readonly Uint8Array[];
}

/** A signed permission to let an account run a contract's code (EIP-7702). */
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

/** A transaction before it is signed. Wei and gas are `bigint`. */
export interface TransactionRequest {
  readonly type: TransactionType;
  /** `null` for a legacy transaction without replay protection (before EIP-155). */
  readonly chainId: bigint | null;
  readonly nonce: bigint;
  /** The most wei per gas the sender pays; the gas price itself for types 0 and 1. */
  readonly maxFeePerGas: bigint;
  /** The most wei per gas for the miner; equal to {@link maxFeePerGas} for types 0 and 1. */
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

/** A transaction as it stands in a block: signed, or sent in the name of an impersonated account. */
export interface Transaction extends TransactionRequest {
  /** As on the wire: 27/28 or 35 + 2 * chain id + parity for legacy, the parity for typed ones. */
  readonly v: bigint;
  readonly r: bigint;
  readonly s: bigint;
  /** 20 bytes. */
  readonly sender: Uint8Array;
  /** The canonical encoding: RLP, with the type byte in front for typed ones. */
  readonly raw: Uint8Array;
  /** Keccak of {@link raw}. */
  readonly hash: Uint8Array;
}

const HIGHEST_NONCE = 2n ** 64n - 1n;
const HIGHEST_GAS_LIMIT = 2n ** 64n - 1n;
const HIGHEST_WORD = 2n ** 256n - 1n;

/**
 * Returns why the fields of a transaction contradict the rules whatever the state is, in the words that clients know;
 * `null` when they do not (EIP-1559, EIP-2681).
 */
export function fieldFault(request: TransactionRequest): string | null {
  const { nonce, gasLimit, value, maxFeePerGas, maxPriorityFeePerGas } = request;
  if (nonce >= HIGHEST_NONCE) return `nonce ${nonce} has no next one (nonce too high, EIP-2681)`;
  if (gasLimit > HIGHEST_GAS_LIMIT) return `gas limit ${gasLimit} is above 64 bits`;
  if (value > HIGHEST_WORD || maxFeePerGas > HIGHEST_WORD) return 'the value or the fee is above 256 bits';
  if (maxPriorityFeePerGas > maxFeePerGas) {
    return `max priority fee per gas higher than max fee per gas (${maxPriorityFeePerGas} > ${maxFeePerGas})`;
  }
  return null;
}
