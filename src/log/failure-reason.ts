import type { ExecutionResult } from '../evm/engine.ts';
import { revertReason } from '../rpc/views/revert-reason.ts';

/** Returns why an execution failed, in words a person reads; `null` for one that succeeded. */
export function failureReason(result: ExecutionResult): string | null {
  if (result.outcome === 'success') return null;
  if (result.outcome === 'halt') return result.haltReason ?? 'halted';
  const reason = revertReason(result.returnData);
  switch (reason.kind) {
    case 'none':
      return 'reverted without a reason';
    case 'text':
      return `reverted with reason '${reason.text}'`;
    case 'panic':
      return `reverted with panic 0x${reason.panicCode.toString(16)} (${reason.words})`;
    case 'custom':
      return `reverted with custom error ${reason.selector}`;
  }
}

/** Digits of a word of the ABI. */
const WORD_DIGITS = 64;

/** Returns what stands behind the selector of a custom error, in words of 32 bytes; nothing for other failures. */
export function errorArguments(result: ExecutionResult): string[] {
  if (result.outcome !== 'revert') return [];
  const reason = revertReason(result.returnData);
  if (reason.kind !== 'custom') return [];
  const digits = reason.data.slice(reason.selector.length);
  return Array.from(
    { length: Math.ceil(digits.length / WORD_DIGITS) },
    (_, index) => `0x${digits.slice(index * WORD_DIGITS, (index + 1) * WORD_DIGITS)}`,
  );
}
