import { toQuantity } from '../primitives/hex.ts';
import { asObject, type JsonObject } from './decoding.ts';
import type { UpstreamCall } from './upstream/upstream-call.ts';

type KnownAnswers = (call: UpstreamCall) => unknown;

/** The method that gives the block, and the member of the block that is counted. */
const COUNTS: ReadonlyMap<string, readonly [method: string, member: 'transactions' | 'uncles']> = new Map([
  ['eth_getBlockTransactionCountByHash', ['eth_getBlockByHash', 'transactions']],
  ['eth_getBlockTransactionCountByNumber', ['eth_getBlockByNumber', 'transactions']],
  ['eth_getUncleCountByBlockHash', ['eth_getBlockByHash', 'uncles']],
  ['eth_getUncleCountByBlockNumber', ['eth_getBlockByNumber', 'uncles']],
]);

function blockOf(
  known: KnownAnswers,
  method: string,
  block: unknown,
  isFull: boolean,
): JsonObject | undefined {
  return asObject(known({ method, params: [block, isFull] }));
}

/**
 * The answer to the call where it follows from others that are at hand: a block with the hashes of its transactions from
 * one with the transactions, and how many transactions and uncles it has. `undefined` where it does not.
 */
export function derivedAnswer({ method, params }: UpstreamCall, known: KnownAnswers): unknown {
  const [block, isFull] = params;
  if (isFull === false && (method === 'eth_getBlockByNumber' || method === 'eth_getBlockByHash')) {
    const whole = blockOf(known, method, block, true);
    const transactions = whole?.transactions;
    if (!Array.isArray(transactions)) return undefined;
    return { ...whole, transactions: transactions.map((transaction) => asObject(transaction)?.hash) };
  }
  const count = COUNTS.get(method);
  if (count === undefined) return undefined;
  const [blockMethod, member] = count;
  const counted = [true, false].map((isWhole) => blockOf(known, blockMethod, block, isWhole)?.[member]);
  const list = counted.find((one) => Array.isArray(one));
  return list === undefined ? undefined : toQuantity(list.length);
}
