// The reasons for rejecting a transaction from the pool.

import { CodedError, type ErrorEntry, type FilledEntry, fill } from '../../primitives/coded-error.ts';
import { toHex } from '../../primitives/hex.ts';

/**
 * Thrown for a transaction that the pool rejects. The message is Rootstock's. Text that clients of other
 * nodes recognize follows in brackets.
 */
export abstract class TransactionRejectedError extends CodedError {}

/** The transaction is in the pool already. */
export class KnownTransactionError extends TransactionRejectedError {
  static readonly entry = {
    name: 'AlreadyKnown',
    code: -32010,
    message: '{list} transaction with same hash already exists (already known)',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(list: 'pending' | 'queued') {
    super(fill(KnownTransactionError.entry, { list }));
  }
}

/** The nonce was used by a mined transaction. */
export class NonceTooLowError extends TransactionRejectedError {
  static readonly entry = {
    name: 'NonceTooLow',
    code: -32010,
    message: 'transaction nonce too low (nonce too low: got {given}, next is {expected})',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(
    readonly given: bigint,
    readonly expected: bigint,
  ) {
    super(fill(NonceTooLowError.entry, { given, expected }));
  }
}

/** The nonce exceeds the sender's next nonce by more than Rootstock allows. */
export class NonceTooHighError extends TransactionRejectedError {
  static readonly entry = {
    name: 'NonceTooHigh',
    code: -32010,
    message: 'transaction nonce too high (nonce too high: got {given}, highest is {highest})',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(given: bigint, highest: bigint) {
    super(fill(NonceTooHighError.entry, { given, highest }));
  }
}

/** The sender cannot pay for the transaction. Amounts are in wei. */
export class InsufficientFundsError extends TransactionRejectedError {
  static readonly entry = {
    name: 'InsufficientFunds',
    code: -32010,
    message: '{reason} (insufficient funds for gas * price + value: balance {balance}, cost {cost})',
    page: 'chain',
  } as const satisfies ErrorEntry;

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
    super(fill(InsufficientFundsError.entry, { reason: texts[reason], balance, cost }));
  }
}

/** A delegated account may have only one transaction in the pool. The messages are the same as in rskj. */
export class DelegatedSenderError extends TransactionRejectedError {
  static readonly entry = {
    name: 'DelegatedSender',
    code: -32010,
    message: '{reason} (RSKIP-545)',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(reason: string) {
    super(fill(DelegatedSenderError.entry, { reason }));
  }
}

/** The price does not suffice to replace the transaction with the same nonce. In wei per gas. */
export class ReplacementUnderpricedError extends TransactionRejectedError {
  static readonly entry = {
    name: 'ReplacementUnderpriced',
    code: -32010,
    message:
      'gas price not enough to bump transaction (replacement transaction underpriced: got {given}, need {least})',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(given: bigint, least: bigint) {
    super(fill(ReplacementUnderpricedError.entry, { given, least }));
  }
}

/** The gas price is below the minimum of a block. Prices are in wei per gas. */
export class UnderpricedError extends TransactionRejectedError {
  static readonly entry = {
    name: 'GasPriceTooLow',
    code: -32010,
    message:
      "transaction's gas price lower than block's minimum (transaction underpriced: got {given}, minimum {minimum})",
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(given: bigint, minimum: bigint) {
    super(fill(UnderpricedError.entry, { given, minimum }));
  }
}

/** The gas limit does not cover the intrinsic gas. */
export class IntrinsicGasError extends TransactionRejectedError {
  static readonly entry = {
    name: 'IntrinsicGasTooLow',
    code: -32010,
    message:
      "transaction's basic cost is above the gas limit (intrinsic gas too low: have {given}, want {needed})",
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(
    readonly given: bigint,
    readonly needed: bigint,
  ) {
    super(fill(IntrinsicGasError.entry, { given, needed }));
  }
}

/** The gas limit exceeds the limit of the block, of the sequential list, or of a transaction. */
export class GasLimitTooHighError extends TransactionRejectedError {
  static readonly entries = {
    block: {
      name: 'GasLimitAboveBlock',
      code: -32010,
      message:
        "transaction's gas limit of {given} is higher than the block's gas limit of {most} (exceeds block gas limit, {hint})",
      page: 'chain',
    },
    transaction: {
      name: 'GasLimitAboveTransaction',
      code: -32010,
      message:
        "transaction's gas limit of {given} is higher than the limit of {most} per transaction (transaction gas limit too high, EIP-7825; raise it with --tx-gas-limit)",
      page: 'chain',
    },
  } as const satisfies Readonly<Record<string, ErrorEntry>>;

