import { TransactionRejectedError } from '../chain/pool/errors.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import { type Hex, hexKey, toHex } from '../primitives/hex.ts';
import { InvalidChainIdError, InvalidTransactionError, TransactionTypeError } from '../protocol/errors.ts';
import { UnreadableTransactionError } from './errors.ts';
import { failedSendErrorOf } from './execution-error.ts';
import type { RpcContext } from './rpc-context.ts';

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
 * failed is an error instead (`ExecutionError`) that tells its hash, because it stands in a block.
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
    if (result !== undefined && result.outcome !== 'success') throw failedSendErrorOf(compat, result, hash);
    return toHex(hash);
  } finally {
    stopListening();
  }
}
