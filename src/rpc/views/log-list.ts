import { asciiCodes, JsonWriter } from '../../primitives/json/json-writer.ts';
import type { Task } from '../../primitives/task.ts';
import type { WorkPieces } from '../../primitives/work-pieces.ts';
import { type FoundLogs, locatedLogs } from '../../storage/located-log.ts';
import type { LogRecord } from '../../storage/log-record.ts';
import { ResultTooLongError } from '../errors.ts';
import { type LogView, logViews } from './log.ts';

/**
 * A result that can write itself as JSON, in less time than it would take to make the value and have that written. For
 * large lists whose callers mostly are at the other end of a wire.
 */
export abstract class PreserializedJson {
  /**
   * Gives what `JSON.stringify` gives of {@link toJSON}, in UTF-8, with the two texts around it; in pieces where it is long.
   * Throws a `ResultTooLongError`, before it takes memory for it, when it has more than `limit` bytes without them.
   */
  abstract toBytes(before: string, after: string, limit: number, pieces: WorkPieces): Task<Buffer>;
  /** The value, anew each time. */
  abstract toJSON(): unknown;
}

/** The result of a method as a value. */
export function plainResult(result: unknown): unknown {
  return result instanceof PreserializedJson ? result.toJSON() : result;
}

const OPEN = asciiCodes('[');
const CLOSE = asciiCodes(']');
const COMMA = asciiCodes(',');
const QUOTE = asciiCodes('"');
const NULL = asciiCodes('null');
const ADDRESS = asciiCodes('{"address":"0x');
const TOPICS = asciiCodes('","topics":[');
const FIRST_TOPIC = asciiCodes('"0x');
const NEXT_TOPIC = asciiCodes('","0x');
const DATA = asciiCodes('],"data":"0x');
const BLOCK_NUMBER = asciiCodes('","blockNumber":"0x');
const BLOCK_HASH = asciiCodes('","blockHash":"0x');
const BLOCK_TIMESTAMP = asciiCodes('","blockTimestamp":"0x');
const TRANSACTION_HASH = asciiCodes('","transactionHash":');
const HASH = asciiCodes('"0x');
const TRANSACTION_INDEX = asciiCodes(',"transactionIndex":"0x');
const LOG_INDEX = asciiCodes('","logIndex":"0x');
const END = asciiCodes('","removed":false}');

const TOPIC_SIZE = 32;
const ADDRESS_DIGITS = 40;
const HASH_DIGITS = 64;
const HASH_LENGTH = HASH.length + HASH_DIGITS + QUOTE.length;
const PIECES = [
  ADDRESS,
  TOPICS,
  DATA,
  BLOCK_NUMBER,
  BLOCK_HASH,
  BLOCK_TIMESTAMP,
  TRANSACTION_HASH,
  TRANSACTION_INDEX,
  LOG_INDEX,
  END,
];
/** The characters that all logs have: without topics, data, numbers and the transaction's hash. */
const LOG_LENGTH = PIECES.reduce((sum, { length }) => sum + length, ADDRESS_DIGITS + HASH_DIGITS);

/** Units of work for finding out how long a log is. */
const MEASURE_WORK = 16;

/** How many digits a QUANTITY has. */
function digitsOf(value: number): number {
  let digits = 1;
  for (let bound = 16; value >= bound; bound *= 16) digits++;
  return digits;
}

/** The characters of some topics, `size` bytes in all. */
function topicsLength(size: number): number {
  if (size === 0) return 0;
  const others = (size / TOPIC_SIZE - 1) * NEXT_TOPIC.length;
  return FIRST_TOPIC.length + others + 2 * size + QUOTE.length;
}

/** The characters of the logs of one block as JSON, without what stands between them. */
export function lengthOfLogs({ blockNumber, record, logIndexes }: FoundLogs): number {
  const blockLength = LOG_LENGTH + digitsOf(blockNumber) + digitsOf(record.blockTimestamp);
  let length = 0;
  for (const logIndex of logIndexes) {
    const { topics, data, end } = record.place(logIndex);
    const transactionIndex = record.transactionIndex(logIndex);
    length += blockLength + topicsLength(data - topics) + 2 * (end - data);
    length += record.hasTransactionHash(transactionIndex) ? HASH_LENGTH : NULL.length;
    length += digitsOf(transactionIndex) + digitsOf(logIndex);
  }
  return length;
}

