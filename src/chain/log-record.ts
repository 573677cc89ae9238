import { bigIntToBytes, concatBytes } from '../primitives/bytes.ts';
import { encodeRlp, RlpReader } from '../primitives/rlp.ts';
import type { Block } from '../rules/block.ts';
import type { Log } from '../rules/receipt.ts';

const HASH_SIZE = 32;

/** A log as storage keeps it. */
export interface RecordedLog {
  readonly log: Log;
  /** `null` for a log that no transaction made. */
  readonly transactionHash: Uint8Array | null;
  readonly transactionIndex: number;
  /** Position in the block. */
  readonly logIndex: number;
}

/** The logs of a block with the hashes of its transactions, as the bytes that storage keeps. */
export function encodeLogRecord({ receipts, transactions }: Block): Uint8Array {
  const logs = receipts.flatMap((receipt, transactionIndex) =>
    receipt.logs.map((log) => [bigIntToBytes(BigInt(transactionIndex)), log.address, log.topics, log.data]),
  );
  return encodeRlp([concatBytes(...transactions.map(({ hash }) => hash)), logs]);
}

/** As a big integer it would cost more than the log. */
function readInteger(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

function readLog(fields: RlpReader): Log {
  const address = fields.bytes();
  const topics: Uint8Array[] = [];
  for (const items = fields.list(); !items.isAtEnd; ) topics.push(items.bytes());
  return { address, topics, data: fields.bytes() };
}

/** Gives the hash of a transaction out of all joined; the same array for the same index several times in a row. */
function hashReader(hashes: Uint8Array): (transactionIndex: number) => Uint8Array | null {
  let last: { readonly index: number; readonly hash: Uint8Array | null } | undefined;
  return (index) => {
    if (last?.index !== index) {
      const hash = hashes.slice(index * HASH_SIZE, (index + 1) * HASH_SIZE);
      last = { index, hash: hash.length === 0 ? null : hash };
    }
    return last.hash;
  };
}

/**
 * The logs of a record at these positions in the block (ascending), or all of them for `null`. The others are passed
 * over. Throws `RlpError` for other bytes.
 */
export function readLogRecord(record: Uint8Array, positions: readonly number[] | null): RecordedLog[] {
  const found: RecordedLog[] = [];
  const reader = new RlpReader(record).list();
  const hashOf = hashReader(reader.view());
  const logs = reader.list();
  for (let logIndex = 0; !logs.isAtEnd; logIndex++) {
    if (positions !== null && positions[found.length] !== logIndex) {
      if (found.length === positions.length) break;
      logs.skip();
      continue;
    }
    const fields = logs.list();
    const transactionIndex = readInteger(fields.view());
    const log = readLog(fields);
    found.push({ log, transactionHash: hashOf(transactionIndex), transactionIndex, logIndex });
  }
  return found;
}
