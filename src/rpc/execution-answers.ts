import { type CallResult, gasCutText, type RecordedCall } from '../chain/call-environment.ts';
import type { CallToken } from '../chain/changes.ts';
import { type RevertReason, revertReason } from '../evm/revert-reason.ts';
import type { Failure } from '../inspect/failure.ts';
import type { Inspection } from '../inspect/inspection.ts';
import type { InspectionOptions, Inspector } from '../inspect/inspector.ts';
import type { StackFrame } from '../inspect/stack-trace.ts';
import type { Awaitable } from '../primitives/awaitable.ts';
import { CodedError } from '../primitives/coded-error.ts';
import type { Hex } from '../primitives/hex.ts';
import { hexInSteps, type Steps } from '../primitives/steps.ts';
import { type Compat, isHardhat2 } from './compat.ts';
import { ExecutionError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';

/**
 * Returns the error of a failed execution: a revert with its reason and data, or a halt with its reason. The
 * compat mode decides the data of a halt; by default there is none (service document, Errors).
 */
export function* executionErrorOf(compat: Compat, result: CallResult): Steps<ExecutionError> {
  const message = failureMessage(compat, result);
  if (result.outcome !== 'revert') return new ExecutionError(compat.haltErrorCode, message, compat.haltData);
  const data = yield* hexInSteps(result.returnData);
  return revertErrorOf(compat, { reason: revertReason(result.returnData), data, message });
}

interface Revert {
  readonly reason: RevertReason;
  readonly data: Hex;
  /** By default the message of the reason. */
  readonly message?: string;
}

/** Returns the error of a reverted execution. */
export function revertErrorOf(
  { executionErrorCode, revertMessage, revertHint }: Compat,
  { reason, data, message = revertMessage(reason) }: Revert,
): ExecutionError {
  return new ExecutionError(executionErrorCode, message, data, revertHint(reason));
}

/** Returns the message of a failed execution. */
export function failureMessage(compat: Compat, result: CallResult): string {
  const message =
    result.outcome === 'revert'
      ? compat.revertMessage(revertReason(result.returnData))
      : compat.haltMessage(result.haltReason ?? 'execution failed');
  return withGasCutText(message, result);
}

/** Returns the message of a failure. It includes the gas limit if the gas was capped. */
export function withGasCutText(message: string, { gasCut }: Pick<RecordedCall, 'gasCut'>): string {
  return gasCut === undefined ? message : `${message} (${gasCutText(gasCut)})`;
}

// Solidity and Vyper stack traces in the errors of failed executions, if the node has the artifacts.

/** The stack trace of a failed execution. */
export interface StackOfError {
  /** The members of the error data; `stack` is the trace as text, one line per frame. */
  readonly data: { readonly stackTrace: readonly StackFrame[]; readonly stack: string };
  /**
   * The stack trace after a message. For Hardhat 2, each frame begins with `at`, as in its own stack traces.
   * Hardhat 3 prints Solidity frames without `at`: its reporter would print frames with `at` twice.
   */
  readonly lines: string;
  /** The reason of the failure. */
  readonly failure: Failure | null;
}

/** Maximum milliseconds that an error waits for the first load of artifacts. */
const MAX_WAIT = 500;

/** Resolves to the stack trace of a mined transaction; `null` without artifacts or without a trace. */
export async function stackOfTransaction(
  context: RpcContext,
  hash: Uint8Array,
): Promise<StackOfError | null> {
  const location = context.node.inspector.artifacts.isInUse
    ? context.node.chain.transaction(hash)
    : undefined;
  if (location === undefined) return null;
  const { block, index } = location;
  return stackOf(context, (inspector, options) => inspector.transaction(block, index, options));
}

async function stackOf(
  { node: { inspector }, deadline, connection }: RpcContext,
  inspect: (inspector: Inspector, options: InspectionOptions) => Promise<Inspection>,
): Promise<StackOfError | null> {
  try {
    await inspector.artifacts.readyWithin(MAX_WAIT);
    const options = { hasChanges: false, checkCancelled: deadline };
    const { failure, stackTrace } = await inspect(await inspector.load(), options);
    if (stackTrace.length === 0) return null;
    const { frameText, stackText } = await import('../inspect/tree-text.ts');
    const stack = stackText(stackTrace);
    const lines = isHardhat2(connection.userAgent)
      ? stack
      : stackTrace.map((frame) => `    ${frameText(frame)}`).join('\n');
    return { data: { stackTrace, stack }, lines, failure };
  } catch (error) {
    // The failure must be reported even if it cannot be explained.
    if (error instanceof CodedError) return null;
    throw error;
  }
}

/** An error message in two parts: the first line, and the lines below it. */
export interface ExplainedMessage {
  readonly line: string;
  /** Empty if the compat mode has no stack traces in messages. */
  readonly below: string;
}

/** Returns the message of a failure in known contracts, with Hardhat's stack trace in compat `hardhat`. */
export function explainedMessage(
  { messageWithStack }: Compat,
  message: string,
  { failure, lines }: StackOfError,
): ExplainedMessage {
  if (messageWithStack === null) return { line: message, below: '' };
  const line = (failure === null ? null : messageWithStack(failure)) ?? message;
  // No contract of the project declares the error, so the first line contains the return data.
  return { line, below: failure?.isGuess === true ? `    ${failure.message}\n${lines}` : lines };
}

/**
 * Runs a call or an estimate. In a compat mode with stack traces in messages, the error of a
 * failed execution has the trace below the first line of its message. Without a known contract, the error is
 * unchanged.
 */
export function withStack<Result>(
  context: RpcContext,
  run: (caller: CallToken | null) => Awaitable<Result>,
): Awaitable<Result> {
  const { inspector } = context.node;
  const { settings, call } = context;
  if (settings.compat.messageWithStack === null || !inspector.artifacts.isInUse) return run(call);
  // An in-process request has no token. This token identifies its failure among concurrent requests.
  return explaining(context, call ?? { method: 'request', isAnswered: true }, run);
}

async function explaining<Result>(
  context: RpcContext,
  caller: CallToken,
  run: (caller: CallToken) => Awaitable<Result>,
): Promise<Result> {
  let failed: RecordedCall | null = null;
  const stopListening = context.node.chain.events.on('failedCall', (held, _result, failing) => {
    if (failing === caller) failed = held;
  });
  try {
    return await run(caller);
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
  held: RecordedCall,
): Promise<ExecutionError> {
  const told = await stackOf(context, (inspector, options) => inspector.heldCall(held, options));
  // A trace of unknown contracts would contain only addresses.
  if (told === null || told.data.stackTrace.every(({ source }) => source === null)) return error;
  const { code, shortMessage, data, hint } = error;
  const { line, below } = explainedMessage(context.settings.compat, shortMessage, told);
  const isCutNamed = held.gasCut === undefined || line === shortMessage;
  const message = isCutNamed ? line : withGasCutText(line, held);
  return new ExecutionError(code, message, data, hint, below);
}