/** The characters of the logs, all in one list. */
function* lengthOf(found: readonly FoundLogs[], pieces: WorkPieces): Task<number> {
  let [length, count] = [0, 0];
  for (const ofBlock of found) {
    length += lengthOfLogs(ofBlock);
    count += ofBlock.logIndexes.length;
    const turn = pieces.spend(MEASURE_WORK * (1 + ofBlock.logIndexes.length));
    if (turn !== undefined) yield turn;
  }
  return OPEN.length + length + Math.max(0, count - 1) * COMMA.length + CLOSE.length;
}

/** Writes what the contract said. */
function writeEvent(writer: JsonWriter, record: LogRecord, logIndex: number): void {
  const { bytes } = record;
  const { address, topics, data, end } = record.place(logIndex);
  writer.codes(ADDRESS);
  writer.hex(bytes, address, topics);
  writer.codes(TOPICS);
  for (let topic = topics; topic < data; topic += TOPIC_SIZE) {
    writer.codes(topic === topics ? FIRST_TOPIC : NEXT_TOPIC);
    writer.hex(bytes, topic, topic + TOPIC_SIZE);
  }
  if (topics < data) writer.codes(QUOTE);
  writer.codes(DATA);
  writer.hex(bytes, data, end);
}

function writeBlock(writer: JsonWriter, { blockNumber, blockHash, record }: FoundLogs): void {
  writer.codes(BLOCK_NUMBER);
  writer.quantity(blockNumber);
  writer.codes(BLOCK_HASH);
  writer.hex(blockHash);
  writer.codes(BLOCK_TIMESTAMP);
  writer.quantity(record.blockTimestamp);
}

function writeTransaction(writer: JsonWriter, record: LogRecord, transactionIndex: number): void {
  const hash = record.transactionHash(transactionIndex);
  writer.codes(TRANSACTION_HASH);
  writer.codes(hash === null ? NULL : HASH);
  if (hash !== null) {
    writer.hex(hash);
    writer.codes(QUOTE);
  }
  writer.codes(TRANSACTION_INDEX);
  writer.quantity(transactionIndex);
  writer.codes(LOG_INDEX);
}

/** Writes the logs of one block. What several have in common is spelled for the first and repeated for the others. */
function* writeLogs(writer: JsonWriter, found: FoundLogs, pieces: WorkPieces): Task<void> {
  const { record, logIndexes } = found;
  let transactionIndex: number | undefined;
  let [blockStart, blockEnd, transactionEnd, counted] = [0, 0, 0, writer.length];
  for (const logIndex of logIndexes) {
    if (transactionIndex !== undefined) writer.codes(COMMA);
    writeEvent(writer, record, logIndex);
    const start = writer.length;
    const index = record.transactionIndex(logIndex);
    if (index === transactionIndex) {
      writer.repeat(blockStart, transactionEnd);
    } else {
      if (transactionIndex === undefined) writeBlock(writer, found);
      else writer.repeat(blockStart, blockEnd);
      blockEnd = writer.length;
      writeTransaction(writer, record, index);
      [blockStart, transactionEnd, transactionIndex] = [start, writer.length, index];
    }
    writer.quantity(logIndex);
    writer.codes(END);
    const turn = pieces.spend(writer.length - counted);
    counted = writer.length;
    if (turn !== undefined) yield turn;
  }
}

/** Logs of the canonical chain as JSON (service document, Log object), written straight from the records of blocks. */
export class LogListJson extends PreserializedJson {
  readonly #found: readonly FoundLogs[];

  constructor(found: readonly FoundLogs[]) {
    super();
    this.#found = found;
  }

  *toBytes(before: string, after: string, limit: number, pieces: WorkPieces): Task<Buffer> {
    const length = yield* lengthOf(this.#found, pieces);
    if (length > limit) throw new ResultTooLongError(`logs of ${length} characters, ${limit} are allowed`);
    const writer = new JsonWriter(Buffer.byteLength(before) + length + Buffer.byteLength(after));
    writer.text(before);
    writer.codes(OPEN);
    let isFirst = true;
    for (const found of this.#found) {
      if (!isFirst) writer.codes(COMMA);
      yield* writeLogs(writer, found, pieces);
      isFirst = false;
    }
    writer.codes(CLOSE);
    writer.text(after);
    return writer.written;
  }

  toJSON(): LogView[] {
    return logViews(locatedLogs(this.#found));
  }
}
