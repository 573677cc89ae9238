/**
 * Inspects a mined or pending transaction. A pending one runs as part of the next block, otherwise as a call
 * on the latest block.
 */

import { LINES_AT_ONCE, type ReadLines } from '../../call-lines.ts';
import { client } from '../../chain.ts';
import type { Target } from '../../execution-target.ts';
import type { Inspection } from '../../inspection.ts';
import { RpcError } from '../../rpc/client.ts';

/** The fields of a transaction in the result of `eth_getTransactionByHash`. */
export interface TransactionFacts {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly value: string;
  readonly gas: string;
  readonly gasPrice?: string;
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
  readonly maxFeePerBlobGas?: string;
  readonly nonce: string;
  readonly input: string;
  readonly type?: string;
  readonly blockNumber: string | null;
}

/** An execution of a transaction, with a function to request more lines. */
export interface Execution {
  readonly inspection: Inspection;
  readonly ask: ReadLines;
  /** The execution, to debug it. */
  readonly target: Target;
  /** False if the transaction is not part of the next block and runs as a call. */
  readonly isOfBlock: boolean;
}

const FIRST = { first: 0, count: LINES_AT_ONCE };

/** Returns a function to request call lines of a transaction. */
function linesOf(hash: string): ReadLines {
  return (page) => client.read<Inspection>('inspect_transaction', [hash, page]);
}

/** Resolves to the execution of a mined transaction. Rejects with the node's error. */
export async function executionOf({ hash }: Pick<TransactionFacts, 'hash'>): Promise<Execution> {
  const ask = linesOf(hash);
  return { inspection: await ask(FIRST), ask, target: hash, isOfBlock: true };
}

/** Resolves to the simulated execution of a pending transaction. Rejects with the node's error. */
export async function executionAhead(transaction: TransactionFacts): Promise<Execution> {
  try {
    return await executionOf(transaction);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
  }
  const { from, to, value, gas, input } = transaction;
  const call = { from, ...(to === null ? {} : { to }), value, gas, data: input };
  const ask: ReadLines = (page) => client.read<Inspection>('inspect_call', [call, 'latest', {}, null, page]);
  return { inspection: await ask(FIRST), ask, target: { call, block: 'latest' }, isOfBlock: false };
}
