// Receipts in JSON, as answers, dumps and state files of Anvil have them.

import type { Task } from '../primitives/task.ts';
import { mapInPieces, type WorkPieces } from '../primitives/work-pieces.ts';
import { blobBaseFee, blobGasOf } from '../protocol/blobs.ts';
import { type Block, locatedTransactions, type TransactionLocation } from '../protocol/block.ts';
import { type FieldKind, listFields } from '../protocol/field-kinds.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { BloomMaker, bloomOf, RECEIPT_DEFAULTS, RECEIPT_FIELDS, type Receipt } from '../protocol/receipt.ts';
import { LOG_JSON_SCHEMA, type LocatedLog, log, logsInPieces, logViews } from './log.ts';
import {
  certainMembers,
  type Member,
  type MemberTraits,
  member,
  objectWriter,
  promisedProperties,
  quantityNames,
} from './members.ts';
import type { StrictValue } from './strict-value.ts';
import {
  address,
  count,
  FIELD_CODECS,
  type FileForm,
  hash,
  integer,
  type Json,
  type JsonSchema,
  listOf,
  nullOr,
  objectSchema,
  orNull,
  type ValueCodec,
} from './values.ts';

/** The parts of a dialect that the JSON of a receipt depends on. */
export interface ReceiptDialect {
  /** True where the receipt of a creation that failed has the address that the contract would have had. */
  readonly namesFailedCreations: boolean;
}

/** The rules that the receipts of a chain are under, as far as their JSON depends on them. */
export type ReceiptRules = Pick<RuleSet, 'blobs'>;

/** A receipt that is to be written. */
interface ReceiptSource extends ReceiptDialect, ReceiptRules {
  readonly location: TransactionLocation;
}

type FieldName = keyof typeof RECEIPT_FIELDS;

interface ReceiptTraits extends MemberTraits {
  /** The field of receipts that it shows. */
  readonly field?: FieldName;
  /** The object of Anvil's state files that has it: the receipt by the same name, or the facts beside it in snake case. */
  readonly anvil?: 'receipt' | 'info';
}

type ReceiptMember = Member<ReceiptSource> & ReceiptTraits;

/** Success and failure as 1 and 0 (EIP-658). */
const status: ValueCodec<boolean> = {
  write: (succeeded) => (succeeded ? '0x1' : '0x0'),
  read: (value) => value.quantity(8) === 1n,
  tolerate: (value) => {
    const read = integer.tolerate(value);
    return read === undefined ? undefined : read === 1n;
  },
  blank: false,
  jsonSchema: { type: 'string', enum: ['0x0', '0x1'] },
  isQuantity: true,
};

const CODECS: Readonly<Record<FieldKind, ValueCodec<unknown>>> = FIELD_CODECS;

/** The member that shows that field, as `of` gives it, where that is not the field itself. */
function shown<Name extends FieldName>(
  field: Name,
  traits: ReceiptTraits = {},
  codec: ValueCodec<Receipt[Name]> = CODECS[RECEIPT_FIELDS[field]] as ValueCodec<Receipt[Name]>,
  of: (source: ReceiptSource) => Receipt[Name] = ({ location }) => location.receipt[field],
): ReceiptMember {
  return { ...member(codec, of), field, ...traits };
}

function own<Value>(
  codec: ValueCodec<Value>,
  of: (location: TransactionLocation) => Value,
  traits: ReceiptTraits = {},
): ReceiptMember {
  const { write: writeValue } = codec;
  return { codec, write: ({ location }) => writeValue(of(location)), ...traits };
}

const logList = listOf(log);

/** The members of a receipt in the order of answers (service document, Transaction receipt object). */
const RECEIPT_MEMBERS: Readonly<Record<string, ReceiptMember>> = {
  transactionHash: own(hash, ({ transaction }) => transaction.hash, { answered: 'always', anvil: 'info' }),
  transactionIndex: own(count, ({ index }) => index, { anvil: 'info' }),
  blockHash: own(hash, ({ block }) => block.hash, { answered: 'sometimes' }),
  blockNumber: own(count, ({ block }) => block.header.number, { answered: 'sometimes' }),
  from: own(address, ({ transaction }) => transaction.sender, { anvil: 'info' }),
  to: own(nullOr(address), ({ transaction }) => transaction.to, { anvil: 'info' }),
  cumulativeGasUsed: shown('cumulativeGasUsed', { anvil: 'receipt' }),
  gasUsed: shown('gasUsed', { anvil: 'info' }),
  effectiveGasPrice: shown('effectiveGasPrice'),
  contractAddress: shown(
    'contractAddress',
    { anvil: 'info' },
    undefined,
    ({ location: { receipt }, namesFailedCreations }) =>
      receipt.succeeded || namesFailedCreations ? receipt.contractAddress : null,
  ),
  logs: {
    codec: { ...logList, jsonSchema: { type: 'array', items: LOG_JSON_SCHEMA } },
    write: ({ location }) => logViews(locatedLogs(location)),
    answered: 'sometimes',
  },
  logsBloom: own(FIELD_CODECS.bloom, ({ receipt }) => receipt.logsBloom, { anvil: 'receipt' }),
  status: shown('succeeded', { anvil: 'receipt' }, status),
  type: own(count, ({ transaction }) => transaction.type, { anvil: 'receipt' }),
};

