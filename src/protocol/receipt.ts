import type { Kinds } from './field-kinds.ts';

/** An event that a contract emitted. */
export interface Log {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** Up to four times 32 bytes. */
  readonly topics: readonly Uint8Array[];
  readonly data: Uint8Array;
}

/** The result of a transaction in a block. */
export interface Receipt {
  readonly succeeded: boolean;
  /** Gas of this transaction and of those before it in the block. */
  readonly cumulativeGasUsed: bigint;
  readonly gasUsed: bigint;
  /** Wei per gas that the sender paid. */
  readonly effectiveGasPrice: bigint;
  readonly logs: readonly Log[];
  /** 256 bytes. */
  readonly logsBloom: Uint8Array;
  /** The address of the contract a creation made or would have made; `null` for other transactions. */
  readonly contractAddress: Uint8Array | null;
}

/** The values of fields in receipts whose maker gives none. */
export const RECEIPT_DEFAULTS = { contractAddress: null } as const satisfies Partial<Receipt>;

/** The fields of a receipt but for its logs, and their bloom, which follows from them: in the order of records and dumps. */
export const RECEIPT_FIELDS = {
  succeeded: 'flag',
  cumulativeGasUsed: 'integer',
  gasUsed: 'integer',
  effectiveGasPrice: 'integer',
  contractAddress: 'optional address',
} as const satisfies Kinds<Omit<Receipt, 'logs' | 'logsBloom'>>;
