// The methods that an upstream does not serve.

import type { AnswerStore } from './answer-store.ts';
import { UpstreamRejectionError } from './errors.ts';
import { type Question, questionOf } from './upstream/upstream-call.ts';

/** JSON-RPC 2.0, section 5.1: method not found. */
const METHOD_NOT_FOUND = -32601;

const ABSENT =
  'not found|not supported|unsupported|does not exist|not available|not whitelisted|not allowed|not enabled|disabled|not implemented';
/** The texts of providers that use other codes. */
const UNSERVED_TEXT = new RegExp(
  `\\bmethod\\b.*\\b(${ABSENT})\\b|\\b(unsupported|unknown|unrecognized|no such) (rpc )?method\\b|not whitelisted`,
  'i',
);

/** True if the error rejects the method itself, and not its parameters or its execution. */
export function isUnserved(error: unknown): error is UpstreamRejectionError {
  if (!(error instanceof UpstreamRejectionError)) return false;
  if (error.code === METHOD_NOT_FOUND) return true;
  const isReverted = error.data !== undefined || /revert/i.test(error.message);
  return !isReverted && UNSERVED_TEXT.test(error.message);
}

/** The stored answer `false` to this question marks the method. Caches, records and dumps contain it. */
function servedQuestion(method: string): Question {
  return questionOf({ method, params: [], expects: 'anything' });
}

/** Remembers the unserved methods of an upstream, in the answer store and so in the cache. */
export class ServedMethods {
  readonly #answers: AnswerStore;
  /** The unserved methods of the present URLs; `null` while the answer store has them. */
  #ofOtherUrls: Set<string> | null = null;

  constructor(answers: AnswerStore) {
    this.#answers = answers;
  }

  /** False if the upstream has rejected the method. */
  mayServe(method: string): boolean {
    if (this.#ofOtherUrls !== null) return !this.#ofOtherUrls.has(method);
    return this.#answers.get(servedQuestion(method)) !== false;
  }

  /** Marks a method as unserved. */
  drop(method: string): void {
    if (this.#ofOtherUrls === null) this.#answers.keep(servedQuestion(method), false);
    else this.#ofOtherUrls.add(method);
  }

  /** Forgets the unserved methods, because other URLs may serve them. */
  forget(): void {
    this.#ofOtherUrls = new Set();
  }
}
