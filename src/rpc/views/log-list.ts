import { asciiCodes, JsonWriter } from '../../json/json-writer.ts';
import { ITEMS_PER_STEP, type Steps } from '../../primitives/steps.ts';
import type { LogPosition } from '../../storage/log-record.ts';
import { type FoundLogs, locatedLogs } from '../../storage/log-search.ts';
import { LOG_MEMBER_LIST, type LogMemberName, type LogScope, logViews } from '../../wire/log.ts';
import type { Json } from '../../wire/values.ts';
import { ResultTooLongError } from '../errors.ts';

/**
 * A result that serializes itself to JSON, faster than JSON.stringify serializes an object. It is for large
 * lists that clients receive as JSON.
 */
export abstract class PreserializedJson {
  /**
   * Returns the JSON of {@link toJSON} in UTF-8, with the texts around it. Yields if it is long. Throws
   * `ResultTooLongError`, before it allocates memory, if it has more than `limit` bytes without these texts.
   */
  abstract toBytes(before: string, after: string, limit: number): Steps<Buffer>;
  /** Returns a new object. */
  abstract toJSON(): unknown;
}

/** Returns the result of a method as a value. */
export function plainResult(result: unknown): unknown {
  return result instanceof PreserializedJson ? result.toJSON() : result;
}

const OPEN = asciiCodes('[');
const CLOSE = asciiCodes(']');
const COMMA = asciiCodes(',');
const QUOTE = asciiCodes('"');
const NULL = asciiCodes('null');
const FIRST_TOPIC = asciiCodes('"0x');
const NEXT_TOPIC = asciiCodes('","0x');
const HASH = asciiCodes('"0x');

const TOPIC_SIZE = 32;
const ADDRESS_DIGITS = 40;
const HASH_DIGITS = 64;
const HASH_LENGTH = HASH.length + HASH_DIGITS + QUOTE.length;

/** The current log of a record, for reading its members. */
class LogCursor {
  readonly found: FoundLogs;
  logIndex = 0;
  transactionIndex = 0;
  place: LogPosition = { address: 0, topics: 0, data: 0, end: 0 };

  constructor(found: FoundLogs) {
    this.found = found;
  }

  moveTo(logIndex: number): void {
    const { record } = this.found;
    this.logIndex = logIndex;
    this.transactionIndex = record.transactionIndex(logIndex);
    this.place = record.place(logIndex);
  }
}

/** The text of a member's value. */
interface ValueText {
  /** The texts around it. */
  readonly before: string;
  readonly after: string;
  /** The number of characters between them; 0 if it varies (see {@link variableLength}). */
  readonly length: number;
  readonly write?: (writer: JsonWriter, log: LogCursor) => void;
}

function digits(length: number, write: NonNullable<ValueText['write']>): ValueText {
  return { before: '"0x', after: '"', length, write };
}

const VARIABLE = 0;

/** The writers of the members of a log from its record. Logs of the canonical chain are not removed. */
const VALUES: Readonly<Record<LogMemberName, ValueText>> = {
  address: digits(ADDRESS_DIGITS, (writer, { found, place }) =>
    writer.hex(found.record.bytes, place.address, place.topics),
  ),
  topics: {
    before: '[',
    after: ']',
    length: VARIABLE,
    write: (writer, { found, place }) => writeTopics(writer, found.record.bytes, place),
  },
  data: digits(VARIABLE, (writer, { found, place }) => writer.hex(found.record.bytes, place.data, place.end)),
  blockNumber: digits(VARIABLE, (writer, { found }) => writer.quantity(found.blockNumber)),
  blockHash: digits(HASH_DIGITS, (writer, { found }) => writer.hex(found.blockHash)),
  blockTimestamp: digits(VARIABLE, (writer, { found }) => writer.quantity(found.record.blockTimestamp)),
  transactionHash: {
    before: '',
    after: '',
    length: VARIABLE,
    write: (writer, { found, transactionIndex }) =>
      writeHash(writer, found.record.transactionHash(transactionIndex)),
  },
  transactionIndex: digits(VARIABLE, (writer, { transactionIndex }) => writer.quantity(transactionIndex)),
  logIndex: digits(VARIABLE, (writer, { logIndex }) => writer.quantity(logIndex)),
  removed: { before: 'false', after: '', length: 0 },
};

