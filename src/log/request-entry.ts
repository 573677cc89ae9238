import { CodedError } from '../primitives/coded-error.ts';
import { ExecutionError } from '../rpc/errors.ts';
import type { CallReport } from '../server/options.ts';
import type { RequestEntry } from './log-entries.ts';

const INTERNAL_ERROR = -32603;

function errorOf(error: unknown): RequestEntry['error'] {
  if (error === undefined) return null;
  if (error instanceof ExecutionError && error.hint !== undefined) {
    return { code: error.code, message: `${error.message} (${error.hint})` };
  }
  if (error instanceof CodedError) return { code: error.code, message: error.message };
  return { code: INTERNAL_ERROR, message: error instanceof Error ? error.message : String(error) };
}

/** What the log says of a call that the server reports. */
export function requestEntry({ method, durationMs, error }: CallReport): RequestEntry {
  return { method, durationMs: durationMs ?? 0, error: errorOf(error) };
}
