/** An account whose key everybody knows. */
export interface DevAccount {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** 32 bytes. */
  readonly privateKey: Uint8Array;
}
