import { CodedError } from '../primitives/coded-error.ts';
import type { CallReport } from '../server/options.ts';
import type { RequestEntry } from './log-entries.ts';

const INTERNAL_ERROR = -32603;

function errorOf(error: unknown): RequestEntry['error'] {
  if (error === undefined) return null;
  if (error instanceof CodedError) return { code: error.code, message: error.message };
  return { code: INTERNAL_ERROR, message: error instanceof Error ? error.message : String(error) };
}

/** What the log says of a call that the server reports; `mask` takes secrets out of what the caller wrote. */
export function requestEntry(
  { method, durationMs, error }: CallReport,
  mask: (text: string) => string,
): RequestEntry {
  const told = errorOf(error);
  return {
    method: mask(method),
    durationMs: durationMs ?? 0,
    error: told && { ...told, message: mask(told.message) },
  };
}
