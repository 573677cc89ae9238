import { type LocatedLog, logsOfBlock } from '../../chain/located-log.ts';
import { locatedTransactions, type TransactionLocation } from '../../node/transaction-location.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import type { Steps } from '../../primitives/steps.ts';
import { mapInPieces, type WorkPieces } from '../../primitives/work-pieces.ts';
import type { Block } from '../../rules/block.ts';
import { logViews } from './log.ts';

const ANY_LOG = { addresses: [], topics: [] } as const;

/** A receipt as JSON (service document, Transaction receipt object). */
export type ReceiptView = Readonly<Record<string, unknown>>;

function viewWithLogs(
  { block, index, transaction, receipt }: TransactionLocation,
  logs: readonly LocatedLog[],
): ReceiptView {
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
    logs: logViews(logs),
    logsBloom: toHex(receipt.logsBloom),
    status: receipt.succeeded ? '0x1' : '0x0',
    type: toQuantity(transaction.type),
  };
}

/** The receipt of a mined transaction as JSON. */
export function receiptView(location: TransactionLocation): ReceiptView {
  const logs = logsOfBlock(location.block, ANY_LOG);
  return viewWithLogs(
    location,
    logs.filter(({ transactionIndex }) => transactionIndex === location.index),
  );
}

/** Units of work for showing a receipt, and one of its logs without the data. */
const RECEIPT_WORK = 2_000;
const LOG_WORK = 500;

function workFor({ receipt: { logs } }: TransactionLocation): number {
  return logs.reduce((sum, { data }) => sum + LOG_WORK + 2 * data.length, RECEIPT_WORK);
}

/** The receipts of all transactions of a block as JSON, in their order. */
export function blockReceiptViews(block: Block): ReceiptView[] {
  const logs = logsByTransaction(block);
  return locatedTransactions(block).map((location) => viewWithLogs(location, logs[location.index] ?? []));
}

/** As {@link blockReceiptViews}, in pieces where they are many or long. */
export function* blockReceiptsInPieces(block: Block, pieces: WorkPieces): Steps<ReceiptView[]> {
  const logs = logsByTransaction(block);
  return yield* mapInPieces(locatedTransactions(block), pieces, workFor, (location) =>
    viewWithLogs(location, logs[location.index] ?? []),
  );
}

function logsByTransaction(block: Block): readonly (readonly LocatedLog[])[] {
  const logs: LocatedLog[][] = block.transactions.map(() => []);
  for (const located of logsOfBlock(block, ANY_LOG)) logs[located.transactionIndex]?.push(located);
  return logs;
}
