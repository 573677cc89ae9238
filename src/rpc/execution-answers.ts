import { TransactionRejectedError } from '../chain/pool/errors.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import { revertReason } from '../evm/revert-reason.ts';
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
  pieces: WorkPieces,
): Task<ExecutionError> {
  const { code, message, data } = yield* executionErrorOf(compat, result, pieces);
  return new ExecutionError(code, message, { message, txHash: toHex(hash), data });
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
    if (result !== undefined && result.outcome !== 'success')
      throw await runTask(failedSendErrorOf(compat, result, hash, new WorkPieces(context.checkInterrupt)));
    return toHex(hash);
  } finally {
    stopListening();
  }
}