function writeTopics(writer: JsonWriter, bytes: Uint8Array, { topics, data }: LogPosition): void {
  for (let topic = topics; topic < data; topic += TOPIC_SIZE) {
    writer.codes(topic === topics ? FIRST_TOPIC : NEXT_TOPIC);
    writer.hex(bytes, topic, topic + TOPIC_SIZE);
  }
  if (topics < data) writer.codes(QUOTE);
}

function writeHash(writer: JsonWriter, hash: Uint8Array | null): void {
  writer.codes(hash === null ? NULL : HASH);
  if (hash === null) return;
  writer.hex(hash);
  writer.codes(QUOTE);
}

/** Returns the number of hex digits of a QUANTITY. */
function digitsOf(value: number): number {
  let count = 1;
  for (let bound = 16; value >= bound; bound *= 16) count++;
  return count;
}

/** Returns the number of characters of topics with `size` bytes in total. */
function topicsLength(size: number): number {
  if (size === 0) return 0;
  const others = (size / TOPIC_SIZE - 1) * NEXT_TOPIC.length;
  return FIRST_TOPIC.length + others + 2 * size + QUOTE.length;
}

/** A value, and the text up to the next value. */
interface Step {
  readonly scope: LogScope;
  readonly write: NonNullable<ValueText['write']>;
  readonly length: ValueText['length'];
  readonly next: Uint8Array;
}

/** Builds the texts between the values from the members of a log, in their order. */
function textSteps(): { readonly start: Uint8Array; readonly steps: readonly Step[] } {
  const steps: Step[] = [];
  let [start, text, last] = ['', '{', undefined as Omit<Step, 'next'> | undefined];
  for (const { name, scope } of LOG_MEMBER_LIST) {
    const { before, after, write, length } = VALUES[name];
    text += `${JSON.stringify(name)}:${before}`;
    if (write !== undefined) {
      if (last === undefined) start = text;
      else steps.push({ ...last, next: asciiCodes(text) });
      [last, text] = [{ scope, write, length }, ''];
    }
    text += `${after},`;
  }
  const end = asciiCodes(`${text.slice(0, -1)}}`);
  return { start: asciiCodes(start), steps: last === undefined ? steps : [...steps, { ...last, next: end }] };
}

const { start: START, steps: STEPS } = textSteps();

function stepsOf(scope: LogScope): readonly Step[] {
  return STEPS.filter((step) => step.scope === scope);
}

const [EVENT, OF_BLOCK, OF_TRANSACTION, OF_LOG] = [
  stepsOf('event'),
  stepsOf('block'),
  stepsOf('transaction'),
  stepsOf('log'),
];
/**
 * The number of characters that all logs share: the texts between values, and the values of a fixed length.
 */
const FIXED_LENGTH = STEPS.reduce((sum, { length, next }) => sum + next.length + length, START.length);

/** Returns the number of characters of the other values, without the values of the block. */
function variableLength({ record }: FoundLogs, logIndex: number): number {
  const { topics, data, end } = record.place(logIndex);
  const transactionIndex = record.transactionIndex(logIndex);
  const ofTransaction = record.hasTransactionHash(transactionIndex) ? HASH_LENGTH : NULL.length;
  const numbers = digitsOf(transactionIndex) + digitsOf(logIndex);
  return topicsLength(data - topics) + 2 * (end - data) + ofTransaction + numbers;
}

/** Work units per measured log. */
const MEASURE_WORK = 16;
/** Characters of short logs between two yields. */
const WRITTEN_PER_STEP = 2 ** 13;

/** Returns the characters of the logs of one block as JSON, without separators. Yields if there are many. */
export function* lengthOfLogs(found: FoundLogs): Steps<number> {
  const { blockNumber, record, logIndexes } = found;
  const ofBlock = FIXED_LENGTH + digitsOf(blockNumber) + digitsOf(record.blockTimestamp);
  let length = logIndexes.length * ofBlock;
  let measured = 0;
  for (const logIndex of logIndexes) {
    length += variableLength(found, logIndex);
    if (++measured % ITEMS_PER_STEP === 0) yield MEASURE_WORK * ITEMS_PER_STEP;
  }
  return length;
}

