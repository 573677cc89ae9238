import type { Account, StorageSource } from './account.ts';

/** A whole state that is kept elsewhere and never changes there: what a chain begins with that goes on from another. */
export interface StateSource extends StorageSource {
  /** The account of an address (20 bytes), `undefined` for none. Throws `StateElsewhere` when it must be fetched first. */
  account(address: Uint8Array): Account | undefined;
  /**
   * The hash (32 bytes) of the block with that number, up to the one after which the state was: code can ask for those.
   * Throws `StateElsewhere` when it must be fetched first.
   */
  blockHash(number: number): Uint8Array;
}
