/** Sends calls and creations from any account, and reads their failures. */

import { client } from './chain.ts';
import { numberOf } from './format.ts';
import type { Failure, Inspection } from './inspection.ts';

/** The call object of RPC methods. */
export interface CallFields {
  readonly from: string;
  /** Absent for a creation. */
  readonly to?: string;
  readonly data: string;
  readonly value: string;
}

/**
 * Sends as any account. An unsigned transaction needs no impersonation, so that impersonations of other
 * clients stay unchanged. Resolves to the hash; rejects with the node's error.
 */
export function send(call: CallFields, signed: readonly string[]): Promise<string> {
  const isOwn = signed.some((account) => account.toLowerCase() === call.from.toLowerCase());
  return client.act<string>(isOwn ? 'eth_sendTransaction' : 'eth_sendUnsignedTransaction', [call]);
}

/** Resolves to the sender's last transaction in the latest block if the head changed; otherwise `null`. */
export async function minedSince(head: number, from: string): Promise<string | null> {
  const block = await client.read<{
    number: string;
    transactions: readonly { hash: string; from: string }[];
  } | null>('eth_getBlockByNumber', ['latest', true]);
  if (block === null || numberOf(block.number) === head) return null;
  const own = block.transactions.findLast(
    (transaction) => transaction.from.toLowerCase() === from.toLowerCase(),
  );
  return own?.hash ?? null;
}

/**
 * Resolves to the failure of a mined transaction; if the inspection has none, to a failure with `message`.
 * Rejects with the node's error.
 */
export async function failureOf(hash: string, message: string): Promise<Failure> {
  const { failure } = await client.read<Inspection>('inspect_transaction', [
    hash,
    { count: 0, changes: false },
  ]);
  return failure ?? { message, error: null };
}
