// A block in JSON, for responses and dumps.

import { CodedError } from '../primitives/coded-error.ts';
import { toHex, toQuantity } from '../primitives/hex.ts';
import { mapInSteps, type Steps } from '../primitives/steps.ts';
import type { Block, BlockHeader, FiledBlock } from '../protocol/block.ts';
import type { Encoding } from '../protocol/field-kinds.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { encodeHeader, headerHash } from '../protocol/header-encoding.ts';
import { BLOOM_SIZE, joinBlooms, type Receipt } from '../protocol/receipt.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { restoreTransaction } from '../protocol/transaction-decoding.ts';
import { type FieldNames, HEADER_PROPERTIES, headerJson, headerMembers, readHeader } from './header.ts';
import { bloomOfReceipt } from './receipt.ts';
import { readReceipt, receiptJson } from './receipt-file.ts';
import type { StrictValue } from './strict-value.ts';
import { transactionView } from './transaction.ts';
import { count, hash, integer, type Json, type JsonSchema, objectSchema, orNull } from './values.ts';

function cumulativeDifficulty(block: Block): bigint {
  return block.uncles.reduce((sum, uncle) => sum + uncle.difficulty, block.header.difficulty);
}

function transactionsView(
  block: Block,
  { full, isPending, rules }: Pick<BlockViewOptions, 'full' | 'isPending' | 'rules'>,
): unknown[] {
  if (!full) return block.transactions.map(({ hash }) => toHex(hash));
  return block.transactions.map((transaction, index) =>
    transactionView(transaction, isPending ? null : { block, index }, rules),
  );
}

/** The options of a block in responses. */
export interface BlockViewOptions {
  /** True for full transactions, false for their hashes. */
  readonly full: boolean;
  /** True for an unsealed block: the fields that sealing determines are `null`. */
  readonly isPending: boolean;
  readonly fieldNames: FieldNames;
  /** The rules of the chain; they decide the hashes of uncles and the form of transactions. */
  readonly rules: Pick<RuleSet, 'encoding'>;
  /** As in `HeaderSource`; used only with native field names. */
  readonly baseEvent?: Uint8Array | undefined;
}

/** Returns a block as JSON. In a pending block, hash, nonce and bloom are `null`; clients need the number. */
export function blockView(block: Block, options: BlockViewOptions): Json {
  const { encoding } = options.rules;
  return {
    ...headerView(block, options),
    ...chainMembers(cumulativeDifficulty(block), block),
    transactions: transactionsView(block, options),
    uncles: block.uncles.map((uncle) => toHex(headerHash(uncle, encoding))),
  };
}

/** The members that derive from the chain and the encoding, in the order of responses. */
const CHAIN_MEMBERS = { cumulativeDifficulty: integer, totalDifficulty: integer, size: count } as const;

function chainMembers(
  cumulative: bigint,
  { totalDifficulty, size }: Pick<Block, 'totalDifficulty' | 'size'>,
): { readonly [Name in keyof typeof CHAIN_MEMBERS]: unknown } {
  return {
    cumulativeDifficulty: CHAIN_MEMBERS.cumulativeDifficulty.write(cumulative),
    totalDifficulty: CHAIN_MEMBERS.totalDifficulty.write(totalDifficulty),
    size: CHAIN_MEMBERS.size.write(size),
  };
}

/** The quantities of a block, without the header's. */
export const BLOCK_QUANTITIES: readonly string[] = Object.keys(CHAIN_MEMBERS);

export const HEADER_JSON_SCHEMA: JsonSchema = orNull(objectSchema(HEADER_PROPERTIES));

/** The schema of a block, or `null` (service document, Block object). */
export const BLOCK_JSON_SCHEMA: JsonSchema = orNull(
  objectSchema({
    ...HEADER_PROPERTIES,
    ...Object.fromEntries(Object.entries(CHAIN_MEMBERS).map(([name, { jsonSchema }]) => [name, jsonSchema])),
    transactions: { type: 'array', items: { oneOf: [hash.jsonSchema, { type: 'object' }] } },
    uncles: { type: 'array', items: hash.jsonSchema },
  }),
);

/** The groups of header members, in order. */
const SERVICE_GROUPS = ['identity', 'common', 'network', 'ethereum'] as const;
const NATIVE_GROUPS = ['identity', 'common', 'network', 'native', 'ethereum'] as const;