function locatedLogs({
  block,
  index,
  transaction,
  receipt,
  firstLogIndex,
}: TransactionLocation): LocatedLog[] {
  const { number: blockNumber, timestamp: blockTimestamp } = block.header;
  const place = { blockNumber, blockHash: block.hash, blockTimestamp, transactionHash: transaction.hash };
  return receipt.logs.map((emitted, position) => ({
    log: emitted,
    ...place,
    transactionIndex: index,
    logIndex: firstLogIndex + position,
    removed: false,
  }));
}

/** The members of the receipt of a transaction with blobs, which other receipts do not have. */
const BLOB_MEMBERS: Readonly<Record<string, Member<ReceiptSource>>> = {
  blobGasUsed: {
    codec: integer,
    write: ({ location: { transaction } }) =>
      transaction.type === 3 ? integer.write(blobGasOf(transaction)) : undefined,
  },
  blobGasPrice: {
    codec: integer,
    write: ({ location: { block, transaction }, blobs }) => {
      const fee = transaction.type === 3 ? blobBaseFee(block.header.ethereum.excessBlobGas, blobs) : null;
      return fee === null ? undefined : integer.write(fee);
    },
  },
};

const write = objectWriter(RECEIPT_MEMBERS, BLOB_MEMBERS);

/** Returns the receipt of a mined transaction as JSON. No other receipt of its block is read. */
export function receiptView(
  location: TransactionLocation,
  { namesFailedCreations }: ReceiptDialect,
  { blobs }: ReceiptRules,
): Json {
  return write({ location, namesFailedCreations, blobs });
}

/** The logs, and the bytes of their data, that a receipt shows at once. */
const LOGS_AT_ONCE = 128;
const DATA_AT_ONCE = 2 ** 14;

function isLong(logs: Receipt['logs']): boolean {
  return logs.length > LOGS_AT_ONCE || logs.reduce((size, { data }) => size + data.length, 0) > DATA_AT_ONCE;
}

/** As {@link receiptView}, in pieces where it has many logs or long ones. */
export function* receiptInPieces(
  location: TransactionLocation,
  dialect: ReceiptDialect,
  rules: ReceiptRules,
  pieces: WorkPieces,
): Task<Json> {
  const { receipt } = location;
  if (!isLong(receipt.logs)) return receiptView(location, dialect, rules);
  const logs = yield* logsInPieces(locatedLogs(location), pieces);
  return { ...receiptView({ ...location, receipt: { ...receipt, logs: [] } }, dialect, rules), logs };
}

/** Units of work for showing a receipt without its logs. */
const RECEIPT_WORK = 2_000;

/** Returns the receipts of all transactions of a block as JSON, in their order; in pieces where they are many or long. */
export function* blockReceiptsInPieces(
  block: Block,
  dialect: ReceiptDialect,
  rules: ReceiptRules,
  pieces: WorkPieces,
): Task<Json[]> {
  const views: Json[] = [];
  for (const location of locatedTransactions(block)) {
    views.push(yield* receiptInPieces(location, dialect, rules, pieces));
    const turn = pieces.spend(RECEIPT_WORK);
    if (turn !== undefined) yield turn;
  }
  return views;
}

/** The schema of a receipt, or `null`. */
export const RECEIPT_JSON_SCHEMA: JsonSchema = orNull(objectSchema(promisedProperties(RECEIPT_MEMBERS)));

/** The members of a receipt that are spelled as quantities. */
export const RECEIPT_QUANTITIES = quantityNames({ ...RECEIPT_MEMBERS, ...BLOB_MEMBERS });

/** The members that are certain of receipts of other nodes. */
export const CERTAIN_RECEIPT_MEMBERS = certainMembers(RECEIPT_MEMBERS);

