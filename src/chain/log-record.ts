import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { encodeRlp, RlpReader } from '../primitives/rlp.ts';
import type { Block } from '../rules/block.ts';
import type { Log } from '../rules/receipt.ts';
import { logItems } from '../rules/receipt-encoding.ts';

/** A log as storage keeps it. */
export interface RecordedLog {
  readonly log: Log;
  /** `null` for a log that no transaction made. */
  readonly transactionHash: Uint8Array | null;
  readonly transactionIndex: number;
  /** Position in the block. */
  readonly logIndex: number;
}

/** The logs of a block with the hashes of their transactions, as the bytes that storage keeps. */
export function encodeLogRecord({ receipts, transactions }: Block): Uint8Array {
  return encodeRlp(
    receipts.map(({ logs }, index) => [transactions[index]?.hash ?? EMPTY_BYTES, logItems(logs)]),
  );
}

function readLog(fields: RlpReader): Log {
  const address = fields.bytes();
  const topics: Uint8Array[] = [];
  for (const items = fields.list(); !items.isAtEnd; ) topics.push(items.bytes());
  return { address, topics, data: fields.bytes() };
}

/**
 * The logs of a record at these positions in the block (ascending), or all of them for `null`. The others are passed
 * over. Throws `RlpError` for other bytes.
 */
export function readLogRecord(record: Uint8Array, positions: readonly number[] | null): RecordedLog[] {
  const found: RecordedLog[] = [];
  const receipts = new RlpReader(record).list();
  for (let transactionIndex = 0, logIndex = 0; !receipts.isAtEnd; transactionIndex++) {
    if (positions !== null && found.length === positions.length) break;
    const receipt = receipts.list();
    const hash = receipt.bytes();
    const transactionHash = hash.length === 0 ? null : hash;
    for (const logs = receipt.list(); !logs.isAtEnd; logIndex++) {
      if (positions === null || positions[found.length] === logIndex) {
        found.push({ log: readLog(logs.list()), transactionHash, transactionIndex, logIndex });
      } else logs.skip();
    }
  }
  return found;
}
