/** An event a contract emitted. */
export interface Log {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** Up to four times 32 bytes. */
  readonly topics: readonly Uint8Array[];
  readonly data: Uint8Array;
}

/** What became of a transaction in a block. */
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