/** The fields of a receipt, each with the member that shows it. */
const FIELDS = listFields(RECEIPT_FIELDS).map(({ name, kind }) => {
  const shownAs = Object.entries(RECEIPT_MEMBERS).find(([, { field }]) => field === name);
  if (shownAs === undefined) throw new Error(`no member of receipts shows ${name}`);
  return { name, codec: CODECS[kind], memberName: shownAs[0], anvil: shownAs[1].anvil };
});

/** Units of work for a log in a file. */
const FILED_LOG_WORK = 300;

const filedLogWork = (): number => FILED_LOG_WORK;

/** Returns the receipt as a dump has it, in pieces where it has many logs: they follow, from which the bloom is made again. */
export function* receiptJson(receipt: Receipt, pieces: WorkPieces): Task<Json> {
  const json: Record<string, unknown> = {};
  for (const { name, codec } of FIELDS) json[name] = (codec.writeDump ?? codec.write)(receipt[name]);
  return { ...json, logs: yield* mapInPieces(receipt.logs, pieces, filedLogWork, log.write) };
}

/** Returns the bloom filter over the addresses and topics of the logs, in pieces where they are many. */
export function* bloomInPieces(logs: Receipt['logs'], pieces: WorkPieces): Task<Uint8Array> {
  return isLong(logs) ? yield* new BloomMaker().addInPieces(logs, pieces) : bloomOf(logs);
}

function receiptOf(
  logs: Receipt['logs'],
  logsBloom: Uint8Array,
  read: (field: (typeof FIELDS)[number]) => unknown,
): Receipt {
  const fields: Partial<Record<FieldName, unknown>> = {};
  for (const field of FIELDS) fields[field.name] = read(field);
  return { ...(fields as Omit<Receipt, 'logs' | 'logsBloom'>), logs, logsBloom };
}

function* readLogs(value: StrictValue, form: FileForm, pieces: WorkPieces): Task<Receipt['logs']> {
  return yield* mapInPieces(value.field('logs').items(), pieces, filedLogWork, (item) =>
    log.read(item, form),
  );
}

/** Returns the receipt that {@link receiptJson} wrote, in pieces where it has many logs. Throws an `InvalidDumpError`. */
export function* readReceipt(value: StrictValue, pieces: WorkPieces): Task<Receipt> {
  const logs = yield* readLogs(value, 'dump', pieces);
  const bloom = yield* bloomInPieces(logs, pieces);
  return receiptOf(logs, bloom, ({ name, codec }) => codec.read(value.field(name), 'dump'));
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function anvilMembers(part: ReceiptTraits['anvil']): readonly (ReceiptMember & { readonly name: string })[] {
  return Object.entries(RECEIPT_MEMBERS)
    .filter(([, { anvil }]) => anvil === part)
    .map(([name, described]) => ({ ...described, name }));
}

const IN_RECEIPT = anvilMembers('receipt');
const IN_INFO = anvilMembers('info');

/** The two objects in which Anvil's state files have a receipt. */
interface AnvilReceiptJson {
  readonly info: Json;
  readonly receipt: Json;
}

/** Returns a receipt as Anvil's state files have it, in pieces where it has many logs. `info` has JSON numbers where answers have quantities. */
export function* anvilReceiptJson(location: TransactionLocation, pieces: WorkPieces): Task<AnvilReceiptJson> {
  const source = { location, namesFailedCreations: true, blobs: null };
  const info: Record<string, unknown> = {};
  for (const { name, codec, write: writeMember } of IN_INFO) {
    const value = writeMember(source);
    info[snakeCase(name)] = codec.isQuantity === true ? Number(value) : value;
  }
  const receipt: Record<string, unknown> = {};
  for (const { name, write: writeMember } of IN_RECEIPT) receipt[name] = writeMember(source);
  const logs = yield* mapInPieces(location.receipt.logs, pieces, filedLogWork, log.write);
  return { info, receipt: { ...receipt, logs } };
}

/**
 * Returns the receipt that stands in a state file of Anvil, which does not have the wei per gas that were paid. Throws an
 * `InvalidDumpError`.
 */
export function* readAnvilReceipt(
  mined: StrictValue,
  effectiveGasPrice: bigint,
  pieces: WorkPieces,
): Task<Receipt> {
  const [info, receipt] = [mined.field('info'), mined.field('receipt')];
  const isCreation = info.field('to').isNothing;
  const absent: Partial<Receipt> = { ...RECEIPT_DEFAULTS, effectiveGasPrice };
  const logs = yield* readLogs(receipt, 'anvil', pieces);
  const bloom = yield* bloomInPieces(logs, pieces);
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
