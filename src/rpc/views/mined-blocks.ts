// The blocks that a request has mined, with the results of their transactions.

import type { ResultBudget } from '../../chain/execution/result-budget.ts';
import type { BuiltBlock } from '../../chain/mining/block-builder.ts';
import type { MineOptions } from '../../chain/mining/mine-series.ts';
import type { ExecutionResult } from '../../evm/engine.ts';
import { HALT_REASONS } from '../../evm/halt-reasons.ts';
import { revertText } from '../../evm/revert-reason.ts';
import { hexInSteps, type Steps } from '../../primitives/steps.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import type { WorldState } from '../../state/world-state.ts';
import { blockView } from '../../wire/block.ts';
import type { FieldNames } from '../../wire/header.ts';
import { transactionView } from '../../wire/transaction.ts';
import type { Json } from '../../wire/values.ts';
import { AnswerTooLargeError } from '../errors.ts';
import type { RpcContext } from '../rpc-context.ts';

/** The result of a mined transaction. */
interface MinedResult extends Pick<ExecutionResult, 'outcome' | 'haltReason'> {
  /** The return or revert data; `null` if it exceeds the memory budget. */
  readonly output: Uint8Array | null;
}

/** A block mined by a request, with the results of its transactions. */
interface DetailedBlock extends Pick<BuiltBlock, 'block'> {
  readonly results: readonly MinedResult[];
  /** As in `HeaderSource`. */
  readonly baseEvent: Uint8Array | undefined;
}

/**
 * Returns a block with the results of its transactions, with outputs within the budget. `baseEventIn` reads
 * the header's base event from the state after it; `null` if headers have none.
 */
export function detailed(
  { block, results, state }: BuiltBlock,
  budget: ResultBudget,
  baseEventIn: ((state: WorldState) => Uint8Array) | null,
): DetailedBlock {
  const kept = results.map(({ outcome, haltReason, isFailedPrecompile, returnData }) => ({
    outcome,
    haltReason: isFailedPrecompile === true ? HALT_REASONS.precompileFailed : haltReason,
    output: budget.takeIfFits(returnData) ? returnData : null,
  }));
  return { block, results: kept, baseEvent: baseEventIn?.(state) };
}

/** Returns the reason of a failure; `undefined` if none, or if the data has no text or was omitted. */
function failureOf({ outcome, haltReason, output }: MinedResult): string | undefined {
  if (outcome === 'revert') return output === null ? undefined : (revertText(output) ?? undefined);
  return haltReason ?? undefined;
}

function* executionFields(result: MinedResult | undefined): Steps<Json> {
  if (result === undefined) return {};
  const output = result.output === null ? {} : { output: yield* hexInSteps(result.output) };
  const revertReason = failureOf(result);
  return revertReason === undefined ? output : { ...output, revertReason };
}

/** Work units per block, and per transaction without its data. */
const BLOCK_WORK = 3_000;
const TRANSACTION_WORK = 1_000;

/** The options for all blocks of one request. */
interface MinedViews {
  readonly rules: Pick<RuleSet, 'encoding'>;
  readonly fieldNames: FieldNames;
  /** Maximum characters of all blocks. */
  readonly room: number;
}

/** Maximum characters of a response outside of a batch. */
const ANSWER_LIMIT = 2 ** 28;

/** Characters reserved for the rest of the response, such as its id. */
const AROUND_BLOCKS = 2 ** 15;

/**
 * Maximum characters of a mined block without its users' transactions. 100,000 blocks, the maximum of a
 * request, fit into a response after others.
 */
export const BLOCK_CHARACTERS = 2_600;
/** Maximum characters of the base event in a header with native field names. */
export const EVENT_CHARACTERS = 260;
const HASH_CHARACTERS = 69;

/** Maximum characters of a transaction's members without its data and its lists. */
const MEMBERS = 2_000;

/** Maximum characters per byte of an encoding with lists; authorizations need the most. */
const LIST_EXPANSION = 6;

/** Returns the maximum characters of a transaction as JSON, with its result. */
function maxCharacters(transaction: Transaction, result: MinedResult | undefined): number {
  const hasLists = transaction.accessList.length > 0 || transaction.authorizationList.length > 0;
  const encoding = (hasLists ? LIST_EXPANSION : 2) * transaction.raw.length;
  // A revert reason repeats a part of the output, with up to 6 characters per escaped byte.
  const ofOutput = result?.outcome === 'revert' ? 8 : 2;
  return MEMBERS + encoding + ofOutput * (result?.output?.length ?? 0);
}

/** Returns the transactions of a mined block, each with its output and the reason of a failure. */
function* minedTransactions({ block, results }: DetailedBlock, { rules }: MinedViews): Steps<Json[]> {
  const transactions: Json[] = [];
  for (const [index, transaction] of block.transactions.entries()) {
    const result = results[index];
    const view = transactionView(transaction, { block, index }, rules);
    transactions.push({ ...view, ...(yield* executionFields(result)) });
    const digits = 2 * (transaction.data.length + (result?.output?.length ?? 0));
    yield TRANSACTION_WORK + digits;
  }
  return transactions;
}

/**
 * Returns mined blocks as JSON with full transactions. Blocks that do not fit into the response have only
 * transaction hashes. Yields if there are many or large blocks.
 */
export function* minedBlockViews(made: readonly DetailedBlock[], views: MinedViews): Steps<Json[]> {
  const { fieldNames, rules } = views;
  const shown = [];
  let left = views.room;
  for (const mined of made) {
    const { block, baseEvent } = mined;
    const view = blockView(block, { full: false, isPending: false, fieldNames, rules, baseEvent });
    left -= JSON.stringify(view).length + 1;
    shown.push({ mined, view });
    yield BLOCK_WORK;
  }
  const found: Json[] = [];
  for (const { mined, view } of shown) {
    const { transactions } = mined.block;
    const length = transactions.reduce(
      (sum, transaction, index) => sum + maxCharacters(transaction, mined.results[index]),
      0,
    );
    const isWhole = length <= left;
    if (isWhole) left -= length;
    found.push(isWhole ? { ...view, transactions: yield* minedTransactions(mined, views) } : view);
    yield BLOCK_WORK;
  }
  return found;
}

/**
 * Returns the maximum characters of the blocks in the response. Throws {@link AnswerTooLargeError} if earlier
 * responses of the batch leave too little room. The requested blocks, with the hashes of the pool, would then
 * be mined but not returned.
 */
export function roomForBlocks(
  {
    node: { chain },
    settings,
    call,
  }: Pick<RpcContext, 'node' | 'call'> & {
    readonly settings: Pick<RpcContext['settings'], 'fieldNames'>;
  },
  { count = 1 }: MineOptions,
): number {
  const limit = call?.batch?.answerLimit ?? ANSWER_LIMIT;
  const room = limit - AROUND_BLOCKS;
  const ofEach = BLOCK_CHARACTERS + (settings.fieldNames === 'native' ? EVENT_CHARACTERS : 0);
  const least = count * ofEach + chain.pool.size * HASH_CHARACTERS;
  if (limit < ANSWER_LIMIT && least > room) throw new AnswerTooLargeError(limit, false);
  return room;
}
