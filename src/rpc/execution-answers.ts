import type { ExecutionResult } from '../evm/engine.ts';
import { revertReason } from '../evm/revert-reason.ts';
import type { Task } from '../primitives/task.ts';
import { hexInPieces, type WorkPieces } from '../primitives/work-pieces.ts';
import type { Compat } from './compat.ts';
import { ExecutionError } from './errors.ts';

/**
 * The error of an execution that did not succeed: a revert with its reason and data, a halt with its cause in words and the
 * data that the dialect gives to it, none by default (service document, Errors).
 */
export function* executionErrorOf(
  compat: Compat,
  result: ExecutionResult,
  pieces: WorkPieces,
): Task<ExecutionError> {
  const { executionErrorCode: code } = compat;
  if (result.outcome !== 'revert')
    return new ExecutionError(code, failureMessage(compat, result), compat.haltData);
  const reason = revertReason(result.returnData);
  const data = yield* hexInPieces(result.returnData, pieces);
  return new ExecutionError(code, compat.revertMessage(reason), data, compat.revertHint(reason));
}

/** The message of that error alone. */
export function failureMessage(compat: Compat, result: ExecutionResult): string {
  return result.outcome === 'revert'
    ? compat.revertMessage(revertReason(result.returnData))
    : compat.haltMessage(result.haltReason ?? 'execution failed');
}
