// A block in JSON, as answers and as dumps have it.

import { toHex, toQuantity } from '../primitives/hex.ts';
import type { Block, BlockHeader } from '../protocol/block.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { encodeHeader, headerHash } from '../protocol/header-encoding.ts';
import { type FieldNames, headerMembers } from './header.ts';
import type { Json } from './json.ts';
import { transactionView } from './transaction.ts';

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

/** How a block is to be shown. */
export interface BlockViewOptions {
  /** True for whole transactions, false for their hashes. */
  readonly full: boolean;
  /** True for a block that is not sealed: what only a seal fixes is `null`. */
  readonly isPending: boolean;
  readonly fieldNames: FieldNames;
  /** The rules of the chain, which tell how uncles are hashed and what transactions look like. */
  readonly rules: Pick<RuleSet, 'encoding'>;
}

/**
 * A block as JSON. A pending block keeps its number, which is certain and which client libraries cannot do without;
 * its hash, nonce and bloom are `null`.
 */
export function blockView(block: Block, options: BlockViewOptions): Json {
  const { encoding } = options.rules;
  return {
    ...headerView(block, options),
    cumulativeDifficulty: toQuantity(cumulativeDifficulty(block)),
    totalDifficulty: toQuantity(block.totalDifficulty),
    size: toQuantity(block.size),
    transactions: transactionsView(block, options),
    uncles: block.uncles.map((uncle) => toHex(headerHash(uncle, encoding))),
  };
}

/** The groups of members of a header, in their order. */
const SERVICE_GROUPS = ['identity', 'common', 'network', 'ethereum'] as const;
const NATIVE_GROUPS = ['identity', 'common', 'network', 'native', 'ethereum'] as const;

/** Returns the header of a block as JSON: {@link blockView} without the body's part. */
export function headerView(
  { header, hash }: Block,
  { isPending, fieldNames }: Pick<BlockViewOptions, 'isPending' | 'fieldNames'>,
): Json {
  const groups = fieldNames === 'native' ? NATIVE_GROUPS : SERVICE_GROUPS;
  return headerMembers({ header, hash, isPending }, groups, fieldNames);
}

/** Returns the head of a chain as a subscription to new heads has it: the header alone, without the network's fields. */
export function headView({ header, hash }: Block): Json {
  return headerMembers({ header, hash, isPending: false }, ['identity', 'common', 'ethereum'], 'service');
}

/** How an uncle is to be shown. */
export interface UncleViewOptions {
  readonly encoding: RuleSet['encoding'];
  /** The difficulty of the chain up to the uncle's parent. */
  readonly parentDifficulty: bigint;
  readonly fieldNames: FieldNames;
}

/**
 * An uncle as JSON: a block without transactions. Its size is that of its header. Its own uncles are not known but for
 * their number; their difficulty is taken for the same, as it is the same for all blocks of a chain here.
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
    cumulativeDifficulty: toQuantity(cumulative),
    totalDifficulty: toQuantity(parentDifficulty + cumulative),
    size: toQuantity(encodeHeader(header, encoding).length),
    uncles: [],
    ...headerMembers(source, own, fieldNames),
  };
}
