import type { LocatedLog } from '../../chain/log-search.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';

/** A log as JSON (service document, Log object). */
export type LogView = Readonly<Record<string, unknown>>;

/** A log of a mined transaction as JSON. */
export function logView({ log, block, transactionIndex, logIndex, removed }: LocatedLog): LogView {
  const transaction = block.transactions[transactionIndex];
  return {
    address: toHex(log.address),
    topics: log.topics.map(toHex),
    data: toHex(log.data),
    blockNumber: toQuantity(block.header.number),
    blockHash: toHex(block.hash),
    transactionHash: transaction === undefined ? null : toHex(transaction.hash),
    transactionIndex: toQuantity(transactionIndex),
    logIndex: toQuantity(logIndex),
    removed,
  };
}
