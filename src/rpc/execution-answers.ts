import { type CallResult, gasCutText, type HeldCall } from '../chain/call-site.ts';
import type { CallToken } from '../chain/changes.ts';
import { revertReason } from '../evm/revert-reason.ts';
import type { Failure } from '../inspect/failure.ts';
import type { Inspection } from '../inspect/inspection.ts';
import type { InspectionOptions, Inspector } from '../inspect/inspector.ts';
import type { StackFrame } from '../inspect/stack-trace.ts';
import { CodedError } from '../primitives/coded-error.ts';
import type { Awaitable, Task } from '../scheduling/task.ts';
import { hexInPieces, type WorkPieces } from '../scheduling/work-pieces.ts';
import { type Compat, isHardhat2 } from './compat.ts';
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
export function withGasCutText(message: string, { gasCut }: Pick<HeldCall, 'gasCut'>): string {
  return gasCut === undefined ? message : `${message} (${gasCutText(gasCut)})`;
}

// The Solidity and Vyper stack traces that errors of failed executions have, where the node knows the contracts.

/** The members of an error about the contracts in which it came about. */
export interface StackOfError {
  /** The stack trace, as errors have it in their data; `stack` is it as text, a line for each place. */
  readonly data: { readonly stackTrace: readonly StackFrame[]; readonly stack: string };
  /**
   * The stack trace below a message. For Hardhat 2, each frame begins with `at`, as in its own stack traces. Hardhat 3 prints
   * Solidity frames without `at`. With `at`, its reporter prints each frame twice, and leaves out the name of the error.
   */
  readonly lines: string;
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
    await inspector.artifacts.readyWithin(LONGEST_WAIT);
    const options = { hasChanges: false, checkInterrupt: deadline };
    const { failure, stackTrace } = await inspect(await inspector.load(), options);
    if (stackTrace.length === 0) return null;
    const { frameText, stackText } = await import('../inspect/tree-text.ts');
    const stack = stackText(stackTrace);
    const lines = isHardhat2(connection.userAgent)
      ? stack
      : stackTrace.map((frame) => `    ${frameText(frame)}`).join('\n');
    return { data: { stackTrace, stack }, lines, failure };
  } catch (error) {
    // The failure must be reported whether it can be explained or not.
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

/** Returns the message of a failure in known contracts: Hardhat's line with its stack trace in compat `hardhat`, else `message`. */
export function explainedMessage(
  { messageWithStack }: Compat,
  message: string,
  { failure, lines }: StackOfError,
): ExplainedMessage {
  if (messageWithStack === null) return { line: message, below: '' };
  const line = (failure === null ? null : messageWithStack(failure)) ?? message;
  // No contract of the project declares the error, so that the first line has the return data.
  return { line, below: failure?.isGuess === true ? `    ${failure.message}\n${lines}` : lines };
}

/**
 * Runs a call or an estimate for `caller`. In a compat mode with stack traces in messages, a failed execution throws the error with
 * the trace below the first line of its message. The error is unchanged if no contract of the execution is known.
 */
export function withStack<Result>(
  context: RpcContext,
  run: (caller: CallToken | null) => Awaitable<Result>,
): Awaitable<Result> {
  const {
    settings,
    node: { inspector },
    call,
  } = context;
  if (settings.compat.messageWithStack === null || !inspector.artifacts.isInUse) return run(call);
  // An in-process request has no token. This token identifies its failure among concurrent requests.
  return explaining(context, call ?? { method: 'request', isAnswered: true }, run);
}

async function explaining<Result>(
  context: RpcContext,
  caller: CallToken,
  run: (caller: CallToken) => Awaitable<Result>,
): Promise<Result> {
  let failed: HeldCall | null = null;
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
  held: HeldCall,
): Promise<ExecutionError> {
  const told = await stackOf(context, (inspector, options) => inspector.heldCall(held, options));
  // A trace of contracts that are not known would name addresses only.
  if (told === null || told.data.stackTrace.every(({ source }) => source === null)) return error;
  const { code, shortMessage, data, hint } = error;
  const { line, below } = explainedMessage(context.settings.compat, shortMessage, told);
  const isCutNamed = held.gasCut === undefined || line === shortMessage;
  const message = isCutNamed ? line : withGasCutText(line, held);
  return new ExecutionError(code, message, data, hint, below);
}
