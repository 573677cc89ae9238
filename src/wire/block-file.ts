// Blocks in the JSON of dumps. The transactions and receipts are most of a dump, so they have a fast writer and a fast
// reader for its exact output. Other JSON with the same content is read value by value.

import { JsonScanner, OtherJsonError } from '../json/json-scanner.ts';
import { asciiCodes, JsonWriter } from '../json/json-writer.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { toHex, toQuantity } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { finish, mapInSteps, type Steps } from '../primitives/steps.ts';
import { type FiledBlock, logsIn, type SealedBlock } from '../protocol/block.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { BloomMaker, EMPTY_BLOOM, type FiledReceipt } from '../protocol/receipt.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { readEnvelope, restoreTransaction } from '../protocol/transaction-decoding.ts';
import { headerJson, readHeader } from './header.ts';
import { readReceipt, scanReceipt, writeReceipt } from './receipt-file.ts';
import type { StrictValue } from './strict-value.ts';
import type { Json } from './values.ts';

/** Work units per transaction, or per receipt without its logs, in a file that is read; and that is written. */
export const FILED_WORK = 1_000;
const WRITTEN_WORK = 128;

const filedWork = (): number => FILED_WORK;

/** The texts of a transaction around its digits. */
const [RAW, SENDER] = [asciiCodes('{"raw":"0x'), asciiCodes('","sender":"0x')];
const [END, COMMA] = [asciiCodes('"}'), asciiCodes(',')];
const [TRANSACTIONS, RECEIPTS] = [asciiCodes('"transactions":['), asciiCodes('],"receipts":[')];
const END_OF_BODY = asciiCodes(']');
/** Work units per transaction or receipt that is scanned. */
const SCANNED_WORK = 256;

function bloomOfLogs(receipts: readonly FiledReceipt[]): Steps<Uint8Array> {
  return new BloomMaker().add({ length: receipts.length, [Symbol.iterator]: () => logsIn({ receipts }) });
}

/** Writes a block with all its data for a dump. Yields if it has many transactions or logs. */
export function* writeBlock(writer: JsonWriter, block: FiledBlock): Steps<void> {
  const bloom = yield* bloomOfLogs(block.receipts);
  const start = JSON.stringify({ hash: toHex(block.hash), header: headerJson(block.header, bloom) });
  writer.text(`${start.slice(0, -1)},`);
  writer.codes(TRANSACTIONS);
  let isFirst = true;
  for (const { raw, sender } of block.transactions) {
    if (!isFirst) writer.codes(COMMA);
    writer.codes(RAW);
    yield* writer.longHex(raw);
    writer.codes(SENDER);
    writer.hex(sender);
    writer.codes(END);
    yield WRITTEN_WORK;
    isFirst = false;
  }
  writer.codes(RECEIPTS);
  isFirst = true;
  for (const receipt of block.receipts) {
    if (!isFirst) writer.text(',');
    yield* writeReceipt(writer, receipt);
    yield WRITTEN_WORK;
    isFirst = false;
  }
  const end = {
    uncles: block.uncles.map((uncle) => headerJson(uncle, EMPTY_BLOOM)),
    totalDifficulty: toQuantity(block.totalDifficulty),
    size: block.size,
  };
  writer.text(`],${JSON.stringify(end).slice(1)}`);
}

/** Returns the JSON of {@link writeBlock} for a block with few transactions. */
export function blockJson(block: FiledBlock): Json {
  const parts: Uint8Array[] = [];
  const writer = new JsonWriter(2 ** 16, (part) => parts.push(part));
  finish(writeBlock(writer, block));
  writer.flush();
  return JSON.parse(Buffer.concat(parts).toString()) as Json;
}

type BlockBody = Pick<SealedBlock, 'transactions' | 'receipts'>;

/** A body that was read from the bytes of a line, and its offsets there. */
export interface ScannedBody extends BlockBody {
  readonly start: number;
  readonly end: number;
}

/** Maximum bytes of a scanned line. Parts of it are copied without a yield. */
const MAX_SCANNED = 2 ** 24;

