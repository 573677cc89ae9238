import { fromHex } from '../primitives/hex.ts';
import type { Authorization } from '../protocol/transaction.ts';

/** A user operation in the form of ERC-7769. Gas and fees are in gas and wei per gas. */
export interface UserOperation {
  readonly sender: Uint8Array;
  readonly nonce: bigint;
  /** The contract that creates the sender, or {@link DELEGATION_MARKER}; `null` if the sender exists. */
  readonly factory: Uint8Array | null;
  readonly factoryData: Uint8Array;
  readonly callData: Uint8Array;
  readonly callGasLimit: bigint;
  readonly verificationGasLimit: bigint;
  readonly preVerificationGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly paymaster: Uint8Array | null;
  readonly paymasterVerificationGasLimit: bigint;
  readonly paymasterPostOpGasLimit: bigint;
  readonly paymasterData: Uint8Array;
  /** Signed after the other fields were hashed (EntryPoint 0.9); `null` if absent. */
  readonly paymasterSignature: Uint8Array | null;
  readonly signature: Uint8Array;
  /** The sender's delegation in the same transaction (EIP-7702); `null` if absent. */
  readonly authorization: Authorization | null;
}

/** `0x7702` and zeros: the factory of an account that delegates (ERC-4337, EntryPoint 0.8). */
export const DELEGATION_MARKER = fromHex(`0x7702${'00'.repeat(18)}`);
