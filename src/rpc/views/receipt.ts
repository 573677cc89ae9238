import { logsOfBlock } from '../../chain/located-log.ts';
import type { TransactionLocation } from '../../node/chain.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { logViews } from './log.ts';

const ANY_LOG = { addresses: [], topics: [] } as const;

/** A receipt as JSON (service document, Transaction receipt object). */
export type ReceiptView = Readonly<Record<string, unknown>>;

/** The receipt of a mined transaction as JSON. */
export function receiptView({ block, index, transaction, receipt }: TransactionLocation): ReceiptView {
  return {
    transactionHash: toHex(transaction.hash),
    transactionIndex: toQuantity(index),
    blockHash: toHex(block.hash),
    blockNumber: toQuantity(block.header.number),
    from: toHex(transaction.sender),
    to: transaction.to === null ? null : toHex(transaction.to),
    cumulativeGasUsed: toQuantity(receipt.cumulativeGasUsed),
    gasUsed: toQuantity(receipt.gasUsed),
    effectiveGasPrice: toQuantity(receipt.effectiveGasPrice),
    // The service names an address only when a contract was created, the network for failed creations too.
    contractAddress:
      receipt.contractAddress === null || !receipt.succeeded ? null : toHex(receipt.contractAddress),
    logs: logViews(logsOfBlock(block, ANY_LOG).filter((located) => located.transactionIndex === index)),
    logsBloom: toHex(receipt.logsBloom),
    status: receipt.succeeded ? '0x1' : '0x0',
    type: toQuantity(transaction.type),
  };
}
