import type { ExecutionResult } from '../engine/engine.ts';
import { toHex } from '../primitives/hex.ts';
import type { Compat } from './compat.ts';
import { ExecutionError } from './errors.ts';
import { revertReason } from './views/revert-reason.ts';

/**
 * What a caller hears of an execution that did not succeed: a revert with its reason and data, a halt with its cause
 * in words and no data (service document, Errors).
 */
export function executionErrorOf(compat: Compat, result: ExecutionResult): ExecutionError {
  if (result.outcome === 'revert') {
    const message = compat.revertMessage(revertReason(result.returnData));
    return new ExecutionError(compat.executionErrorCode, message, toHex(result.returnData));
  }
  return new ExecutionError(
    compat.executionErrorCode,
    compat.haltMessage(result.haltReason ?? 'execution failed'),
    undefined,
  );
}
