// The checks that a transaction must pass to enter the pool: by itself, against its sender, and against others of its sender there.

import { blobCost, blobsFault } from '../../protocol/blobs.ts';
import { gasPriceCap } from '../../protocol/fees.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { intrinsicGas } from '../../protocol/intrinsic-gas.ts';
import { isRemascTransaction } from '../../protocol/remasc.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { fieldFault } from '../../protocol/transaction.ts';
import { isSigned } from '../../protocol/transaction-encoding.ts';
import { type Code, EMPTY_CODE, isDelegation } from '../../state/account.ts';
import {
  BlobFeeCapTooLowError,
  BlobsRefusedError,
  FeeCapTooLowError,
  GasLimitTooHighError,
  GasPriceTooHighError,
  InitcodeTooLargeError,
  InsufficientFundsError,
  IntrinsicGasError,
  InvalidFieldsError,
  MixedTransactionsError,
  NonceTooHighError,
  NonceTooLowError,
  RemascTransactionError,
  ReplacementUnderpricedError,
  SenderHasCodeError,
  TransactionTooLargeError,
  UnderpricedError,
} from './errors.ts';

/** The maximum size of an encoded transaction, in bytes. */
const MAXIMUM_SIZE = 131_072;

/** The number of nonces from the sender's next one on that the network accepts. */
const NONCE_WINDOW = 16n;

/** The limits and prices that admission checks. */
export interface AdmissionRules {
  readonly ruleSet: RuleSet;
  /**
   * The maximum gas of one transaction: that of a whole block, of the part of it that the network's limits leave, or that
   * of any transaction (EIP-7825).
   */
  readonly transactionGasLimit: bigint;
  /** Wei per gas. */
  readonly minimumGasPrice: bigint;
  /** The minimum fee cap in wei per gas when no later block is waited for; `null` otherwise. */
  readonly leastFeeCap: bigint | null;
  /** The minimum fee cap in wei per blob gas when no later block is waited for; `null` otherwise. */
  readonly leastBlobFeeCap: bigint | null;
  /** Bytes of code; `null` lifts this limit and those derived from it. */
  readonly codeSizeLimit: number | null;
  /** True for a sender that may be a contract, whatever the rule set says: one that is impersonated. */
  readonly senderMayHaveCode: boolean;
  /** True to apply the network's own limits, which are narrower, and its accounting. */
  readonly networkLimits: boolean;
}

/** The sender after the head block, without code where it has none; `undefined` when it never existed. */
export type SenderAccount =
  | { readonly nonce: bigint; readonly balance: bigint; readonly code?: Code }
  | undefined;

/** Returns the most wei that a transaction can take from its sender. */
export function maximumCost(transaction: Transaction): bigint {
  return transaction.gasLimit * transaction.maxFeePerGas + transaction.value + blobCost(transaction);
}

/**
 * Returns the balance that the sender must have; the network counts the value of the sender's other transactions only.
 */
function leastBalance(transaction: Transaction, rules: AdmissionRules): bigint {
  const { gasLimit, maxFeePerGas } = transaction;
  return rules.networkLimits ? gasLimit * maxFeePerGas : maximumCost(transaction);
}

function checkNonce({ nonce }: Transaction, sender: SenderAccount, rules: AdmissionRules): void {
  const next = sender?.nonce ?? 0n;
  if (nonce < next) throw new NonceTooLowError(nonce, next);
  if (rules.networkLimits && nonce >= next + NONCE_WINDOW) {
    throw new NonceTooHighError(nonce, next + NONCE_WINDOW - 1n);
  }
}

function checkCode(transaction: Transaction, sender: SenderAccount, rules: AdmissionRules): void {
  if (rules.senderMayHaveCode || !rules.ruleSet.accounts.codeKeepsFromSending) return;
  const { bytes } = sender?.code ?? EMPTY_CODE;
  if (bytes.length === 0 || isDelegation(bytes) || !isSigned(transaction)) return;
  throw new SenderHasCodeError(transaction.sender);
}

function checkSize(transaction: Transaction, rules: AdmissionRules): void {
  if (rules.codeSizeLimit === null) return;
  const { maximumInitcodeSize, maximumCodeSize } = rules.ruleSet;
  const isDefault = rules.codeSizeLimit === maximumCodeSize;
  if (transaction.to === null && maximumInitcodeSize !== null) {
    const maximum = isDefault ? maximumInitcodeSize : 2 * rules.codeSizeLimit;
    if (transaction.data.length > maximum) throw new InitcodeTooLargeError(transaction.data.length, maximum);
  }
  const maximumSize = Math.max(MAXIMUM_SIZE, 4 * rules.codeSizeLimit);
  if (transaction.raw.length > maximumSize)
    throw new TransactionTooLargeError(transaction.raw.length, maximumSize);
}

