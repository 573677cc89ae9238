import { CodedError } from '../primitives/coded-error.ts';

/** A raw transaction whose bytes are not one, or whose signature cannot be accepted (service code -32602). */
export class InvalidTransactionError extends CodedError {
  readonly code = -32602;
  constructor(reason: string) {
    super(`Invalid input: ${reason}`);
  }
}

/** A transaction signed for another chain. */
export class InvalidChainIdError extends CodedError {
  readonly code = -32602;
  constructor(given: bigint, expected: number) {
    super(`Invalid chainId: ${given}, this chain is ${expected}`);
  }
}

/** A transaction type that the rule set does not have. The words are those that clients recognise. */
export class TransactionTypeError extends CodedError {
  readonly code = -32000;
  constructor(type: number, ruleSetName: string) {
    super(
      `transaction type not valid: type ${type} does not exist under the rule set ${ruleSetName}; send a legacy transaction, or choose another rule set with --hardfork`,
    );
  }
}

/** Bytes that are no header or no block in the encoding asked for. */
export class HeaderDecodingError extends CodedError {
  readonly code = -32602;
  constructor(reason: string) {
    super(`Invalid input: ${reason}`);
  }
}
