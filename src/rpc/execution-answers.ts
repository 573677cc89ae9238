import { type CallResult, gasCutText, type HeldCall } from '../chain/call-site.ts';
import { revertReason } from '../evm/revert-reason.ts';
import type { Failure } from '../inspect/failure.ts';
import type { Inspection } from '../inspect/inspection.ts';
import type { InspectionOptions, Inspector } from '../inspect/inspector.ts';
import type { StackFrame } from '../inspect/stack-trace.ts';
import { CodedError } from '../primitives/coded-error.ts';
import type { Awaitable, Task } from '../primitives/task.ts';
import { hexInPieces, type WorkPieces } from '../primitives/work-pieces.ts';
import type { Compat } from './compat.ts';
import { ExecutionError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';

/**
 * The error of an execution that did not succeed: a revert with its reason and data, a halt with its cause in words and the
 * data that the dialect gives to it, none by default (service document, Errors).
 */
export function* executionErrorOf(
  compat: Compat,
  result: CallResult,
  pieces: WorkPieces,
): Task<ExecutionError> {
  const message = failureMessage(compat, result);
  if (result.outcome !== 'revert') return new ExecutionError(compat.haltErrorCode, message, compat.haltData);
  const data = yield* hexInPieces(result.returnData, pieces);
  const hint = compat.revertHint(revertReason(result.returnData));
  return new ExecutionError(compat.executionErrorCode, message, data, hint);
}

/** The message of that error alone. */
export function failureMessage(compat: Compat, result: CallResult): string {
  const message =
    result.outcome === 'revert'
      ? compat.revertMessage(revertReason(result.returnData))
      : compat.haltMessage(result.haltReason ?? 'execution failed');
  return withGasCutText(message, result);
}

/** Returns the message of a failure, with the cut of the gas if the gas was cut. */
export function withGasCutText(message: string, { gasCut }: CallResult): string {
  return gasCut === undefined ? message : `${message} (${gasCutText(gasCut)})`;
}

// The Solidity and Vyper stack traces that errors of failed executions have, where the node knows the contracts.

/** The members of an error about the contracts in which it came about. */
export interface StackOfError {
  /** The stack trace, as errors have it in their data; `stack` is it as text, a line for each place. */
  readonly data: { readonly stackTrace: readonly StackFrame[]; readonly stack: string };
  /** The reason why the execution failed. */
  readonly failure: Failure | null;
}

/** Milliseconds that an error waits for artifacts that are being read for the first time. */
const LONGEST_WAIT = 500;

/** Resolves to the stack trace of a mined transaction; `null` where the node knows no artifacts, or there is none. */
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
    const options = { hasChanges: false, checkInterrupt };
    const { failure, stackTrace } = await inspect(await inspector.load(), options);
    if (stackTrace.length === 0) return null;
    const { stackText } = await import('../inspect/tree-text.ts');
    return { data: { stackTrace, stack: stackText(stackTrace) }, failure };
  } catch (error) {
    // The failure must be reported whether it can be explained or not.
    if (error instanceof CodedError) return null;
    throw error;
  }
}

/** The kinds of reasons that a message has, in other words, without any knowledge of the contract. */
const TOLD_ANYWAY = /\breverted (?:with reason|with panic|without)/;
/** Where a call inside ran out of gas, the message is that of a revert. */
const OUT_OF_GAS = /out of gas/i;

/**
 * Returns the lines below a message: the stack trace, and before it why the execution failed where only the interface or the source of the
 * contract says it, as of custom errors, or only a call inside had the reason: the network's rules take it from a creation that fails.
 */
export function linesBelow(message: string, { failure, data: { stack } }: StackOfError): string {
  const reason = failure?.message ?? '';
  const isTold =
    reason === '' ||
    isToldAnyway(reason, message) ||
    message.includes(reason) ||
    (OUT_OF_GAS.test(reason) && OUT_OF_GAS.test(message));
  return isTold ? stack : `    ${reason}\n${stack}`;
}

function isToldAnyway(reason: string, message: string): boolean {
  const kind = TOLD_ANYWAY.exec(reason)?.[0];
  return kind !== undefined && (kind.endsWith('without') || message.includes(kind));
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
  if (told === null || told.data.stackTrace.every(({ source }) => source === null)) return error;
  const { code, shortMessage, data, hint } = error;
  return new ExecutionError(code, shortMessage, data, hint, linesBelow(shortMessage, told));
}
