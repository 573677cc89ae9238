import { toHex } from '../primitives/hex.ts';
import type { Block, BlockHeader } from '../protocol/block.ts';
import type { Encoding } from '../protocol/field-kinds.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { encodeHeader, headerHash } from '../protocol/header-encoding.ts';
import { type FieldNames, HEADER_PROPERTIES, headerMembers } from './header.ts';
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
