import type { AnswerKind } from '../../fork/upstream/answer-shape.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { BLOCK_QUANTITIES } from '../../wire/block.ts';
import { type FieldNames, HEADER_QUANTITIES } from '../../wire/header.ts';
import { LOG_QUANTITIES } from '../../wire/log.ts';
import { RECEIPT_QUANTITIES } from '../../wire/receipt.ts';
import { asObject, tolerantFixedData, tolerantQuantity } from '../../wire/tolerant.ts';
import { TRANSACTION_QUANTITIES } from '../../wire/transaction.ts';

/** Members of blocks, transactions, receipts and logs that are quantities, whatever the upstream makes of them. */
const QUANTITIES: ReadonlySet<string> = new Set([
  ...HEADER_QUANTITIES,
  ...BLOCK_QUANTITIES,
  ...TRANSACTION_QUANTITIES,
  ...RECEIPT_QUANTITIES,
  ...LOG_QUANTITIES,
]);

const MERGED_MINING = /^(?:parentchain|bitcoin)(?=MergedMining)/;
const PREFIXES: Readonly<Record<FieldNames, string>> = { service: 'parentchain', native: 'bitcoin' };

function quantityView(value: unknown): unknown {
  const quantity = typeof value === 'string' ? tolerantQuantity(value) : undefined;
  return quantity === undefined ? value : toQuantity(quantity);
}

function fieldView(name: string, value: unknown, fieldNames: FieldNames): unknown {
  return QUANTITIES.has(name) ? quantityView(value) : objectView(value, fieldNames);
}

function objectView(value: unknown, fieldNames: FieldNames): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => objectView(item, fieldNames));
  const fields = asObject(value);
  if (fields === undefined) return value;
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name.replace(MERGED_MINING, PREFIXES[fieldNames]),
      fieldView(name, field, fieldNames),
    ]),
  );
}

function wordView(value: unknown): unknown {
  const word = tolerantFixedData(value, 32);
  return word === undefined ? value : toHex(word);
}

/** Kinds of answers that are passed on as they are: traces and the like have members of the same names with other meanings. */
const AS_IT_IS: ReadonlySet<AnswerKind> = new Set([
  'anything',
  'data',
  'dataOrNull',
  'feeHistory',
  'traces',
  'tracesOrNull',
]);

/**
 * An answer of the upstream as this node would spell it: quantities without leading zeros, merged-mining fields by the
 * names that are asked for. Other members of the upstream stay, and members that it does not have are not made up.
 */
export function upstreamView(kind: AnswerKind, answer: unknown, fieldNames: FieldNames): unknown {
  if (AS_IT_IS.has(kind)) return answer;
  if (kind === 'quantity' || kind === 'count') return quantityView(answer);
  return kind === 'word' ? wordView(answer) : objectView(answer, fieldNames);
}
