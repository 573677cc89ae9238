import { TransactionRejectedError } from '../chain/pool/errors.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import { revertReason } from '../evm/revert-reason.ts';
import type { StackFrame } from '../inspect/stack-trace.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { type Hex, hexKey, toHex } from '../primitives/hex.ts';
import { hexInPieces } from '../primitives/hex-pieces.ts';
import { runTask, type Task } from '../primitives/task.ts';
import { WorkPieces } from '../primitives/work-pieces.ts';
import { InvalidChainIdError, InvalidTransactionError, TransactionTypeError } from '../protocol/errors.ts';
import type { Compat } from './compat.ts';
import { ExecutionError, UnreadableTransactionError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';

/**
 * The error of an execution that did not succeed: a revert with its reason and data, a halt with its cause in words and the
 * data that the dialect gives to it, none by default (service document, Errors).
 */
export function* executionErrorOf(
  compat: Compat,
  result: ExecutionResult,
  pieces: WorkPieces,
): Task<ExecutionError> {
  const { executionErrorCode: code } = compat;
  if (result.outcome !== 'revert')
    return new ExecutionError(code, failureMessage(compat, result), compat.haltData);
  const reason = revertReason(result.returnData);
  const data = yield* hexInPieces(result.returnData, pieces);
  return new ExecutionError(code, compat.revertMessage(reason), data, compat.revertHint(reason));
}

/** The message of that error alone. */
export function failureMessage(compat: Compat, result: ExecutionResult): string {
  return result.outcome === 'revert'
    ? compat.revertMessage(revertReason(result.returnData))
    : compat.haltMessage(result.haltReason ?? 'execution failed');
}

/**
 * Returns the error of a transaction that stands in a block. Its data contain the hash too, in the form in which Hardhat's
 * clients look into them.
 */
function* failedSendErrorOf(
  compat: Compat,
  result: ExecutionResult,
  hash: Uint8Array,
  stack: StackOfError | null,
  pieces: WorkPieces,
): Task<ExecutionError> {
  const { code, message, data } = yield* executionErrorOf(compat, result, pieces);
  return new ExecutionError(code, message, { message, txHash: toHex(hash), data, ...stack });
}

/** The stack trace of a failure, as errors have it in their data. */
export interface StackOfError {
  readonly stackTrace: readonly StackFrame[];
  /** The same as text, a line for each place. */
  readonly stack: string;
}

/** Milliseconds that the error of a send waits for artifacts that are being read for the first time. */
const LONGEST_WAIT = 500;

/** Resolves to the stack trace of a mined transaction; `null` where the node knows no artifacts, or cannot tell. */
async function stackOf(
  { chain, inspector, checkInterrupt }: RpcContext,
  hash: Uint8Array,
): Promise<StackOfError | null> {
  const location = inspector.artifacts.isInUse ? chain.transaction(hash) : undefined;
  if (location === undefined) return null;
  try {
    await inspector.artifacts.readyWithin(LONGEST_WAIT);
    const loaded = await inspector.load();
    const { stackTrace } = await loaded.transaction(location.block, location.index, checkInterrupt);
    const { stackText } = await import('../inspect/tree-text.ts');
    return stackTrace.length === 0 ? null : { stackTrace, stack: stackText(stackTrace) };
  } catch (error) {
    // The transaction stands in its block: its error must be told whether it can be explained or not.
    if (error instanceof CodedError) return null;
    throw error;
  }
}

const REFUSALS = [
  TransactionRejectedError,
  InvalidTransactionError,
  InvalidChainIdError,
  TransactionTypeError,
  UnreadableTransactionError,
] as const;

/** Sends, and counts for the caller whether the transaction was taken or refused. */
export async function countedSend(
  { peers, connection }: RpcContext,
  send: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  try {
    const hash = await send();
    peers.count(connection.remoteAddress, 'validTransactions');
    return hash;
  } catch (error) {
    if (REFUSALS.some((refusal) => error instanceof refusal)) {
      peers.count(connection.remoteAddress, 'invalidTransactions');
    }
    throw error;
  }
}

/**
 * Sends a transaction and gives its hash. Where the dialect wants it, a transaction that was mined meanwhile and
 * failed is an error instead (`ExecutionError`) that contains its hash, because it stands in a block.
 */
export async function sendAndAnswer(context: RpcContext, send: () => Promise<Uint8Array>): Promise<Hex> {
  const { compat } = context.settings;
  if (!compat.failedSendIsError) return toHex(await countedSend(context, send));
  const results = new Map<string, ExecutionResult>();
  const stopListening = context.chain.events.on('block', (block, executions) => {
    for (const [index, execution] of executions?.entries() ?? []) {
      const transaction = block.transactions[index];
      if (transaction !== undefined) results.set(hexKey(transaction.hash), execution);
    }
  });
  try {
    const hash = await countedSend(context, send);
    const result = results.get(hexKey(hash));
    if (result !== undefined && result.outcome !== 'success') {
      const stack = await stackOf(context, hash);
      const pieces = new WorkPieces(context.checkInterrupt);
      throw await runTask(failedSendErrorOf(compat, result, hash, stack, pieces));
    }
    return toHex(hash);
  } finally {
    stopListening();
  }
}
