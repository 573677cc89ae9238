// The reasons for rejecting a transaction from the pool.

import { CodedError, type ErrorEntry, type FilledEntry, fill } from '../../primitives/coded-error.ts';
import { codedError, type ErrorBase, errorBase } from '../../primitives/error-class.ts';
import { toHex } from '../../primitives/hex.ts';

/**
 * Thrown for a transaction that the pool rejects. The message is Rootstock's. Text that clients of other
 * nodes recognize follows in brackets.
 */
export abstract class TransactionRejectedError extends CodedError {}

/** Returns the base class of an error that rejects a transaction. */
function rejectedTransaction<const Entry extends ErrorEntry>(
  entry: Entry,
): ErrorBase<Entry, TransactionRejectedError> {
  return errorBase<Entry, TransactionRejectedError>(TransactionRejectedError, entry);
}

/** The transaction is in the pool already. */
export class KnownTransactionError extends rejectedTransaction({
  name: 'AlreadyKnown',
  code: -32010,
  message: '{list} transaction with same hash already exists (already known)',
  page: 'chain',
}) {
  constructor(list: 'pending' | 'queued') {
    super({ list });
  }
}

/** The nonce was used by a mined transaction. */
export class NonceTooLowError extends rejectedTransaction({
  name: 'NonceTooLow',
  code: -32010,
  message: 'transaction nonce too low (nonce too low: got {given}, next is {expected})',
  page: 'chain',
}) {
  constructor(
    readonly given: bigint,
    readonly expected: bigint,
  ) {
    super({ given, expected });
  }
}

/** The nonce exceeds the sender's next nonce by more than Rootstock allows. */
export class NonceTooHighError extends rejectedTransaction({
  name: 'NonceTooHigh',
  code: -32010,
  message: 'transaction nonce too high (nonce too high: got {given}, highest is {highest})',
  page: 'chain',
}) {
  constructor(given: bigint, highest: bigint) {
    super({ given, highest });
  }
}

/** The sender cannot pay for the transaction. Amounts are in wei. */
export class InsufficientFundsError extends rejectedTransaction({
  name: 'InsufficientFunds',
  code: -32010,
  message: '{reason} (insufficient funds for gas * price + value: balance {balance}, cost {cost})',
  page: 'chain',
}) {
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
    super({ reason: texts[reason], balance, cost });
  }
}

/** A delegated account may have only one transaction in the pool. The messages are the same as in rskj. */
export class DelegatedSenderError extends rejectedTransaction({
  name: 'DelegatedSender',
  code: -32010,
  message: '{reason} (RSKIP-545)',
  page: 'chain',
}) {
  constructor(reason: string) {
    super({ reason });
  }
}

/** The price does not suffice to replace the transaction with the same nonce. In wei per gas. */
export class ReplacementUnderpricedError extends rejectedTransaction({
  name: 'ReplacementUnderpriced',
  code: -32010,
  message:
    'gas price not enough to bump transaction (replacement transaction underpriced: got {given}, need {least})',
  page: 'chain',
}) {
  constructor(given: bigint, least: bigint) {
    super({ given, least });
  }
}

/** The gas price is below the minimum of a block. Prices are in wei per gas. */
export class UnderpricedError extends rejectedTransaction({
  name: 'GasPriceTooLow',
  code: -32010,
  message:
    "transaction's gas price lower than block's minimum (transaction underpriced: got {given}, minimum {minimum})",
  page: 'chain',
}) {
  constructor(given: bigint, minimum: bigint) {
    super({ given, minimum });
  }
}

