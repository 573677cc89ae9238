// The rules for a transaction to enter the pool: its fields, its sender, and the sender's other transactions.

import type { AdmittedTransaction } from '../../evm/admission.ts';
import { blobsFault } from '../../protocol/blobs.ts';
import { gasPriceCap } from '../../protocol/fees.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { isRemascTransaction } from '../../protocol/remasc.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { fieldFault } from '../../protocol/transaction.ts';
import { isSigned } from '../../protocol/transaction-encoding.ts';
import { type Code, EMPTY_CODE, isDelegation } from '../../state/account.ts';
import {
  BlobFeeCapTooLowError,
  BlobsRejectedError,
  DelegatedSenderError,
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

/** Maximum size of an encoded transaction, in bytes. */
const MAXIMUM_SIZE = 131_072;

/** Rootstock accepts this number of nonces, starting at the sender's next one. */
const NONCE_WINDOW = 16n;

/** The limits and prices that admission checks. */
export interface AdmissionRules {
  readonly ruleSet: RuleSet;
  /** Maximum gas of one transaction: the block's, the part that Rootstock allows, or the EIP-7825 cap. */
  readonly transactionGasLimit: bigint;
  /** Wei per gas. */
  readonly minimumGasPrice: bigint;
  /** Minimum fee cap (wei per gas) if the next block must include the transaction; otherwise `null`. */
  readonly minFeeCap: bigint | null;
  /** Minimum fee cap (wei per blob gas) if the next block must include the transaction; otherwise `null`. */
  readonly minBlobFeeCap: bigint | null;
  /** Maximum bytes of code. `null` removes this limit and limits derived from it. */
  readonly codeSizeLimit: number | null;
  /** True if the sender may be a contract under any rule set, because it is impersonated. */
  readonly senderMayHaveCode: boolean;
  /** False to admit a transaction that its sender cannot pay yet. */
  readonly checksBalances: boolean;
  /** True to apply Rootstock's narrower limits and its accounting. */
  readonly networkLimits: boolean;
  /** True if any higher fee cap replaces a pending transaction, as in Anvil. */
  readonly replacesAtAnyIncrease: boolean;
}

/** The sender after the head block, or `undefined` if it does not exist. `code` is absent without code. */
export type SenderAccount =
  | { readonly nonce: bigint; readonly balance: bigint; readonly code?: Code }
  | undefined;

/** Returns the required balance. Rootstock counts only the value of the sender's other transactions. */
function minBalance({ transaction, maximumCost }: AdmittedTransaction, rules: AdmissionRules): bigint {
  return rules.networkLimits ? transaction.gasLimit * rules.ruleSet.fees.offer(transaction) : maximumCost;
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

/** Checks number and kind of the blobs, and their fee cap if the next block must include them. */
function checkBlobs(transaction: Transaction, { ruleSet, minBlobFeeCap }: AdmissionRules): void {
  const { blobVersionedHashes, maxFeePerBlobGas } = transaction;
  if (blobVersionedHashes.length === 0) return;
  const fault = blobsFault(blobVersionedHashes, ruleSet);
  if (fault !== null) throw new BlobsRejectedError(fault);
  if (minBlobFeeCap !== null && maxFeePerBlobGas < minBlobFeeCap) {
    throw new BlobFeeCapTooLowError(maxFeePerBlobGas, minBlobFeeCap);
  }
}

/**
 * Checks a single transaction in Rootstock's order: sender's code, size, gas limit, nonce, funds, price,
 * intrinsic gas, price cap. Throws a `TransactionRejectedError`.
 */
export function checkAdmission(
  admitted: AdmittedTransaction,
  sender: SenderAccount,
  rules: AdmissionRules,
): void {
  const { transaction, maximumCost: cost } = admitted;
  if (isRemascTransaction(transaction)) throw new RemascTransactionError();
  const fault = fieldFault(transaction);
  if (fault !== null) throw new InvalidFieldsError(fault);
  checkBlobs(transaction, rules);
  const { minFeeCap } = rules;
  if (minFeeCap !== null && transaction.maxFeePerGas < minFeeCap) {
    throw new FeeCapTooLowError(transaction.maxFeePerGas, minFeeCap);
  }
  // A transaction without cost needs no account. Contracts are impersonated before they receive funds.
  if (rules.checksBalances && sender === undefined && (cost > 0n || rules.networkLimits)) {
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
  const needed = minBalance(admitted, rules);
  if (rules.checksBalances && balance < needed) throw new InsufficientFundsError('own', balance, needed);
  const price = rules.ruleSet.fees.offer(transaction);
  if (price < rules.minimumGasPrice) throw new UnderpricedError(price, rules.minimumGasPrice);
  const basicCost = admitted.intrinsicGas(rules.ruleSet);
  if (transaction.gasLimit < basicCost) throw new IntrinsicGasError(transaction.gasLimit, basicCost);
  const cap = rules.networkLimits ? gasPriceCap(rules.minimumGasPrice) : null;
  if (cap !== null && price > cap) throw new GasPriceTooHighError(price, cap);
}

/**
 * Checks a transaction of a delegated account (RSKIP-545). Throws {@link DelegatedSenderError} if the account has
 * another transaction in the pool, or if the nonce is not the next one.
 */
export function checkDelegatedSender(
  transaction: Transaction,
  sender: SenderAccount,
  hasOther: boolean,
  { ruleSet }: AdmissionRules,
): void {
  if (!ruleSet.accounts.delegatedSendOnlyOne || !isDelegation((sender?.code ?? EMPTY_CODE).bytes)) return;
  if (hasOther) throw new DelegatedSenderError('delegated account already has a transaction in the pool');
  if (transaction.nonce > (sender?.nonce ?? 0n))
    throw new DelegatedSenderError('gapped-nonce transaction from delegated account');
}

function hasBlobs({ blobVersionedHashes }: Transaction): boolean {
  return blobVersionedHashes.length > 0;
}

/**
 * Throws {@link MixedTransactionsError} if the sender has transactions both with and without blobs. `other`
 * is one of its waiting transactions. Nodes keep blob transactions in a separate pool.
 */
export function checkKind(transaction: Transaction, other: Transaction | undefined): void {
  if (other !== undefined && hasBlobs(other) !== hasBlobs(transaction)) {
    throw new MixedTransactionsError(hasBlobs(transaction));
  }
}

/** Minimum price increase in percent to replace a blob transaction, as in public nodes. */
const BLOB_BUMP_PERCENT = 100n;

function bumpPercent(old: Transaction, { ruleSet, replacesAtAnyIncrease }: AdmissionRules): bigint {
  if (replacesAtAnyIncrease) return 0n;
  return hasBlobs(old) ? BLOB_BUMP_PERCENT : ruleSet.replacementBumpPercent;
}

/** Throws {@link ReplacementUnderpricedError} unless every fee is higher by the required percentage. */
export function checkReplacement(old: Transaction, replacement: Transaction, rules: AdmissionRules): void {
  const percent = bumpPercent(old, rules);
  const bump = (price: bigint): bigint => {
    const raised = (price * (100n + percent) + 99n) / 100n;
    return raised > price ? raised : price + 1n;
  };
  const { fees } = rules.ruleSet;
  if (fees.name === 'two fees') {
    const [least, given] = [bump(fees.offer(old)), fees.offer(replacement)];
    if (given < least) throw new ReplacementUnderpricedError(given, least);
    return;
  }
  const minFee = bump(old.maxFeePerGas);
  if (replacement.maxFeePerGas < minFee)
    throw new ReplacementUnderpricedError(replacement.maxFeePerGas, minFee);
  if (rules.replacesAtAnyIncrease) return;
  const minPriority = bump(old.maxPriorityFeePerGas);
  if (replacement.maxPriorityFeePerGas < minPriority) {
    throw new ReplacementUnderpricedError(replacement.maxPriorityFeePerGas, minPriority);
  }
  const minBlobFee = hasBlobs(old) ? bump(old.maxFeePerBlobGas) : 0n;
  if (replacement.maxFeePerBlobGas < minBlobFee) {
    throw new ReplacementUnderpricedError(replacement.maxFeePerBlobGas, minBlobFee);
  }
}
