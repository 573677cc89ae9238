// Receipts in JSON, as answers have them.

import { withJsonList } from '../json/json-writer.ts';
import { blobBaseFee, blobGasOf } from '../protocol/blobs.ts';
import { type Block, locatedTransactions, type TransactionLocation } from '../protocol/block.ts';
import type { FieldKind } from '../protocol/field-kinds.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import {
  BloomMaker,
  bloomOf,
  type LogSequence,
  logsOf,
  RECEIPT_FIELDS,
  type Receipt,
  withoutLogs,
} from '../protocol/receipt.ts';
import type { Task } from '../scheduling/task.ts';
import type { WorkPieces } from '../scheduling/work-pieces.ts';
import { LOG_JSON_SCHEMA, type LocatedLog, log, logListInPieces, logsInPieces, logViews } from './log.ts';
import {
  certainMembers,
  type Member,
  type MemberTraits,
  member,
  objectWriter,
  promisedProperties,
  quantityNames,
} from './members.ts';
import {
  address,
  count,
  FIELD_CODECS,
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

export type FieldName = keyof typeof RECEIPT_FIELDS;

export interface ReceiptTraits extends MemberTraits {
  /** The field of receipts that it shows. */
  readonly field?: FieldName;
  /** The object of Anvil's state files that has it: the receipt by the same name, or the facts beside it in snake case. */
  readonly anvil?: 'receipt' | 'info';
}

export type ReceiptMember = Member<ReceiptSource> & ReceiptTraits;

/** Success and failure as 1 and 0 (EIP-658). */
export const status: ValueCodec<boolean> = {
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

export const CODECS: Readonly<Record<FieldKind, ValueCodec<unknown>>> = FIELD_CODECS;

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
export const RECEIPT_MEMBERS: Readonly<Record<string, ReceiptMember>> = {
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
    write: ({ location }) => logViews([...locatedLogs(location, location.receipt.logs)]),
    answered: 'sometimes',
  },
  logsBloom: own(FIELD_CODECS.bloom, ({ receipt }) => receipt.logsBloom, { anvil: 'receipt' }),
  status: shown('succeeded', { anvil: 'receipt' }, status),
  type: own(count, ({ transaction }) => transaction.type, { anvil: 'receipt' }),
};

/** Yields the logs of a transaction in their order. */
function* locatedLogs(
  { block, index: transactionIndex, transaction, firstLogIndex }: TransactionLocation,
  logs: LogSequence,
): Generator<LocatedLog, void, undefined> {
  const { number: blockNumber, timestamp: blockTimestamp } = block.header;
  const place = { blockNumber, blockHash: block.hash, blockTimestamp, transactionHash: transaction.hash };
  let logIndex = firstLogIndex;
  for (const emitted of logs)
    yield { log: emitted, ...place, transactionIndex, logIndex: logIndex++, removed: false };
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
export const LOGS_AT_ONCE = 128;
const DATA_AT_ONCE = 2 ** 14;
/** The logs from which on a receipt has them as the JSON of their list. */
const MANY_LOGS = 2 ** 12;

function isLong(receipt: Pick<Receipt, 'logs' | 'storedLogs'>): boolean {
  if (logsOf(receipt).length > LOGS_AT_ONCE) return true;
  let size = 0;
  for (const { data } of receipt.logs) size += data.length;
  return size > DATA_AT_ONCE;
}

/** Returns the bloom filter over the addresses and topics of the logs of a receipt, in pieces where they are many. */
export function* bloomInPieces(
  receipt: Pick<Receipt, 'logs' | 'storedLogs'>,
  pieces: WorkPieces,
): Task<Uint8Array> {
  return isLong(receipt)
    ? yield* new BloomMaker().addInPieces(logsOf(receipt), pieces)
    : bloomOf(receipt.logs);
}

/** As {@link receiptView} with `more` members behind, in pieces where it has many logs or long ones. */
export function* receiptInPieces(
  location: TransactionLocation,
  dialect: ReceiptDialect,
  rules: ReceiptRules,
  pieces: WorkPieces,
  more?: Json,
): Task<Json> {
  const { receipt } = location;
  if (!isLong(receipt)) return Object.assign(receiptView(location, dialect, rules), more);
  const bloom = yield* bloomInPieces(receipt, pieces);
  const own = receiptView({ ...location, receipt: withoutLogs(receipt, bloom) }, dialect, rules);
  const view = { ...own, ...more };
  if (logsOf(receipt).length > MANY_LOGS)
    return withJsonList(view, 'logs', yield* logListInPieces(locatedLogs(location, logsOf(receipt)), pieces));
  return { ...view, logs: yield* logsInPieces([...locatedLogs(location, receipt.logs)], pieces) };
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
