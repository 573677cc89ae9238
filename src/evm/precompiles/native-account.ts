/**
 * The account of a contract of the network as the contract itself changes it. Everything is taken back when the call
 * fails.
 */
export interface NativeAccount {
  /** The value of a slot (32 bytes): 32 bytes, zeros when it is not set. */
  slot(key: Uint8Array): Uint8Array;
  /** Sets a slot (32 bytes) to a value of 32 bytes. */
  setSlot(key: Uint8Array, value: Uint8Array): void;
  /** Sends coins (wei) to an account, which is made when it is not there. Throws a `PrecompileError` for lack of them. */
  send(to: Uint8Array, value: bigint): void;
  /** Adds a log of at most four topics, 32 bytes each. */
  log(topics: readonly Uint8Array[], data: Uint8Array): void;
}