/** Returns the number of characters of the logs in one list. */
function* listLength(found: readonly FoundLogs[]): Steps<number> {
  let [length, count, blocks] = [0, 0, 0];
  for (const ofBlock of found) {
    length += yield* lengthOfLogs(ofBlock);
    count += ofBlock.logIndexes.length;
    if (++blocks % ITEMS_PER_STEP === 0) yield MEASURE_WORK * ITEMS_PER_STEP;
  }
  return OPEN.length + length + Math.max(0, count - 1) * COMMA.length + CLOSE.length;
}

function writeSteps(writer: JsonWriter, steps: readonly Step[], log: LogCursor): void {
  for (const { write, next } of steps) {
    write(writer, log);
    writer.codes(next);
  }
}

/** Bytes of data per write. */
const DATA_AT_ONCE = 2 ** 16;

/** Writes the event of a log with long data. Yields between writes. */
function* writeLongEvent(writer: JsonWriter, log: LogCursor): Steps<void> {
  const { place, found } = log;
  // The data are the last member; their step writes nothing here.
  log.place = { ...place, end: place.data };
  writeSteps(writer, EVENT.slice(0, -1), log);
  for (let start = place.data; start < place.end; start += DATA_AT_ONCE) {
    writer.hex(found.record.bytes, start, Math.min(place.end, start + DATA_AT_ONCE));
    yield 2 * DATA_AT_ONCE;
  }
  writeSteps(writer, EVENT.slice(-1), log);
}

/** Writes the logs of one block. It copies texts that several logs share from the first of them. */
function* writeLogs(writer: JsonWriter, found: FoundLogs): Steps<void> {
  let transactionIndex: number | undefined;
  let [blockStart, blockEnd, transactionEnd, counted] = [0, 0, 0, writer.length];
  const log = new LogCursor(found);
  for (const logIndex of found.logIndexes) {
    log.moveTo(logIndex);
    if (transactionIndex !== undefined) writer.codes(COMMA);
    writer.codes(START);
    if (log.place.end - log.place.data <= DATA_AT_ONCE) writeSteps(writer, EVENT, log);
    else yield* writeLongEvent(writer, log);
    const start = writer.length;
    if (log.transactionIndex === transactionIndex) {
      writer.repeat(blockStart, transactionEnd);
    } else {
      if (transactionIndex === undefined) writeSteps(writer, OF_BLOCK, log);
      else writer.repeat(blockStart, blockEnd);
      blockEnd = writer.length;
      writeSteps(writer, OF_TRANSACTION, log);
      [blockStart, transactionEnd, transactionIndex] = [start, writer.length, log.transactionIndex];
    }
    writeSteps(writer, OF_LOG, log);
    if (writer.length - counted < WRITTEN_PER_STEP) continue;
    yield writer.length - counted;
    counted = writer.length;
  }
}

/** Logs of the canonical chain as JSON (service document, Log object), written from the records of blocks. */
export class LogListJson extends PreserializedJson {
  readonly #found: readonly FoundLogs[];

  constructor(found: readonly FoundLogs[]) {
    super();
    this.#found = found;
  }

  *toBytes(before: string, after: string, limit: number): Steps<Buffer> {
    const length = yield* listLength(this.#found);
    if (length > limit)
      throw new ResultTooLongError(`the logs have ${length} characters, but at most ${limit} are allowed`);
    const writer = new JsonWriter(Buffer.byteLength(before) + length + Buffer.byteLength(after));
    writer.text(before);
    writer.codes(OPEN);
    let isFirst = true;
    for (const found of this.#found) {
      if (!isFirst) writer.codes(COMMA);
      yield* writeLogs(writer, found);
      isFirst = false;
    }
    writer.codes(CLOSE);
    writer.text(after);
    return writer.written;
  }

  toJSON(): Json[] {
    return logViews(locatedLogs(this.#found));
  }
}
