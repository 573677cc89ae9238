import type { ExecutionResult } from '../evm/engine.ts';
import { revertReason } from '../evm/revert-reason.ts';
import { toHex } from '../primitives/hex.ts';
import type { Compat } from './compat.ts';
import { ExecutionError } from './errors.ts';

/**
 * The error of an execution that did not succeed: a revert with its reason and data, a halt with its cause in words and the
 * data that the dialect gives to it, none by default (service document, Errors).
 */
export function executionErrorOf(compat: Compat, result: ExecutionResult): ExecutionError {
  if (result.outcome === 'revert') {
    const reason = revertReason(result.returnData);
    const message = compat.revertMessage(reason);
    const data = toHex(result.returnData);
    return new ExecutionError(compat.executionErrorCode, message, data, compat.revertHint(reason));
  }
  return new ExecutionError(
    compat.executionErrorCode,
    compat.haltMessage(result.haltReason ?? 'execution failed'),
    compat.haltData,
  );
}

/**
 * The same of a transaction that stands in a block. Its data tell the hash besides, in the form in which Hardhat's
 * clients look into them.
 */
export function failedSendErrorOf(compat: Compat, result: ExecutionResult, hash: Uint8Array): ExecutionError {
  const { code, message, data } = executionErrorOf(compat, result);
  return new ExecutionError(code, message, { message, txHash: toHex(hash), data });
}