/** The gas limit does not cover the intrinsic gas. */
export class IntrinsicGasError extends rejectedTransaction({
  name: 'IntrinsicGasTooLow',
  code: -32010,
  message:
    "transaction's basic cost is above the gas limit (intrinsic gas too low: have {given}, want {needed})",
  page: 'chain',
}) {
  constructor(
    readonly given: bigint,
    readonly needed: bigint,
  ) {
    super({ given, needed });
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
export class GasPriceTooHighError extends rejectedTransaction({
  name: 'GasPriceTooHigh',
  code: -32010,
  message: "transaction's gas price exceeds cap (got {given}, cap {cap})",
  page: 'chain',
}) {
  constructor(given: bigint, cap: bigint) {
    super({ given, cap });
  }
}

/** The init code of a contract creation is too long. Sizes are in bytes. */
export class InitcodeTooLargeError extends rejectedTransaction({
  name: 'InitcodeTooLarge',
  code: -32010,
  message: "transaction's init code size is invalid (max initcode size exceeded: {size} > {maximum})",
  page: 'chain',
}) {
  constructor(
    readonly size: number,
    readonly maximum: number,
  ) {
    super({ size, maximum });
  }
}

/** The encoded transaction is too long. Sizes are in bytes. */
export class TransactionTooLargeError extends rejectedTransaction({
  name: 'TransactionTooLarge',
  code: -32010,
  message: "transaction's size is higher than defined maximum: {size} > {maximum}",
  page: 'chain',
}) {
  constructor(size: number, maximum: number) {
    super({ size, maximum });
  }
}

/** Too many blobs, or a hash of an unsupported commitment version (EIP-4844). */
export class BlobsRejectedError extends rejectedTransaction({
  name: 'InvalidBlobs',
  code: -32010,
  message: '{message}',
  page: 'chain',
}) {
  constructor(message: string) {
    super({ message });
  }
}

/** The blob fee cap is below the next block's blob base fee. Prices are in wei per blob gas. */
export class BlobFeeCapTooLowError extends rejectedTransaction({
  name: 'BlobFeeCapTooLow',
  code: -32010,
  message: 'max fee per blob gas less than block blob gas fee (got {given}, blob base fee {blobBaseFee})',
  page: 'chain',
}) {
  constructor(given: bigint, blobBaseFee: bigint) {
    super({ given, blobBaseFee });
  }
}

/** The sender has waiting transactions of the other kind (with or without blobs). */
export class MixedTransactionsError extends rejectedTransaction({
  name: 'MixedTransactions',
  code: -32010,
  message:
    'the sender has transactions {waiting} blobs in the pool; wait until they are mined before you send a transaction {given} blobs (address already reserved)',
  page: 'chain',
}) {
  constructor(hasBlobs: boolean) {
    const [waiting, given] = hasBlobs ? ['without', 'with'] : ['with', 'without'];
    super({ waiting, given });
  }
}

/** The sender has code and is not impersonated (EIP-3607). */
export class SenderHasCodeError extends rejectedTransaction({
  name: 'SenderHasCode',
  code: -32010,
  message:
    'the sender {sender} has code (sender not an eoa); impersonate the sender to send its transactions',
  page: 'chain',
}) {
  constructor(sender: Uint8Array) {
    super({ sender: toHex(sender) });
  }
}

/** Clients cannot send REMASC's closing transaction. */
export class RemascTransactionError extends rejectedTransaction({
  name: 'RemascTransaction',
  code: -32010,
  message: 'transaction is a remasc transaction',
  page: 'chain',
}) {}

/** The fields are invalid in any state. */
export class InvalidFieldsError extends rejectedTransaction({
  name: 'InvalidTransactionFields',
  code: -32010,
  message: '{message}',
  page: 'chain',
}) {
  constructor(message: string) {
    super({ message });
  }
}

/** The fee cap is below the next block's base fee. Prices are in wei per gas. */
export class FeeCapTooLowError extends rejectedTransaction({
  name: 'FeeCapTooLow',
  code: -32010,
  message: 'max fee per gas less than block base fee (got {given}, base fee {baseFeePerGas})',
  page: 'chain',
}) {
  constructor(given: bigint, baseFeePerGas: bigint) {
    super({ given, baseFeePerGas });
  }
}

/** The block or the state breaks the condition of the transaction (ERC-7796). */
export class TransactionConditionError extends codedError({
  name: 'TransactionConditionBroken',
  code: -32003,
  message: 'transaction rejected: {fault}',
  page: 'chain',
}) {
  constructor(fault: string) {
    super({ fault });
  }
}

/** A client removed the transaction from the pool while a block executed it. */
export class TransactionDroppedError extends codedError({
  name: 'TransactionDropped',
  code: -32000,
  message: 'transaction dropped: a client removed it from the pool during its execution',
  page: 'chain',
}) {}

/** Too many bundles wait for their block. */
export class TooManyBundlesError extends codedError({
  name: 'TooManyBundles',
  code: -32005,
  message:
    'limit exceeded: at most {count} bundles and {bytes} bytes of transactions can wait for their block; cancel bundles or mine blocks',
  page: 'chain',
}) {
  constructor(count: number, bytes: number) {
    super({ count, bytes });
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
export class BundleFailedError extends codedError({
  name: 'BundleFailed',
  code: -32000,
  message: 'bundle {bundle} failed: {fault}',
  page: 'chain',
}) {
  constructor(bundle: Uint8Array, fault: string) {
    super({ bundle: toHex(bundle), fault });
  }
}