/** Checks the number and the kind of the blobs, and their fee where no later block is waited for. */
function checkBlobs(transaction: Transaction, { ruleSet, leastBlobFeeCap }: AdmissionRules): void {
  const { blobVersionedHashes, maxFeePerBlobGas } = transaction;
  const fault = blobsFault(blobVersionedHashes, ruleSet);
  if (fault !== null) throw new BlobsRefusedError(fault);
  if (blobVersionedHashes.length > 0 && leastBlobFeeCap !== null && maxFeePerBlobGas < leastBlobFeeCap) {
    throw new BlobFeeCapTooLowError(maxFeePerBlobGas, leastBlobFeeCap);
  }
}

/**
 * Checks the conditions on a single transaction, in the network's order: code of the sender, size, gas limit, nonce, funds, price,
 * intrinsic gas, highest price. Throws a `TransactionRejectedError`.
 */
export function checkAdmission(transaction: Transaction, sender: SenderAccount, rules: AdmissionRules): void {
  if (isRemascTransaction(transaction)) throw new RemascTransactionError();
  const fault = fieldFault(transaction);
  if (fault !== null) throw new InvalidFieldsError(fault);
  checkBlobs(transaction, rules);
  const { leastFeeCap } = rules;
  if (leastFeeCap !== null && transaction.maxFeePerGas < leastFeeCap) {
    throw new FeeCapTooLowError(transaction.maxFeePerGas, leastFeeCap);
  }
  const cost = maximumCost(transaction);
  // A transaction without cost needs no account here: contracts are impersonated before they receive any funds.
  if (sender === undefined && (cost > 0n || rules.networkLimits)) {
    throw new InsufficientFundsError('account', 0n, cost);
  }
  checkCode(transaction, sender, rules);
  checkSize(transaction, rules);
  if (transaction.gasLimit > rules.transactionGasLimit) {
    const { maximumTransactionGas } = rules.ruleSet;
    const isOwnLimit = maximumTransactionGas === rules.transactionGasLimit;
    const reason = rules.networkLimits ? 'sequential list' : isOwnLimit ? 'transaction' : 'block';
    throw new GasLimitTooHighError(transaction.gasLimit, rules.transactionGasLimit, reason);
  }
  checkNonce(transaction, sender, rules);
  const balance = sender?.balance ?? 0n;
  const needed = leastBalance(transaction, rules);
  if (balance < needed) throw new InsufficientFundsError('own', balance, needed);
  if (transaction.maxFeePerGas < rules.minimumGasPrice) {
    throw new UnderpricedError(transaction.maxFeePerGas, rules.minimumGasPrice);
  }
  const basicCost = intrinsicGas(rules.ruleSet, transaction);
  if (transaction.gasLimit < basicCost) throw new IntrinsicGasError(transaction.gasLimit, basicCost);
  const cap = rules.networkLimits ? gasPriceCap(rules.minimumGasPrice) : null;
  if (cap !== null && transaction.maxFeePerGas > cap) {
    throw new GasPriceTooHighError(transaction.maxFeePerGas, cap);
  }
}

function hasBlobs({ blobVersionedHashes }: Transaction): boolean {
  return blobVersionedHashes.length > 0;
}

/**
 * Throws {@link MixedTransactionsError} where a sender's transactions would not all have blobs, or all have none, `other` being
 * one that waits: nodes keep those with blobs in a pool of their own.
 */
export function checkKind(transaction: Transaction, other: Transaction | undefined): void {
  if (other !== undefined && hasBlobs(other) !== hasBlobs(transaction)) {
    throw new MixedTransactionsError(hasBlobs(transaction));
  }
}

/** The percent by which each fee of a transaction with blobs must be higher to replace another one, as nodes have it. */
const BLOB_BUMP_PERCENT = 100n;

/** Throws {@link ReplacementUnderpricedError} unless each fee is higher than that of the transaction in whose place it comes. */
export function checkReplacement(old: Transaction, replacement: Transaction, rules: AdmissionRules): void {
  const percent = hasBlobs(old) ? BLOB_BUMP_PERCENT : rules.ruleSet.replacementBumpPercent;
  const bump = (price: bigint): bigint => {
    const raised = (price * (100n + percent) + 99n) / 100n;
    return raised > price ? raised : price + 1n;
  };
  const leastFee = bump(old.maxFeePerGas);
  if (replacement.maxFeePerGas < leastFee)
    throw new ReplacementUnderpricedError(replacement.maxFeePerGas, leastFee);
  const leastPriority = bump(old.maxPriorityFeePerGas);
  if (replacement.maxPriorityFeePerGas < leastPriority) {
    throw new ReplacementUnderpricedError(replacement.maxPriorityFeePerGas, leastPriority);
  }
  const leastBlobFee = hasBlobs(old) ? bump(old.maxFeePerBlobGas) : 0n;
  if (replacement.maxFeePerBlobGas < leastBlobFee) {
    throw new ReplacementUnderpricedError(replacement.maxFeePerBlobGas, leastBlobFee);
  }
}
