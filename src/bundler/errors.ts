import { CodedError, type ErrorEntry, fill } from '../primitives/coded-error.ts';

/** A rejected user operation (ERC-7769). */
export class UserOperationError extends CodedError {
  static readonly entries = {
    entryPoint: { name: 'UserOperationRejected', code: -32500, message: '{reason}', page: 'bundler' },
    paymaster: { name: 'UserOperationPaymaster', code: -32501, message: '{reason}', page: 'bundler' },
    rule: { name: 'UserOperationRule', code: -32502, message: '{reason}', page: 'bundler' },
    time: { name: 'UserOperationTime', code: -32503, message: '{reason}', page: 'bundler' },
    reputation: { name: 'UserOperationReputation', code: -32504, message: '{reason}', page: 'bundler' },
    stake: { name: 'UserOperationStake', code: -32505, message: '{reason}', page: 'bundler' },
    aggregator: { name: 'UserOperationAggregator', code: -32506, message: '{reason}', page: 'bundler' },
    signature: { name: 'UserOperationSignature', code: -32507, message: '{reason}', page: 'bundler' },
    paymasterDeposit: {
      name: 'UserOperationPaymasterDeposit',
      code: -32508,
      message: '{reason}',
      page: 'bundler',
    },
    execution: { name: 'UserOperationExecution', code: -32521, message: '{reason}', page: 'bundler' },
  } as const satisfies Readonly<Record<string, ErrorEntry>>;

  /** `data` is the return data of the EntryPoint, or names the contract at fault. */
  constructor(
    kind: keyof typeof UserOperationError.entries,
    reason: string,
    override readonly data: unknown = undefined,
  ) {
    super(fill(UserOperationError.entries[kind], { reason }));
  }
}
