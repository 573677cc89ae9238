import type { SignedMessage } from '../signed-message.ts';
import type { NativeAccount } from './native-account.ts';

/** How a contract of the network is called, for those that keep something. */
export interface NativeCall {
  /** 20 bytes: the account whose code calls, or who signed the transaction. */
  readonly caller: Uint8Array;
  /** Wei that came with the call. */
  readonly value: bigint;
  /** True in a STATICCALL and in all calls within one: nothing may be changed. */
  readonly isStatic: boolean;
  /** True for DELEGATECALL and CALLCODE, where code works on the account of its caller. */
  readonly isBorrowed: boolean;
  /** True when all this is no transaction but a question (eth_call), the calls of contracts in it included. */
  readonly isQuestion: boolean;
  /** The transaction that the call is of; `undefined` in a question. */
  readonly transaction: SignedMessage | undefined;
  /** The contract's own account. */
  readonly account: NativeAccount;
}
