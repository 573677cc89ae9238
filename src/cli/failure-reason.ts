import type { ExecutionResult } from '../engine/engine.ts';
import { revertReason } from '../rpc/views/revert-reason.ts';

/** Why an execution failed, in words a person reads; `null` for one that succeeded. */
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
      return `reverted with custom error ${reason.data}`;
  }
}
