import { CodedError, type ErrorEntry, type FilledEntry, fill } from '../primitives/coded-error.ts';
import { toHex } from '../primitives/hex.ts';

/** A failed system call or a malformed deposit invalidates a block (EIP-6110, EIP-7002, EIP-7251). */
export class BlockRequestError extends CodedError {
  static readonly entries = {
    systemCall: {
      name: 'SystemCallFailed',
      code: -32000,
      message: 'the block is invalid: the system call to {address} failed: {reason}',
      page: 'protocol',
    },
    deposit: {
      name: 'MalformedDeposit',
      code: -32000,
      message: 'the block is invalid: cannot decode an event of the deposit contract',
      page: 'protocol',
    },
  } as const satisfies Readonly<Record<string, ErrorEntry>>;

  private constructor(filled: FilledEntry) {
    super(filled);
  }

  static systemCall(address: Uint8Array, reason: string): BlockRequestError {
    return new BlockRequestError(
      fill(BlockRequestError.entries.systemCall, { address: toHex(address), reason }),
    );
  }

  static deposit(): BlockRequestError {
    return new BlockRequestError(fill(BlockRequestError.entries.deposit));
  }
}