/** Returns the header of a block as JSON: {@link blockView} without the body. */
export function headerView(
  { header, hash }: Block,
  { isPending, fieldNames, baseEvent }: Pick<BlockViewOptions, 'isPending' | 'fieldNames' | 'baseEvent'>,
): Json {
  const groups = fieldNames === 'native' ? NATIVE_GROUPS : SERVICE_GROUPS;
  return headerMembers({ header, hash, isPending, baseEvent }, groups, fieldNames);
}

/**
 * Returns a head for a subscription to new heads: the header without Rootstock's fields. With native field
 * names, it includes `baseEvent`.
 */
export function headView(
  { header, hash }: Block,
  fieldNames: FieldNames = 'service',
  baseEvent?: Uint8Array,
): Json {
  const source = { header, hash, isPending: false, baseEvent };
  const head = headerMembers(source, ['identity', 'common', 'ethereum'], 'service');
  if (fieldNames === 'service') return head;
  const { baseEvent: shown } = headerMembers(source, ['native'], fieldNames);
  return { ...head, baseEvent: shown };
}

/** The options of an uncle in responses. */
export interface UncleViewOptions {
  readonly encoding: Encoding;
  /** The total difficulty up to the uncle's parent. */
  readonly parentDifficulty: bigint;
  readonly fieldNames: FieldNames;
}

/**
 * Returns an uncle as JSON: a block without transactions, with the size of its header. Its own uncles are
 * unknown except for their number. Their difficulty is assumed to be the same, because all blocks of a chain
 * have the same difficulty here.
 */
export function uncleView(
  header: BlockHeader,
  { encoding, parentDifficulty, fieldNames }: UncleViewOptions,
): Json {
  const cumulative = header.difficulty * BigInt(1 + header.uncleCount);
  const source = { header, hash: headerHash(header, encoding), isPending: false };
  const [identity, common, ...own] = fieldNames === 'native' ? NATIVE_GROUPS : SERVICE_GROUPS;
  return {
    ...headerMembers(source, [identity, common], fieldNames),
    ...chainMembers(cumulative, {
      totalDifficulty: parentDifficulty + cumulative,
      size: encodeHeader(header, encoding).length,
    }),
    uncles: [],
    ...headerMembers(source, own, fieldNames),
  };
}

const NO_LOGS_BLOOM = new Uint8Array(BLOOM_SIZE);

/** Work units per transaction, or per receipt without its logs, in a file. */
export const FILED_WORK = 1_000;

const filedWork = (): number => FILED_WORK;

/** Returns a block with all its data for a dump. Yields if it has many transactions or logs. */
export function* blockJson(block: FiledBlock): Steps<Json> {
  const blooms: Uint8Array[] = [];
  const receipts: Json[] = [];
  for (const receipt of block.receipts) {
    blooms.push(yield* bloomOfReceipt(receipt));
    receipts.push(yield* receiptJson(receipt));
    yield FILED_WORK;
  }
  return {
    hash: toHex(block.hash),
    header: headerJson(block.header, joinBlooms(blooms)),
    transactions: yield* mapInSteps(block.transactions, filedWork, transactionJson),
    receipts,
    uncles: block.uncles.map((uncle) => headerJson(uncle, NO_LOGS_BLOOM)),
    totalDifficulty: toQuantity(block.totalDifficulty),
    size: block.size,
  };
}

/** Returns the block of {@link blockJson}, without verifying its hash. Throws `InvalidDumpError`. */
export function* readBlock(value: StrictValue, ruleSet: RuleSet): Steps<Block> {
  const transactions = yield* mapInSteps(value.field('transactions').eachItem(), filedWork, (item) =>
    readTransaction(item, ruleSet),
  );
  const receipts: Receipt[] = [];
  for (const item of value.field('receipts').eachItem()) {
    receipts.push(yield* readReceipt(item));
    yield FILED_WORK;
  }
  if (receipts.length !== transactions.length) value.field('receipts').refuse('one receipt per transaction');
  return {
    hash: value.field('hash').bytes(32),
    header: readHeader(value.field('header'), joinBlooms(receipts.map(({ logsBloom }) => logsBloom))),
    transactions,
    receipts,
    uncles: value
      .field('uncles')
      .items()
      .map((item) => readHeader(item, NO_LOGS_BLOOM)),
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
