// Receipts in JSON responses.

import { withJsonList } from '../json/json-writer.ts';
import type { Steps } from '../primitives/steps.ts';
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
import { LOG_JSON_SCHEMA, type LocatedLog, log, logJsonList, logViews, logViewsInSteps } from './log.ts';
import {
  certainMembers,
  type Member,
  type MemberFeatures,
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

/** The parts of a compat mode that affect the JSON of a receipt. */
export interface ReceiptCompat {
  /** True if the receipt of a failed creation contains the address that the contract would have had. */
  readonly namesFailedCreations: boolean;
}

/** The rules that affect the JSON of a receipt. */
export type ReceiptRules = Pick<RuleSet, 'blobs'>;

/** A receipt to be written. */
interface ReceiptSource extends ReceiptCompat, ReceiptRules {
  readonly location: TransactionLocation;
}

export type FieldName = keyof typeof RECEIPT_FIELDS;

export interface ReceiptFeatures extends MemberFeatures {
  /** The receipt field that it contains. */
  readonly field?: FieldName;
  /** The object of Anvil's state files that contains it: `receipt`, or `info` with a name in snake case. */
  readonly anvil?: 'receipt' | 'info';
}

export type ReceiptMember = Member<ReceiptSource> & ReceiptFeatures;

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

/** Returns the member of a field. `of` returns its value, by default the field itself. */
function shown<Name extends FieldName>(
  field: Name,
  traits: ReceiptFeatures = {},
  codec: ValueCodec<Receipt[Name]> = CODECS[RECEIPT_FIELDS[field]] as ValueCodec<Receipt[Name]>,
  of: (source: ReceiptSource) => Receipt[Name] = ({ location }) => location.receipt[field],
): ReceiptMember {
  return { ...member(codec, of), field, ...traits };
}

function own<Value>(
  codec: ValueCodec<Value>,
  of: (location: TransactionLocation) => Value,
  traits: ReceiptFeatures = {},
): ReceiptMember {
  const { write: writeValue } = codec;
  return { codec, write: ({ location }) => writeValue(of(location)), ...traits };
}

const logList = listOf(log);

/** The members of a receipt in the order of responses (service document, Transaction receipt object). */
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

/** The additional members of a blob transaction's receipt. */
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

/** Returns the receipt of a mined transaction as JSON. It reads no other receipt of the block. */
export function receiptView(
  location: TransactionLocation,
  { namesFailedCreations }: ReceiptCompat,
  { blobs }: ReceiptRules,
): Json {
  return write({ location, namesFailedCreations, blobs });
}

/** Maximum logs of a receipt, and maximum bytes of their data, in one time slice. */
export const LOGS_AT_ONCE = 128;
const DATA_AT_ONCE = 2 ** 14;
/** Receipts with more logs contain the JSON of their list. */
const MANY_LOGS = 2 ** 12;

/** True if writing the receipt may yield. */
export function isLongReceipt(receipt: Pick<Receipt, 'logs' | 'storedLogs'>): boolean {
  if (logsOf(receipt).length > LOGS_AT_ONCE) return true;
  let size = 0;
  for (const { data } of receipt.logs) size += data.length;
  return size > DATA_AT_ONCE;
}

/** Returns the bloom filter of the addresses and topics of a receipt's logs. Yields if there are many. */
export function* bloomOfReceipt(receipt: Pick<Receipt, 'logs' | 'storedLogs'>): Steps<Uint8Array> {
  return isLongReceipt(receipt) ? yield* new BloomMaker().add(logsOf(receipt)) : bloomOf(receipt.logs);
}

/** As {@link receiptView}, followed by the members of `more`. Yields if the logs are many or long. */
export function* receiptViewInSteps(
  location: TransactionLocation,
  compat: ReceiptCompat,
  rules: ReceiptRules,
  more?: Json,
): Steps<Json> {
  const { receipt } = location;
  if (!isLongReceipt(receipt)) return Object.assign(receiptView(location, compat, rules), more);
  const bloom = yield* bloomOfReceipt(receipt);
  const own = receiptView({ ...location, receipt: withoutLogs(receipt, bloom) }, compat, rules);
  const view = { ...own, ...more };
  if (logsOf(receipt).length > MANY_LOGS)
    return withJsonList(view, 'logs', yield* logJsonList(locatedLogs(location, logsOf(receipt))));
  return { ...view, logs: yield* logViewsInSteps([...locatedLogs(location, receipt.logs)]) };
}

/** Work units per receipt without its logs. */
const RECEIPT_WORK = 2_000;

/** Returns the receipts of all transactions of a block as JSON, in order. Yields if they are many or long. */
export function* blockReceipts(block: Block, compat: ReceiptCompat, rules: ReceiptRules): Steps<Json[]> {
  const views: Json[] = [];
  for (const location of locatedTransactions(block)) {
    views.push(yield* receiptViewInSteps(location, compat, rules));
    yield RECEIPT_WORK;
  }
  return views;
}

export const RECEIPT_JSON_SCHEMA: JsonSchema = orNull(objectSchema(promisedProperties(RECEIPT_MEMBERS)));

/** The quantities of a receipt. */
export const RECEIPT_QUANTITIES = quantityNames({ ...RECEIPT_MEMBERS, ...BLOB_MEMBERS });

/** The members that receipts of every kind of node contain. */
export const CERTAIN_RECEIPT_MEMBERS = certainMembers(RECEIPT_MEMBERS);
