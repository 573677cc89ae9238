import { intrinsicGas } from '../rules/intrinsic-gas.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import type { Transaction } from '../rules/transaction.ts';
import { fieldFault } from '../rules/transaction-validity.ts';
import {
  FeeCapTooLowError,
  GasLimitTooHighError,
  InitcodeTooLargeError,
  InsufficientFundsError,
  IntrinsicGasError,
  InvalidFieldsError,
  NonceTooLowError,
  TransactionTooLargeError,
  UnderpricedError,
} from './errors.ts';

/** Bytes of the longest encoded transaction. */
const MAXIMUM_SIZE = 131_072;

/** What the pool measures a transaction by. */
export interface AdmissionRules {
  readonly ruleSet: RuleSet;
  /** Gas of a whole block. */
  readonly blockGasLimit: bigint;
  /** Wei per gas. */
  readonly minimumGasPrice: bigint;
  /** Wei per gas that the fee cap must reach, where no later block is waited for; `null` where one is. */
  readonly leastFeeCap: bigint | null;
  /** Bytes of code; `null` lifts this limit and those that follow from it. */
  readonly codeSizeLimit: number | null;
}

/** The sender as it stands after the head block; `undefined` when it never existed. */
export type SenderAccount = { readonly nonce: bigint; readonly balance: bigint } | undefined;

/** The most wei a transaction can take from its sender. */
export function maximumCost(transaction: Transaction): bigint {
  return transaction.gasLimit * transaction.maxFeePerGas + transaction.value;
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

/**
 * Checks what a transaction must meet by itself, in the network's order: size, gas limit, nonce, funds, price, cost
 * before execution. Throws a `TransactionRejectedError`.
 */
export function checkAdmission(transaction: Transaction, sender: SenderAccount, rules: AdmissionRules): void {
  const fault = fieldFault(transaction);
  if (fault !== null) throw new InvalidFieldsError(fault);
  const { leastFeeCap } = rules;
  if (leastFeeCap !== null && transaction.maxFeePerGas < leastFeeCap) {
    throw new FeeCapTooLowError(transaction.maxFeePerGas, leastFeeCap);
  }
  const cost = maximumCost(transaction);
  // What costs nothing needs no account: contracts are impersonated before anything is sent to them.
  if (sender === undefined && cost > 0n) {
    throw new InsufficientFundsError('account', 0n, cost);
  }
  checkSize(transaction, rules);
  if (transaction.gasLimit > rules.blockGasLimit) {
    throw new GasLimitTooHighError(transaction.gasLimit, rules.blockGasLimit);
  }
  const nonce = sender?.nonce ?? 0n;
  if (transaction.nonce < nonce) throw new NonceTooLowError(transaction.nonce, nonce);
  const balance = sender?.balance ?? 0n;
  if (balance < cost) throw new InsufficientFundsError('own', balance, cost);
  if (transaction.maxFeePerGas < rules.minimumGasPrice) {
    throw new UnderpricedError(transaction.maxFeePerGas, rules.minimumGasPrice);
  }
  const needed = intrinsicGas(rules.ruleSet, transaction);
  if (transaction.gasLimit < needed) throw new IntrinsicGasError(transaction.gasLimit, needed);
}
