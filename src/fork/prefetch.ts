// Asking in advance for the state that the last run needed, in batches instead of one answer after the other.

import type { AnswerKind } from './upstream/answer-shape.ts';
import { PINNED_BLOCK, type UpstreamCall } from './upstream/upstream-call.ts';
import type { UpstreamChain } from './upstream-chain.ts';

/** The questions about state, which have the same text at every block, and what is expected as their answers. */
const STATE_QUESTIONS: Readonly<Record<string, AnswerKind>> = {
  eth_getTransactionCount: 'quantity',
  eth_getBalance: 'quantity',
  eth_getCode: 'dataOrNull',
  eth_getStorageAt: 'word',
};

/** The number of questions in one request. */
const BATCH_SIZE = 100;

/** The most questions that are asked in advance: those of a suite that is large already. */
const MOST_QUESTIONS = 20_000;

/** Returns the value of a JSON text; `null` for another text, as files of caches and records can be edited. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns the call that the text (see `textOfCall`) is of; `null` for one that is not about the state after the pinned block. */
function stateCallOf(text: string): UpstreamCall | null {
  const call = parsed(text);
  const [method, params] = Array.isArray(call) ? call : [];
  const expects = typeof method === 'string' ? STATE_QUESTIONS[method] : undefined;
  if (expects === undefined || !Array.isArray(params) || params.at(-1) !== '@') return null;
  return { method, params: [...params.slice(0, -1), PINNED_BLOCK], expects };
}

/**
 * Asks the upstream these questions, as texts, as far as they are about state and not answered yet: a batch at a time, so
 * that what callers need meanwhile is not behind all of it. Resolves when that is done. An upstream that fails ends it: what
 * is missing then is asked for, and its error told, when a caller needs it.
 */
export async function prefetch(upstream: UpstreamChain, questions: readonly string[]): Promise<void> {
  const calls = questions.slice(0, MOST_QUESTIONS).flatMap((text) => stateCallOf(text) ?? []);
  const missing = calls.filter((call) => upstream.known(call) === undefined);
  for (let start = 0; start < missing.length; start += BATCH_SIZE) {
    const batch = missing.slice(start, start + BATCH_SIZE).map((call) => upstream.ask(call));
    const outcomes = await Promise.allSettled(batch);
    if (outcomes.every(({ status }) => status === 'rejected')) return;
  }
}
