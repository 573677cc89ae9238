import { locatedTransactions, type TransactionLocation } from '../../chain/execution/chain-history.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import type { Task } from '../../primitives/task.ts';
import { mapInPieces, type WorkPieces } from '../../primitives/work-pieces.ts';
import type { Block } from '../../protocol/block.ts';
import type { Compat } from '../compat.ts';
import { type LogView, logViews } from './log.ts';

/** A receipt as JSON (service document, Transaction receipt object). */
export type ReceiptView = Readonly<Record<string, unknown>>;

/** The parts of a dialect that the JSON of a receipt depends on. */
export type ReceiptDialect = Pick<Compat, 'namesFailedCreations'>;

function logsOf({ block, index, transaction, receipt, firstLogIndex }: TransactionLocation): LogView[] {
  const place = {
    blockNumber: block.header.number,
    blockHash: block.hash,
    blockTimestamp: block.header.timestamp,
    transactionHash: transaction.hash,
    transactionIndex: index,
    removed: false,
  };
  return logViews(
    receipt.logs.map((log, position) => ({ ...place, log, logIndex: firstLogIndex + position })),
  );
}

/** The receipt of a mined transaction as JSON. No other receipt of its block is looked at. */
export function receiptView(
  location: TransactionLocation,
  { namesFailedCreations }: ReceiptDialect,
): ReceiptView {
  const { block, index, transaction, receipt } = location;
  const created = receipt.succeeded || namesFailedCreations ? receipt.contractAddress : null;
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
    contractAddress: created === null ? null : toHex(created),
    logs: logsOf(location),
    logsBloom: toHex(receipt.logsBloom),
    status: receipt.succeeded ? '0x1' : '0x0',
    type: toQuantity(transaction.type),
  };
}

/** The receipts of all transactions of a block as JSON, in their order. */
export function blockReceiptViews(block: Block, dialect: ReceiptDialect): ReceiptView[] {
  return locatedTransactions(block).map((location) => receiptView(location, dialect));
}

/** Units of work for showing a receipt, and one of its logs without the data. */
const RECEIPT_WORK = 2_000;
const LOG_WORK = 500;

function workFor({ receipt: { logs } }: TransactionLocation): number {
  return logs.reduce((sum, { data }) => sum + LOG_WORK + 2 * data.length, RECEIPT_WORK);
}

/** As {@link blockReceiptViews}, in pieces where they are many or long. */
export function* blockReceiptsInPieces(
  block: Block,
  dialect: ReceiptDialect,
  pieces: WorkPieces,
): Task<ReceiptView[]> {
  return yield* mapInPieces(locatedTransactions(block), pieces, workFor, (location) =>
    receiptView(location, dialect),
  );
}
