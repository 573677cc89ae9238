/** The Solidity and Vyper stack traces that errors of failed executions have, where the node knows the contracts. */

import type { HeldCall } from '../chain/call-site.ts';
import type { Inspection } from '../inspect/inspection.ts';
import type { InspectionOptions, Inspector } from '../inspect/inspector.ts';
import type { StackFrame } from '../inspect/stack-trace.ts';
import { CodedError } from '../primitives/coded-error.ts';
import type { Awaitable } from '../primitives/task.ts';
import { ExecutionError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';

/** The stack trace of a failure, as errors have it in their data. */
export interface StackOfError {
  readonly stackTrace: readonly StackFrame[];
  /** The stack trace as text, a line for each place. */
  readonly stack: string;
}

/** Milliseconds that an error waits for artifacts that are being read for the first time. */
const LONGEST_WAIT = 500;

/** Resolves to the stack trace of a mined transaction; `null` where the node knows no artifacts, or cannot tell. */
export async function stackOfTransaction(
  context: RpcContext,
  hash: Uint8Array,
): Promise<StackOfError | null> {
  const location = context.inspector.artifacts.isInUse ? context.chain.transaction(hash) : undefined;
  if (location === undefined) return null;
  const { block, index } = location;
  return stackOf(context, (inspector, options) => inspector.transaction(block, index, options));
}

async function stackOf(
  { inspector, checkInterrupt }: RpcContext,
  inspect: (inspector: Inspector, options: InspectionOptions) => Promise<Inspection>,
): Promise<StackOfError | null> {
  try {
    await inspector.artifacts.readyWithin(LONGEST_WAIT);
    const { stackTrace } = await inspect(await inspector.load(), { hasChanges: false, checkInterrupt });
    const { stackText } = await import('../inspect/tree-text.ts');
    return stackTrace.length === 0 ? null : { stackTrace, stack: stackText(stackTrace) };
  } catch (error) {
    // The failure must be told whether it can be explained or not.
    if (error instanceof CodedError) return null;
    throw error;
  }
}

/**
 * Runs a call or an estimate. Where it fails in the execution, and the dialect has stack traces in its messages, the error is thrown
 * with the trace below the first line of its message; where no contract of it is known it stays as it is.
 */
export function withStack<Result>(context: RpcContext, run: () => Awaitable<Result>): Awaitable<Result> {
  const { settings, inspector, call } = context;
  const isTold = settings.compat.messagesHaveStack && inspector.artifacts.isInUse && call !== null;
  return isTold ? tellingStack(context, run) : run();
}

async function tellingStack<Result>(context: RpcContext, run: () => Awaitable<Result>): Promise<Result> {
  let failed: HeldCall | null = null;
  const stopListening = context.chain.events.on('failedCall', (held, _result, caller) => {
    if (caller === context.call) failed = held;
  });
  try {
    return await run();
  } catch (error) {
    throw error instanceof ExecutionError && failed !== null
      ? await explained(context, error, failed)
      : error;
  } finally {
    stopListening();
  }
}

async function explained(
  context: RpcContext,
  error: ExecutionError,
  held: HeldCall,
): Promise<ExecutionError> {
  const told = await stackOf(context, (inspector, options) => inspector.heldCall(held, options));
  // A trace of contracts that are not known would name addresses only.
  if (told === null || told.stackTrace.every(({ source }) => source === null)) return error;
  const { code, shortMessage, data, hint } = error;
  return new ExecutionError(code, shortMessage, data, hint, told.stack);
}
