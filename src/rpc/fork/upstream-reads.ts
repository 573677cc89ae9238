// Reads of an upstream that derived results need, by methods that all upstreams serve.

import { UnservedMethodError, UpstreamError } from '../../fork/errors.ts';
import { isUnserved } from '../../fork/served-methods.ts';
import {
  blockQuestion,
  questionOf,
  receiptQuestion,
  type UpstreamCall,
} from '../../fork/upstream/upstream-call.ts';
import { ruleSetOfBlock } from '../../fork/upstream-block.ts';
import { toQuantity } from '../../primitives/hex.ts';
import { ruleSetNamed } from '../../protocol/hardforks/registry.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { asObject, type JsonObject } from '../../wire/tolerant.ts';
import type { DerivableCall, ForkReading } from '../method.ts';
import { upstreamView } from './answer-on-fork.ts';

/**
 * Returns the responses to the calls, in one batch. Rejects with an `UpstreamError`, or with an
 * {@link UnservedMethodError} that names the client's method too.
 */
export async function readAll(
  { fork: { upstream }, method }: ForkReading,
  calls: readonly UpstreamCall[],
): Promise<unknown[]> {
  if (calls.length === 0) return [];
  const rejectUnserved = (error: unknown): never => {
    const [first] = calls;
    if (first === undefined || !isUnserved(error)) throw error;
    throw new UnservedMethodError(upstream.urls, first.method, method.name);
  };
  return upstream.answers.fetchAll(calls.map(questionOf)).catch(rejectUnserved);
}

/** Returns a response. Rejects as {@link readAll}. */
export async function read(call: ForkReading, question: UpstreamCall): Promise<unknown> {
  const [answer] = await readAll(call, [question]);
  return answer;
}

/** Returns the blocks with these numbers, with whole transactions or their hashes. Rejects as {@link readAll}. */
export async function readBlocks(
  call: ForkReading,
  numbers: readonly number[],
  isFull: boolean,
): Promise<JsonObject[]> {
  const answers = await readAll(
    call,
    numbers.map((number) => blockQuestion(toQuantity(number), isFull)),
  );
  return answers.map((answer, index) => {
    const block = asObject(answer);
    if (block === undefined) throw new UpstreamError(`the fork URL has no block ${numbers[index]}`);
    return block;
  });
}

/** Returns the block of a call. Rejects as {@link readAll}. */
export async function readBlock(call: DerivableCall, isFull: boolean): Promise<JsonObject> {
  const [block] = await readBlocks(call, [call.number], isFull);
  if (block === undefined) throw new UpstreamError(`the fork URL has no block ${call.number}`);
  return block;
}

/** Returns a list member of a response; empty if absent. */
export function listIn(response: JsonObject, name: 'transactions' | 'uncles'): readonly unknown[] {
  const list = response[name];
  return Array.isArray(list) ? list : [];
}

/** Returns the hashes of transactions of a block. The items are objects or hashes. */
export function hashesOf(transactions: readonly unknown[]): readonly unknown[] {
  return transactions.map((transaction) => asObject(transaction)?.hash ?? transaction);
}

/** Returns the receipts of transactions that are known to exist. Rejects as {@link readAll}. */
export function readReceipts(call: ForkReading, hashes: readonly unknown[]): Promise<unknown[]> {
  return readAll(
    call,
    hashes.map((hash) => ({ ...receiptQuestion(hash), isThere: true })),
  );
}

/** Returns a response with Rootstock's own field names, as conversions read them. */
export function nativeView(response: unknown): unknown {
  return upstreamView('fields', response, 'native');
}

/** Returns the rules of the forked chain at a block. */
export function rulesAt({ fork }: ForkReading, block: unknown): RuleSet {
  return ruleSetNamed(ruleSetOfBlock(block, fork.chainId));
}