/** Reads the body of the block in a line if it has the exact form of {@link writeBlock}, else returns `null`. */
export function* scanBody(line: Uint8Array, ruleSet: RuleSet): Steps<ScannedBody | null> {
  const start = Buffer.from(line.buffer, line.byteOffset, line.length).indexOf(TRANSACTIONS);
  if (start === -1 || line.length > MAX_SCANNED) return null;
  try {
    return yield* scanBodyAt(new JsonScanner(line, start), start, ruleSet);
  } catch (error) {
    // The usual reader accepts other forms, and reports errors.
    if (error instanceof OtherJsonError || error instanceof CodedError) return null;
    throw error;
  }
}

function* scanBodyAt(scanner: JsonScanner, start: number, ruleSet: RuleSet): Steps<ScannedBody | null> {
  const transactions: SealedBlock['transactions'][number][] = [];
  const receipts: FiledReceipt[] = [];
  scanner.take(TRANSACTIONS);
  if (!scanner.skips(RECEIPTS)) {
    do {
      scanner.take(RAW);
      const raw = scanner.hex();
      scanner.take(SENDER);
      readEnvelope(raw, ruleSet);
      transactions.push({ raw, sender: scanner.hex(20), hash: keccak256(raw) });
      scanner.take(END);
      yield SCANNED_WORK;
    } while (scanner.skips(COMMA));
    scanner.take(RECEIPTS);
    do {
      receipts.push(yield* scanReceipt(scanner));
      yield SCANNED_WORK;
    } while (scanner.skips(COMMA));
  }
  scanner.take(END_OF_BODY);
  return transactions.length === receipts.length ? { transactions, receipts, start, end: scanner.at } : null;
}

/** The value of both members of a {@link BODY_MARK}. */
export const MARK_WORD = 'scanned';

/** Replaces a scanned body in its line. */
export const BODY_MARK: Uint8Array = asciiCodes(`"transactions":"${MARK_WORD}","receipts":"${MARK_WORD}"`);

/** True for a block whose body was replaced by {@link BODY_MARK}. */
export function lacksBody(block: StrictValue): boolean {
  return block.field('transactions').json === MARK_WORD && block.field('receipts').json === MARK_WORD;
}

function* readBody(value: StrictValue, ruleSet: RuleSet): Steps<BlockBody> {
  const transactions = yield* mapInSteps(value.field('transactions').eachItem(), filedWork, (item) =>
    readTransaction(item, ruleSet),
  );
  const receipts: FiledReceipt[] = [];
  for (const item of value.field('receipts').eachItem()) {
    receipts.push(yield* readReceipt(item));
    yield FILED_WORK;
  }
  if (receipts.length !== transactions.length) value.field('receipts').refuse('one receipt per transaction');
  return { transactions, receipts };
}

/**
 * Returns the block of {@link writeBlock}, without verifying its hash. `body` was read before. Throws
 * `InvalidDumpError`.
 */
export function* readBlock(
  value: StrictValue,
  ruleSet: RuleSet,
  body: BlockBody | null = null,
): Steps<SealedBlock> {
  const { transactions, receipts } = body ?? (yield* readBody(value, ruleSet));
  const bloom = yield* bloomOfLogs(receipts);
  return {
    hash: value.field('hash').bytes(32),
    header: readHeader(value.field('header'), bloom),
    transactions,
    receipts,
    uncles: value
      .field('uncles')
      .items()
      .map((item) => readHeader(item, EMPTY_BLOOM)),
    totalDifficulty: value.field('totalDifficulty').quantity(),
    size: value.field('size').count(),
  };
}

/** Returns a transaction for a dump: bytes and sender. Unsigned transactions do not contain their sender. */
export function transactionJson({ raw, sender }: Pick<Transaction, 'raw' | 'sender'>): Json {
  return { raw: toHex(raw), sender: toHex(sender) };
}

/** Returns the transaction of {@link transactionJson}. Throws `InvalidDumpError`. */
export function readTransaction(value: StrictValue, ruleSet: RuleSet): Transaction {
  const raw = value.field('raw').bytes();
  const sender = value.field('sender').bytes(20);
  try {
    return restoreTransaction(raw, ruleSet, sender);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return value.field('raw').refuse(`a transaction (${error.message})`);
  }
}