  constructor(
    readonly given: bigint,
    readonly most: bigint,
    readonly reason: 'block' | 'sequential list' | 'transaction',
  ) {
    const { block, transaction } = GasLimitTooHighError.entries;
    const hints = {
      block: 'raise it with --gas-limit',
      'sequential list':
        "with --network-limits, a transaction can use at most the gas limit of the block's sequential list",
    } as const;
    super(
      reason === 'transaction'
        ? fill(transaction, { given, most })
        : fill(block, { given, most, hint: hints[reason] }),
    );
  }
}

/** The gas price exceeds Rootstock's cap, a multiple of the minimum (RSKIP-252). In wei per gas. */
export class GasPriceTooHighError extends TransactionRejectedError {
  static readonly entry = {
    name: 'GasPriceTooHigh',
    code: -32010,
    message: "transaction's gas price exceeds cap (got {given}, cap {cap})",
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(given: bigint, cap: bigint) {
    super(fill(GasPriceTooHighError.entry, { given, cap }));
  }
}

/** The init code of a contract creation is too long. Sizes are in bytes. */
export class InitcodeTooLargeError extends TransactionRejectedError {
  static readonly entry = {
    name: 'InitcodeTooLarge',
    code: -32010,
    message: "transaction's init code size is invalid (max initcode size exceeded: {size} > {maximum})",
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(
    readonly size: number,
    readonly maximum: number,
  ) {
    super(fill(InitcodeTooLargeError.entry, { size, maximum }));
  }
}

/** The encoded transaction is too long. Sizes are in bytes. */
export class TransactionTooLargeError extends TransactionRejectedError {
  static readonly entry = {
    name: 'TransactionTooLarge',
    code: -32010,
    message: "transaction's size is higher than defined maximum: {size} > {maximum}",
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(size: number, maximum: number) {
    super(fill(TransactionTooLargeError.entry, { size, maximum }));
  }
}

/** Too many blobs, or a hash of an unsupported commitment version (EIP-4844). */
export class BlobsRejectedError extends TransactionRejectedError {
  static readonly entry = {
    name: 'InvalidBlobs',
    code: -32010,
    message: '{message}',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(message: string) {
    super(fill(BlobsRejectedError.entry, { message }));
  }
}

/** The blob fee cap is below the next block's blob base fee. Prices are in wei per blob gas. */
export class BlobFeeCapTooLowError extends TransactionRejectedError {
  static readonly entry = {
    name: 'BlobFeeCapTooLow',
    code: -32010,
    message: 'max fee per blob gas less than block blob gas fee (got {given}, blob base fee {blobBaseFee})',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(given: bigint, blobBaseFee: bigint) {
    super(fill(BlobFeeCapTooLowError.entry, { given, blobBaseFee }));
  }
}

/** The sender has waiting transactions of the other kind (with or without blobs). */
export class MixedTransactionsError extends TransactionRejectedError {
  static readonly entry = {
    name: 'MixedTransactions',
    code: -32010,
    message:
      'the sender has transactions {waiting} blobs in the pool; wait until they are mined before you send a transaction {given} blobs (address already reserved)',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(hasBlobs: boolean) {
    const [waiting, given] = hasBlobs ? ['without', 'with'] : ['with', 'without'];
    super(fill(MixedTransactionsError.entry, { waiting, given }));
  }
}

/** The sender has code and is not impersonated (EIP-3607). */
export class SenderHasCodeError extends TransactionRejectedError {
  static readonly entry = {
    name: 'SenderHasCode',
    code: -32010,
    message:
      'the sender {sender} has code (sender not an eoa); impersonate the sender to send its transactions',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(sender: Uint8Array) {
    super(fill(SenderHasCodeError.entry, { sender: toHex(sender) }));
  }
}

/** Clients cannot send REMASC's closing transaction. */
export class RemascTransactionError extends TransactionRejectedError {
  static readonly entry = {
    name: 'RemascTransaction',
    code: -32010,
    message: 'transaction is a remasc transaction',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(RemascTransactionError.entry));
  }
}

/** The fields are invalid in any state. */
export class InvalidFieldsError extends TransactionRejectedError {
  static readonly entry = {
    name: 'InvalidTransactionFields',
    code: -32010,
    message: '{message}',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(message: string) {
    super(fill(InvalidFieldsError.entry, { message }));
  }
}

/** The fee cap is below the next block's base fee. Prices are in wei per gas. */
export class FeeCapTooLowError extends TransactionRejectedError {
  static readonly entry = {
    name: 'FeeCapTooLow',
    code: -32010,
    message: 'max fee per gas less than block base fee (got {given}, base fee {baseFeePerGas})',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(given: bigint, baseFeePerGas: bigint) {
    super(fill(FeeCapTooLowError.entry, { given, baseFeePerGas }));
  }
}

/** The block or the state breaks the condition of the transaction (ERC-7796). */
export class TransactionConditionError extends CodedError {
  static readonly entry = {
    name: 'TransactionConditionBroken',
    code: -32003,
    message: 'transaction rejected: {fault}',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(fault: string) {
    super(fill(TransactionConditionError.entry, { fault }));
  }
}

/** A client removed the transaction from the pool while a block executed it. */
export class TransactionDroppedError extends CodedError {
  static readonly entry = {
    name: 'TransactionDropped',
    code: -32000,
    message: 'transaction dropped: a client removed it from the pool during its execution',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(TransactionDroppedError.entry));
  }
}

/** Too many bundles wait for their block. */
export class TooManyBundlesError extends CodedError {
  static readonly entry = {
    name: 'TooManyBundles',
    code: -32005,
    message:
      'limit exceeded: at most {count} bundles and {bytes} bytes of transactions can wait for their block; cancel bundles or mine blocks',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(count: number, bytes: number) {
    super(fill(TooManyBundlesError.entry, { count, bytes }));
  }
}

/** No later block can include the bundle. */
export class BundleExpiredError extends CodedError {
  static readonly entries = {
    block: {
      name: 'BundleExpired',
      code: -32000,
      message:
        'the bundle is valid up to block {last}, but the next block is {next}; send it for a later block',
      page: 'chain',
    },
    timestamp: {
      name: 'BundleTimeExpired',
      code: -32000,
      message:
        'the bundle is valid up to the timestamp {last}, but the next block has the timestamp {next}; send it with a later maxTimestamp',
      page: 'chain',
    },
  } as const satisfies Readonly<Record<string, ErrorEntry>>;

  private constructor(filled: FilledEntry) {
    super(filled);
  }

  static block(last: number, next: number): BundleExpiredError {
    return new BundleExpiredError(fill(BundleExpiredError.entries.block, { last, next }));
  }

  /** Timestamps in seconds since 1970. */
  static timestamp(last: number, next: number): BundleExpiredError {
    return new BundleExpiredError(fill(BundleExpiredError.entries.timestamp, { last, next }));
  }
}

/** The only block for the bundle is mined now, and the bundle fails. Its transactions are not mined. */
export class BundleFailedError extends CodedError {
  static readonly entry = {
    name: 'BundleFailed',
    code: -32000,
    message: 'bundle {bundle} failed: {fault}',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(bundle: Uint8Array, fault: string) {
    super(fill(BundleFailedError.entry, { bundle: toHex(bundle), fault }));
  }
}
