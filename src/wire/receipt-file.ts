// Receipts in the JSON of files: dumps and Anvil state files.

import { type JsonScanner, OtherJsonError } from '../json/json-scanner.ts';
import { asciiCodes, type JsonWriter, withJsonList } from '../json/json-writer.ts';
import { EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { mapInSteps, type Steps } from '../primitives/steps.ts';
import type { TransactionLocation } from '../protocol/block.ts';
import { type FieldKind, listFields } from '../protocol/field-kinds.ts';
import {
  type FiledReceipt,
  type Log,
  type LogSequence,
  logsOf,
  RECEIPT_DEFAULTS,
  RECEIPT_FIELDS,
  type Receipt,
  withoutLogs,
} from '../protocol/receipt.ts';
import { filedLogList, log, TOPICS_LIMIT } from './log.ts';
import {
  bloomOfReceipt,
  CODECS,
  type FieldName,
  LOGS_AT_ONCE,
  RECEIPT_MEMBERS,
  type ReceiptFeatures,
  type ReceiptMember,
  status,
} from './receipt.ts';
import type { StrictValue } from './strict-value.ts';
import type { FileForm, Json } from './values.ts';

/** The fields of a receipt, each with its member in responses. */
const FIELDS = listFields(RECEIPT_FIELDS).map(({ name, kind }, index) => {
  const shownAs = Object.entries(RECEIPT_MEMBERS).find(([, { field }]) => field === name);
  if (shownAs === undefined) throw new Error(`no member of receipts shows ${name}`);
  const label = asciiCodes(`${index === 0 ? '{' : ','}"${name}":`);
  return {
    name,
    kind: kind as FieldKind,
    codec: CODECS[kind],
    label,
    memberName: shownAs[0],
    anvil: shownAs[1].anvil,
  };
});

/** Work units per log in a file that is read. */
const READ_LOG_WORK = 300;

const filedLogWork = (): number => READ_LOG_WORK;

/** The texts of a log in a file around its digits. Its names are in {@link log} too. */
const [ADDRESS, TOPICS] = [asciiCodes('{"address":"0x'), asciiCodes('","topics":[')];
const [FIRST_TOPIC, NEXT_TOPIC] = [asciiCodes('"0x'), asciiCodes('","0x')];
const [DATA, DATA_OF_TOPICS, END_OF_LOG] = [
  asciiCodes('],"data":"0x'),
  asciiCodes('"],"data":"0x'),
  asciiCodes('"}'),
];

/** Writes a log in the form of files. Yields for long data only. */
function* writeFiledLog(writer: JsonWriter, { address: emitter, topics: list, data }: Log): Steps<void> {
  writer.codes(ADDRESS);
  writer.hex(emitter);
  writer.codes(TOPICS);
  let isFirst = true;
  for (const topic of list) {
    writer.codes(isFirst ? FIRST_TOPIC : NEXT_TOPIC);
    writer.hex(topic);
    isFirst = false;
  }
  writer.codes(isFirst ? DATA : DATA_OF_TOPICS);
  yield* writer.longHex(data);
  writer.codes(END_OF_LOG);
}

/** Reads a log that {@link writeFiledLog} wrote. */
function scanFiledLog(scanner: JsonScanner): Log {
  scanner.take(ADDRESS);
  const emitter = scanner.hex(20);
  scanner.take(TOPICS);
  const list: Uint8Array[] = [];
  if (scanner.skips(FIRST_TOPIC)) {
    do list.push(scanner.hex(32));
    while (scanner.skips(NEXT_TOPIC));
  }
  if (list.length > TOPICS_LIMIT) throw new OtherJsonError();
  scanner.take(list.length === 0 ? DATA : DATA_OF_TOPICS);
  const data = scanner.hex();
  scanner.take(END_OF_LOG);
  return { address: emitter, topics: list, data };
}

/** Work units per log that is written or scanned. */
const FILED_LOG_WORK = 128;

/** Returns the object with the logs as its last member, in the form of files. Yields if there are many. */
function* withFiledLogs(json: Record<string, unknown>, logs: LogSequence): Steps<Json> {
  if (logs.length <= LOGS_AT_ONCE) return { ...json, logs: yield* mapInSteps(logs, filedLogWork, log.write) };
  return withJsonList(json, 'logs', yield* filedLogList(logs));
}

/** Writes a list of logs in the form of files. Yields between logs. */
function* writeFiledLogs(writer: JsonWriter, logs: LogSequence): Steps<void> {
  let isFirst = true;
  for (const emitted of logs) {
    if (!isFirst) writer.codes(COMMA);
    yield* writeFiledLog(writer, emitted);
    yield FILED_LOG_WORK;
    isFirst = false;
  }
}

const [LOGS, END] = [asciiCodes(',"logs":['), asciiCodes(']}')];
const [TRUE, FALSE, NULL] = [asciiCodes('true'), asciiCodes('false'), asciiCodes('null')];
const [QUANTITY, QUOTE, COMMA] = [asciiCodes('"0x'), asciiCodes('"'), asciiCodes(',')];

/** Writes a receipt for a dump, without the bloom, which derives from the logs. Yields between logs. */
export function* writeReceipt(writer: JsonWriter, receipt: FiledReceipt): Steps<void> {
  for (const { name, codec, label } of FIELDS) {
    writer.codes(label);
    const value = receipt[name];
    // All codecs write integers as QUANTITY.
    if (typeof value === 'bigint' && value <= Number.MAX_SAFE_INTEGER) {
      writer.codes(QUANTITY);
      writer.quantity(Number(value));
      writer.codes(QUOTE);
    } else writer.text(JSON.stringify((codec.writeDump ?? codec.write)(value)));
  }
  writer.codes(LOGS);
  yield* writeFiledLogs(writer, logsOf(receipt));
  writer.codes(END);
}

function receiptOf(
  logs: Receipt['logs'],
  logsBloom: Uint8Array,
  read: (field: (typeof FIELDS)[number]) => unknown,
): Receipt {
  const fields: Partial<Record<FieldName, unknown>> = {};
  for (const field of FIELDS) fields[field.name] = read(field);
  return { ...(fields as Omit<Receipt, 'logs' | 'storedLogs' | 'logsBloom'>), logs, logsBloom };
}

/** Reuses equal parts of the previous log; the logs of a loop would take several times the memory. */
function withPartsOf(last: Log | null, { address, topics, data }: Log): Log {
  return {
    address: last !== null && equalBytes(last.address, address) ? last.address : address,
    topics: last !== null && hasSameTopics(last, topics) ? last.topics : topics,
    data: data.length === 0 ? EMPTY_BYTES : data,
  };
}

function hasSameTopics({ topics }: Log, others: Log['topics']): boolean {
  return (
    topics.length === others.length &&
    topics.every((topic, place) => equalBytes(topic, others[place] ?? EMPTY_BYTES))
  );
}

/** Reads the logs that {@link writeFiledLogs} wrote, with the end of their receipt. */
function* scanLogs(scanner: JsonScanner): Steps<Receipt['logs']> {
  const logs: Log[] = [];
  if (scanner.skips(END)) return logs;
  let last: Log | null = null;
  do {
    last = withPartsOf(last, scanFiledLog(scanner));
    logs.push(last);
    yield FILED_LOG_WORK;
  } while (scanner.skips(COMMA));
  scanner.take(END);
  return logs;
}

function scanField(scanner: JsonScanner, kind: FieldKind): unknown {
  if (kind === 'flag') {
    if (scanner.skips(TRUE)) return true;
    scanner.take(FALSE);
    return false;
  }
  if (kind === 'optional address' && scanner.skips(NULL)) return null;
  scanner.take(QUANTITY);
  const value = kind === 'integer' ? scanner.quantity() : scanner.hex(20);
  scanner.take(QUOTE);
  return value;
}

/** Reads a receipt that {@link writeReceipt} wrote. */
export function* scanReceipt(scanner: JsonScanner): Steps<FiledReceipt> {
  const receipt: Partial<Record<FieldName | 'logs', unknown>> = {};
  for (const { name, kind, label } of FIELDS) {
    scanner.take(label);
    receipt[name] = scanField(scanner, kind);
  }
  scanner.take(LOGS);
  receipt.logs = yield* scanLogs(scanner);
  return receipt as FiledReceipt;
}

function* readLogs(value: StrictValue, form: FileForm): Steps<Receipt['logs']> {
  let last: Log | null = null;
  return yield* mapInSteps(value.field('logs').eachItem(), filedLogWork, (item) => {
    last = withPartsOf(last, log.read(item, form));
    return last;
  });
}

/** Returns the receipt of {@link writeReceipt}. Yields if it has many logs. Throws `InvalidDumpError`. */
export function* readReceipt(value: StrictValue): Steps<FiledReceipt> {
  const receipt: Partial<Record<FieldName | 'logs', unknown>> = {};
  for (const { name, codec } of FIELDS) receipt[name] = codec.read(value.field(name), 'dump');
  receipt.logs = yield* readLogs(value, 'dump');
  return receipt as FiledReceipt;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function anvilMembers(
  part: ReceiptFeatures['anvil'],
): readonly (ReceiptMember & { readonly name: string })[] {
  return Object.entries(RECEIPT_MEMBERS)
    .filter(([, { anvil }]) => anvil === part)
    .map(([name, described]) => ({ ...described, name }));
}

const IN_RECEIPT = anvilMembers('receipt');
const IN_INFO = anvilMembers('info');

/** The two objects of a receipt in Anvil's state files. */
interface AnvilReceiptJson {
  readonly info: Json;
  readonly receipt: Json;
}

/** Returns a receipt for Anvil's state files, in time slices. `info` has JSON numbers for quantities. */
export function* anvilReceiptJson(location: TransactionLocation): Steps<AnvilReceiptJson> {
  const own = withoutLogs(location.receipt, yield* bloomOfReceipt(location.receipt));
  const source = { location: { ...location, receipt: own }, namesFailedCreations: true, blobs: null };
  const info: Record<string, unknown> = {};
  for (const { name, codec, write: writeMember } of IN_INFO) {
    const value = writeMember(source);
    info[snakeCase(name)] = codec.isQuantity === true ? Number(value) : value;
  }
  const receipt: Record<string, unknown> = {};
  for (const { name, write: writeMember } of IN_RECEIPT) receipt[name] = writeMember(source);
  return { info, receipt: yield* withFiledLogs(receipt, logsOf(location.receipt)) };
}

/**
 * Returns the receipt in an Anvil state file. The file does not contain the effective gas price (wei per
 * gas). Throws `InvalidDumpError`.
 */
export function* readAnvilReceipt(mined: StrictValue, effectiveGasPrice: bigint): Steps<Receipt> {
  const [info, receipt] = [mined.field('info'), mined.field('receipt')];
  const isCreation = info.field('to').isNothing;
  const absent: Partial<Receipt> = { ...RECEIPT_DEFAULTS, effectiveGasPrice };
  const logs = yield* readLogs(receipt, 'anvil');
  const bloom = yield* bloomOfReceipt({ logs });
  return receiptOf(logs, bloom, ({ name, codec, memberName, anvil }) => {
    if (anvil === undefined) return absent[name];
    if (name === 'contractAddress' && !isCreation) return null;
    if (name === 'succeeded') return status.read(receipt.field(memberName), 'anvil');
    return codec.read(
      anvil === 'info' ? info.field(snakeCase(memberName)) : receipt.field(memberName),
      'anvil',
    );
  });
}
