import {
  BlockNotCanonicalError,
  BlockNotFoundError,
  NotInRuleSetError,
  PrecompileMoveError,
  ReceiptTimeoutError,
  TimestampTooLowError,
  TransactionMinedError,
} from '../chain/errors.ts';
import {
  GasLimitTooHighError,
  InitcodeTooLargeError,
  InsufficientFundsError,
  IntrinsicGasError,
  NonceTooLowError,
  TransactionRejectedError,
} from '../chain/pool/errors.ts';
import type { CodedError } from '../primitives/coded-error.ts';
import { TransactionTypeError } from '../protocol/errors.ts';
import { commonChecksumAddress } from '../wallet/address.ts';
import { AccountNotFoundError, TypedDataError } from '../wallet/errors.ts';
import { CompatError, InvalidValueError, LogBlockNotFoundError } from './errors.ts';

/** Converts an error to the form of a compat mode; `undefined` for other errors. */
export type ErrorForm = (error: unknown) => CompatError | undefined;

/** The form of all errors of a class: the code, and the message if clients and tests compare it. */
function formOf<E extends CodedError>(
  errorClass: abstract new (...parts: never[]) => E,
  code: number,
  words: (error: E) => string = ({ message }) => message,
): ErrorForm {
  return (error) => (error instanceof errorClass ? new CompatError(code, words(error), error) : undefined);
}

/** The code of EIP-1898, which tools for Anvil and Hardhat use. */
const NOT_CANONICAL = -32000;

/** Other errors have the code of their class, from the service document or Rootstock. */
export const SERVICE_ERRORS: readonly ErrorForm[] = [
  // A transaction of an unknown type has the code of the transactions that the pool rejects.
  formOf(TransactionTypeError, -32010),
];

const MOVE_CODES = { source: -32000, overridden: -32000, itself: -38022, taken: -38023 } as const;

/** Anvil's codes (crates/anvil/src/eth/error). */
export const ANVIL_ERRORS: readonly ErrorForm[] = [
  formOf(IntrinsicGasError, -32000),
  formOf(
    GasLimitTooHighError,
    -32000,
    ({ given, most, reason }) =>
      `intrinsic gas too high -- ${reason === 'transaction' ? 'tx.gas_limit > resolved tx gas limit cap' : 'CallerGasLimitMoreThanBlock'} (got ${given}, maximum ${most}; raise it with ${reason === 'transaction' ? '--tx-gas-limit' : '--gas-limit'})`,
  ),
  formOf(ReceiptTimeoutError, 4, () => 'Transaction confirmation timeout'),
  formOf(TransactionRejectedError, -32003),
  formOf(
    BlockNotFoundError,
    -32602,
    ({ wanted, head }) => `BlockOutOfRangeError: block height is ${head} but requested was ${wanted}`,
  ),
  formOf(BlockNotCanonicalError, NOT_CANONICAL),
  formOf(LogBlockNotFoundError, -32000, () => 'unknown block'),
  // The codes of execution-apis.
  (error) =>
    error instanceof PrecompileMoveError
      ? new CompatError(MOVE_CODES[error.fault], error.message, error)
      : undefined,
];

/** Leaves an error unchanged. */
export const UNCHANGED: ErrorForm = () => undefined;

/** The error of geth and Anvil for a simulation on an unknown block. */
export const ANVIL_SIMULATION_BASE_ERROR: ErrorForm = formOf(
  BlockNotFoundError,
  -32000,
  () => 'header not found',
);

/**
 * Hardhat's messages for pool errors. Client libraries choose the error class by the words in parentheses.
 */
const HARDHAT_POOL_ERRORS: readonly ErrorForm[] = [
  formOf(
    InsufficientFundsError,
    -32000,
    ({ balance, cost }) =>
      `Sender doesn't have enough funds to send tx. The max upfront cost is: ${cost} and the sender's balance is: ${balance}. (insufficient funds for gas * price + value)`,
  ),
  formOf(
    NonceTooLowError,
    -32000,
    ({ given, expected }) => `Nonce too low. Expected nonce to be ${expected} but got ${given}.`,
  ),
  formOf(
    IntrinsicGasError,
    -32000,
    ({ given, needed }) =>
      `Transaction requires at least ${needed} gas but got ${given} (intrinsic gas too low)`,
  ),
  formOf(GasLimitTooHighError, -32000, ({ given, most, reason, message }) => {
    if (reason === 'sequential list') return message;
    return reason === 'block'
      ? `Transaction gas limit is ${given} and exceeds block gas limit of ${most} (raise it with --gas-limit)`
      : `Transaction gas limit is ${given} and exceeds transaction gas cap of ${most} (transaction gas limit too high; raise it with --tx-gas-limit)`;
  }),
  formOf(
    InitcodeTooLargeError,
    -32000,
    ({ size, maximum }) =>
      `Trying to send a deployment transaction whose init code length is ${size}. The max length allowed by EIP-3860 is ${maximum}. (max initcode size exceeded)`,
  ),
];

/** Hardhat's codes (crates/edr_provider/src/error.rs): well-formed invalid input is -32000 as a rule. */
export const HARDHAT_ERRORS: readonly ErrorForm[] = [
  ...HARDHAT_POOL_ERRORS,
  formOf(TransactionRejectedError, -32000),
  formOf(
    BlockNotFoundError,
    -32000,
    ({ wanted, head }) => `Received invalid block tag ${wanted}. Latest block number is ${head}`,
  ),
  formOf(BlockNotCanonicalError, NOT_CANONICAL),
  formOf(LogBlockNotFoundError, -32602, () => 'blockHash cannot be found'),
  formOf(TimestampTooLowError, -32000, ({ given, headTimestamp }) =>
    given === headTimestamp
      ? `Timestamp ${given} is equal to the previous block's timestamp`
      : `Timestamp ${given} is lower than the previous block's timestamp ${headTimestamp}`,
  ),
  formOf(AccountNotFoundError, -32000, ({ address }) => `Unknown account ${commonChecksumAddress(address)}`),
  formOf(TransactionMinedError, -32602),
  formOf(NotInRuleSetError, -32000),
  formOf(TypedDataError, -32000),
  formOf(InvalidValueError, -32000),
];
