// The blocks that a call has mined, with how their transactions ran.

import type { ResultBudget } from '../../chain/execution/result-budget.ts';
import type { BuiltBlock } from '../../chain/mining/block-builder.ts';
import type { MineOptions } from '../../chain/mining/mine-series.ts';
import type { ExecutionResult } from '../../evm/engine.ts';
import { HALT_REASONS } from '../../evm/halt-reasons.ts';
import { revertText } from '../../evm/revert-reason.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import type { Task } from '../../scheduling/task.ts';
import { hexInPieces, type WorkPieces } from '../../scheduling/work-pieces.ts';
import type { WorldState } from '../../state/world-state.ts';
import { blockView } from '../../wire/block.ts';
import type { FieldNames } from '../../wire/header.ts';
import { transactionView } from '../../wire/transaction.ts';
import type { Json } from '../../wire/values.ts';
import { AnswerTooLargeError } from '../errors.ts';
import type { RpcContext } from '../rpc-context.ts';

/** The outcome of a mined transaction. */
interface MinedResult extends Pick<ExecutionResult, 'outcome' | 'haltReason'> {
  /** The data that it returned or reverted with; `null` where they did not fit in memory beside the outputs before them. */
  readonly output: Uint8Array | null;
}

/** A block that was mined by a call, and how each of its transactions ran. */
interface DetailedBlock extends Pick<BuiltBlock, 'block'> {
  readonly results: readonly MinedResult[];
  /** As in `HeaderSource`. */
  readonly baseEvent: Uint8Array | undefined;
}

/**
 * Returns a block with what is kept of how its transactions ran: outputs as far as the budget goes. `baseEventIn` reads the event of its
 * header from the state after it; `null` where headers have none.
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

/**
 * Returns the reason why a transaction failed, in words; `undefined` when it did not, or with data that hold no text or were
 * not kept.
 */
function failureOf({ outcome, haltReason, output }: MinedResult): string | undefined {
  if (outcome === 'revert') return output === null ? undefined : (revertText(output) ?? undefined);
  return haltReason ?? undefined;
}

function* executionFields(result: MinedResult | undefined, pieces: WorkPieces): Task<Json> {
  if (result === undefined) return {};
  const output = result.output === null ? {} : { output: yield* hexInPieces(result.output, pieces) };
  const revertReason = failureOf(result);
  return revertReason === undefined ? output : { ...output, revertReason };
}

/** Units of work for showing a block, and one of its transactions besides its data. */
const BLOCK_WORK = 3_000;
const TRANSACTION_WORK = 1_000;

/** The parts of the views of all blocks that were mined by one call. */
interface MinedViews {
  readonly rules: Pick<RuleSet, 'encoding'>;
  readonly fieldNames: FieldNames;
  readonly pieces: WorkPieces;
  /** The most characters of all of them. */
  readonly room: number;
}

/** The most characters of an answer that is not a part of a batch. */
const ANSWER_LIMIT = 2 ** 28;

/** The characters that are left for what stands around the blocks, such as the id of the request. */
const AROUND_BLOCKS = 2 ** 15;

/**
 * The most characters of a block that is mined, but for its users' transactions, and of the hash of one: a hundred thousand blocks, which
 * are the most that are mined at once, fit into an answer behind others.
 */
export const BLOCK_CHARACTERS = 2_600;
/** The most characters of the event in the header of a block under native field names. */
export const EVENT_CHARACTERS = 260;
const HASH_CHARACTERS = 69;

/** The most characters of a transaction's members besides its data and its lists. */
const MEMBERS = 2_000;

/** The most characters for each byte of an encoding with lists: an authorization has the most. */
const LIST_EXPANSION = 6;

/** Returns the most characters that a transaction has as JSON, with its result. */
function mostCharacters(transaction: Transaction, result: MinedResult | undefined): number {
  const hasLists = transaction.accessList.length > 0 || transaction.authorizationList.length > 0;
  const encoding = (hasLists ? LIST_EXPANSION : 2) * transaction.raw.length;
  // A reason is a part of the output of a revert once more, in which each byte may be escaped.
  const ofOutput = result?.outcome === 'revert' ? 8 : 2;
  return MEMBERS + encoding + ofOutput * (result?.output?.length ?? 0);
}

/** Returns the transactions of a block that was just mined, each with its output, if that was kept, and why it failed if it did. */
function* minedTransactions({ block, results }: DetailedBlock, { rules, pieces }: MinedViews): Task<Json[]> {
  const transactions: Json[] = [];
  for (const [index, transaction] of block.transactions.entries()) {
    const result = results[index];
    const view = transactionView(transaction, { block, index }, rules);
    transactions.push({ ...view, ...(yield* executionFields(result, pieces)) });
    const digits = 2 * (transaction.data.length + (result?.output?.length ?? 0));
    const turn = pieces.spend(TRANSACTION_WORK + digits);
    if (turn !== undefined) yield turn;
  }
  return transactions;
}

/**
 * Returns blocks that were just mined as JSON, with whole transactions; with their hashes where the blocks would be too long for one
 * answer. Works in pieces where they are many or large.
 */
export function* minedBlockViews(made: readonly DetailedBlock[], views: MinedViews): Task<Json[]> {
  const { fieldNames, rules, pieces } = views;
  const shown = [];
  let left = views.room;
  for (const mined of made) {
    const { block, baseEvent } = mined;
    const view = blockView(block, { full: false, isPending: false, fieldNames, rules, baseEvent });
    left -= JSON.stringify(view).length + 1;
    shown.push({ mined, view });
    const turn = pieces.spend(BLOCK_WORK);
    if (turn !== undefined) yield turn;
  }
  const found: Json[] = [];
  for (const { mined, view } of shown) {
    const { transactions } = mined.block;
    const length = transactions.reduce(
      (sum, transaction, index) => sum + mostCharacters(transaction, mined.results[index]),
      0,
    );
    const isWhole = length <= left;
    if (isWhole) left -= length;
    found.push(isWhole ? { ...view, transactions: yield* minedTransactions(mined, views) } : view);
    const turn = pieces.spend(BLOCK_WORK);
    if (turn !== undefined) yield turn;
  }
  return found;
}

/**
 * Returns the characters that blocks may have in the answer to the call. Throws {@link AnswerTooLargeError} where those before it in
 * its batch have left too few for so many blocks with the hashes of all that waits: they would be mined, and not said.
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
