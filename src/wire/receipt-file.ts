// Receipts in the JSON of files: dumps and Anvil state files.

import { withJsonList } from '../json/json-writer.ts';
import { EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { mapInSteps, type Steps } from '../primitives/steps.ts';
import type { TransactionLocation } from '../protocol/block.ts';
import { listFields } from '../protocol/field-kinds.ts';
import {
  type Log,
  type LogSequence,
  logsOf,
  RECEIPT_DEFAULTS,
  RECEIPT_FIELDS,
  type Receipt,
  withoutLogs,
} from '../protocol/receipt.ts';
import { filedLogList, log } from './log.ts';
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
const FIELDS = listFields(RECEIPT_FIELDS).map(({ name, kind }) => {
  const shownAs = Object.entries(RECEIPT_MEMBERS).find(([, { field }]) => field === name);
  if (shownAs === undefined) throw new Error(`no member of receipts shows ${name}`);
  return { name, codec: CODECS[kind], memberName: shownAs[0], anvil: shownAs[1].anvil };
});

/** Work units per log in a file. */
const FILED_LOG_WORK = 300;

const filedLogWork = (): number => FILED_LOG_WORK;

/** Returns the object with the logs as its last member, in the form of files. Yields if there are many. */
function* withFiledLogs(json: Record<string, unknown>, logs: LogSequence): Steps<Json> {
  if (logs.length <= LOGS_AT_ONCE) return { ...json, logs: yield* mapInSteps(logs, filedLogWork, log.write) };
  return withJsonList(json, 'logs', yield* filedLogList(logs));
}

/**
 * Returns a receipt for a dump, without the bloom, which derives from the logs. Yields if it has many logs.
 */
export function receiptJson(receipt: Receipt): Steps<Json> {
  const json: Record<string, unknown> = {};
  for (const { name, codec } of FIELDS) json[name] = (codec.writeDump ?? codec.write)(receipt[name]);
  return withFiledLogs(json, logsOf(receipt));
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

function* readLogs(value: StrictValue, form: FileForm): Steps<Receipt['logs']> {
  let last: Log | null = null;
  return yield* mapInSteps(value.field('logs').eachItem(), filedLogWork, (item) => {
    last = withPartsOf(last, log.read(item, form));
    return last;
  });
}

/** Returns the receipt of {@link receiptJson}. Yields if it has many logs. Throws `InvalidDumpError`. */
export function* readReceipt(value: StrictValue): Steps<Receipt> {
  const logs = yield* readLogs(value, 'dump');
  const bloom = yield* bloomOfReceipt({ logs });
  return receiptOf(logs, bloom, ({ name, codec }) => codec.read(value.field(name), 'dump'));
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
