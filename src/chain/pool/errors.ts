// The reasons why the pool refuses a transaction.

import { CodedError } from '../../primitives/coded-error.ts';
import { toHex } from '../../primitives/hex.ts';

/**
 * A transaction that the pool refuses. The text is the network's; where clients recognize an error by other words,
 * those follow in brackets.
 */
export class TransactionRejectedError extends CodedError {
  readonly code = -32010;
}

/** The transaction is in the pool already. */
export class KnownTransactionError extends TransactionRejectedError {
  constructor(list: 'pending' | 'queued') {
    super(`${list} transaction with same hash already exists (already known)`);
  }
}

/** The nonce was used by a mined transaction. */
export class NonceTooLowError extends TransactionRejectedError {
  constructor(
    readonly given: bigint,
    readonly expected: bigint,
  ) {
    super(`transaction nonce too low (nonce too low: got ${given}, next is ${expected})`);
  }
}

/** The nonce is further ahead of the sender's next one than the network allows. */
export class NonceTooHighError extends TransactionRejectedError {
  constructor(given: bigint, highest: bigint) {
    super(`transaction nonce too high (nonce too high: got ${given}, highest is ${highest})`);
  }
}

/** The sender cannot pay for the transaction. Amounts are in wei. */
export class InsufficientFundsError extends TransactionRejectedError {
  constructor(
    reason: 'account' | 'own' | 'pending',
    readonly balance: bigint,
    readonly cost: bigint,
  ) {
    const texts = {
      account: "the sender account doesn't exist",
      own: 'insufficient funds',
      pending: 'insufficient funds to pay for pending and new transactions',
    } as const;
    super(`${texts[reason]} (insufficient funds for gas * price + value: balance ${balance}, cost ${cost})`);
  }
}

/** The price of a replacement is too low for the pending transaction with the same nonce. Prices are in wei per gas. */
export class ReplacementUnderpricedError extends TransactionRejectedError {
  constructor(given: bigint, least: bigint) {
    super(
      `gas price not enough to bump transaction (replacement transaction underpriced: got ${given}, need ${least})`,
    );
  }
}

/** The gas price is below the minimum of a block. Prices are in wei per gas. */
export class UnderpricedError extends TransactionRejectedError {
  constructor(given: bigint, minimum: bigint) {
    super(
      `transaction's gas price lower than block's minimum (transaction underpriced: got ${given}, minimum ${minimum})`,
    );
  }
}

/** The gas limit does not cover the intrinsic gas. */
export class IntrinsicGasError extends TransactionRejectedError {
  constructor(
    readonly given: bigint,
    readonly needed: bigint,
  ) {
    super(
      `transaction's basic cost is above the gas limit (intrinsic gas too low: have ${given}, want ${needed})`,
    );
  }
}

/** The gas limit is more than that of a block, of the sublist that the transaction would be in, or of any transaction. */
export class GasLimitTooHighError extends TransactionRejectedError {
  constructor(
    readonly given: bigint,
    readonly most: bigint,
    readonly reason: 'block' | 'sequential list' | 'transaction',
  ) {
    const start = `transaction's gas limit of ${given} is higher than the`;
    const texts = {
      block: ` block's gas limit of ${most} (exceeds block gas limit, --gas-limit raises it)`,
      'sequential list': ` block's gas limit of ${most} (exceeds block gas limit, a transaction has the gas of the sequential list with --network-limits)`,
      transaction: ` ${most} that a transaction can have (transaction gas limit too high, EIP-7825; --tx-gas-limit raises it)`,
    } as const;
    super(`${start}${texts[reason]}`);
  }
}

/** The gas price is more times the minimum than the network accepts (RSKIP-252). Prices are in wei per gas. */
export class GasPriceTooHighError extends TransactionRejectedError {
  constructor(given: bigint, cap: bigint) {
    super(`transaction's gas price exceeds cap (got ${given}, cap ${cap})`);
  }
}

/** The code of a creation is longer than allowed. Sizes are in bytes. */
export class InitcodeTooLargeError extends TransactionRejectedError {
  constructor(
    readonly size: number,
    readonly maximum: number,
  ) {
    super(`transaction's init code size is invalid (max initcode size exceeded: ${size} > ${maximum})`);
  }
}

/** The encoded transaction is longer than allowed. Sizes are in bytes. */
export class TransactionTooLargeError extends TransactionRejectedError {
  constructor(size: number, maximum: number) {
    super(`transaction's size is higher than defined maximum: ${size} > ${maximum}`);
  }
}

/** The blobs are more than a transaction can have, or of commitments of another kind (EIP-4844). */
export class BlobsRefusedError extends TransactionRejectedError {}

/** The fee cap for blob gas is below its base fee in the next block. Prices are in wei per blob gas. */
export class BlobFeeCapTooLowError extends TransactionRejectedError {
  constructor(given: bigint, blobBaseFee: bigint) {
    super(`max fee per blob gas less than block blob gas fee (got ${given}, blob base fee ${blobBaseFee})`);
  }
}

/** The sender has transactions with blobs and others at once, which pools keep apart. */
export class MixedTransactionsError extends TransactionRejectedError {
  constructor(hasBlobs: boolean) {
    const [waiting, given] = hasBlobs ? ['without', 'with'] : ['with', 'without'];
    super(
      `the sender has transactions ${waiting} blobs in the pool, so that it can send none ${given} blobs until they are mined (address already reserved)`,
    );
  }
}

/** The sender is a contract, and is not impersonated (EIP-3607). */
export class SenderHasCodeError extends TransactionRejectedError {
  constructor(sender: Uint8Array) {
    super(
      `the sender ${toHex(sender)} has code (sender not an eoa); impersonate it to send transactions in its name`,
    );
  }
}

/** The transaction that ends a block, which cannot be sent. */
export class RemascTransactionError extends TransactionRejectedError {
  constructor() {
    super('transaction is a remasc transaction');
  }
}

/** The fields violate the rules in any state. */
export class InvalidFieldsError extends TransactionRejectedError {}

/** The fee cap is below the base fee of the next block, so that the block cannot take it. Prices are in wei per gas. */
export class FeeCapTooLowError extends TransactionRejectedError {
  constructor(given: bigint, baseFeePerGas: bigint) {
    super(`max fee per gas less than block base fee (got ${given}, base fee ${baseFeePerGas})`);
  }
}
