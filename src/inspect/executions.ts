/** The executions that can run again with an observer: mined transactions, and calls with their state. */

import type { RecordedCall } from '../chain/call-environment.ts';
import type { Chain } from '../chain/chain.ts';
import type { ExecutionRules } from '../chain/execution/replay.ts';
import type { TracedBlock } from '../chain/execution/tracing.ts';
import type { TracerFactory } from '../evm/tracers/tracer.ts';
import { equalBytes } from '../primitives/bytes.ts';
import type { Block } from '../protocol/block.ts';
import type { CancelCheck } from '../scheduling/cancel-check.ts';

export type InspectedExecution =
  | { readonly call: RecordedCall }
  | { readonly block: Block | TracedBlock; readonly index: number };

/** Runs an execution once with this tracer. Rejects like `ChainTracing`. */
export type Run = <Trace>(createTracer: TracerFactory<Trace>) => Promise<Trace>;

/** Returns a function that runs the execution on its original state. The chain does not change. */
export function runOf(
  { tracing }: Pick<Chain, 'tracing'>,
  execution: InspectedExecution,
  checkCancelled: CancelCheck,
  rules?: ExecutionRules,
): Run {
  if ('call' in execution)
    return (createTracer) => tracing.heldCall(execution.call, createTracer, checkCancelled);
  const { block, index } = execution;
  return (createTracer) => tracing.transaction(block, index, createTracer, checkCancelled, rules);
}

/** True for two executions of the same mined transaction, or of the same recorded call. */
export function isSameExecution(one: InspectedExecution, other: InspectedExecution): boolean {
  if ('call' in one || 'call' in other) return 'call' in one && 'call' in other && one.call === other.call;
  const [block, otherBlock] = [minedBlockOf(one), minedBlockOf(other)];
  if (block === null || otherBlock === null) return false;
  return one.index === other.index && equalBytes(block.hash, otherBlock.hash);
}

/** Returns the mined block of the execution; `null` for a call. */
export function minedBlockOf(execution: InspectedExecution): Block | null {
  if ('call' in execution) return null;
  const { block } = execution;
  return 'before' in block ? block.block : block;
}
