// Reverts of calls that an upstream executed.

import { revertReason } from '../../evm/revert-reason.ts';
import { UpstreamRejectionError } from '../../fork/errors.ts';
import { toHex } from '../../primitives/hex.ts';
import { asObject, tolerantData } from '../../wire/tolerant.ts';
import type { Compat } from '../compat.ts';
import { revertErrorOf } from '../execution-answers.ts';

/** Some nodes write this word before the data. */
const WORD = /^reverted /i;

/** Returns the return data in the data of an error; `undefined` if absent. */
function returnDataOf(data: unknown): Uint8Array | undefined {
  const found = asObject(data)?.data ?? data;
  return typeof found === 'string' ? tolerantData(found.replace(WORD, '')) : undefined;
}

/**
 * Returns the error of a local revert if the upstream reports a revert with its data, because nodes report reverts
 * with different codes. Returns other errors unchanged.
 */
export function localRevert(compat: Compat, error: unknown): unknown {
  if (!(error instanceof UpstreamRejectionError)) return error;
  const data = returnDataOf(error.data);
  // Halted executions have empty data too.
  if (data === undefined || (data.length === 0 && !/revert/i.test(error.message))) return error;
  return revertErrorOf(compat, { reason: revertReason(data), data: toHex(data) });
}
