import { toHex } from '../primitives/hex.ts';
import { InvalidChainIdError, MisshapenTransactionError, TransactionTypeError } from '../protocol/errors.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { UnreadableTransactionError } from './errors.ts';
import type { RpcServices } from './rpc-context.ts';

type Node = Pick<RpcServices, 'chain' | 'settings'>;

/** True on a node that is to answer as the network does where tools for development would rather hear something else. */
function answersAsNetwork({ chain, settings }: Node): boolean {
  return settings.hosted || chain.options.networkLimits;
}

/** The highest chain id whose `v` (EIP-155) is one byte, as it must be on the network. */
const HIGHEST_CHAIN_ID = 109n;

/** True for bytes over which the reference node fails before it looks at what they hold. */
function failsUnread(error: unknown): boolean {
  if (error instanceof InvalidChainIdError) return error.given > HIGHEST_CHAIN_ID;
  return error instanceof MisshapenTransactionError || error instanceof TransactionTypeError;
}

/**
 * The transaction that the bytes encode. Throws as `Chain.decode` does, and on a node that answers as the network does an
 * {@link UnreadableTransactionError} for typed transactions and whatever else is no list of nine items.
 */
export function decodeSent(node: Node, raw: Uint8Array): Transaction {
  try {
    return node.chain.decode(raw);
  } catch (error) {
    if (error instanceof Error && answersAsNetwork(node) && failsUnread(error)) {
      throw new UnreadableTransactionError(error.message, { cause: error });
    }
    throw error;
  }
}

/**
 * The transaction of the pool with that hash; `undefined` for none. The network finds those that can be mined alone: one
 * that waits for a nonce before its own is not found on a node that answers as the network does.
 */
export function waitingTransaction(node: Node, hash: Uint8Array): Transaction | undefined {
  const { pool } = node.chain;
  const found = pool.byHash(hash);
  if (found === undefined || !answersAsNetwork(node)) return found;
  const wanted = toHex(hash);
  return pool.pendingOf(found.sender).find((transaction) => toHex(transaction.hash) === wanted);
}
