// Reading JSON-RPC answers of upstreams, which may be malformed.

import { isNestedDeeper } from '../../primitives/json/json-reader.ts';
import { asObject } from '../../wire/tolerant.ts';
import type { CallAnswer, Refusal } from './upstream-call.ts';

const RATE_LIMITED =
  /rate.?limit|too many requests|compute units|request count|throughput|exceeded.*(capacity|quota)/i;

/** Codes with which providers report too many requests. */
const RATE_LIMIT_CODES: ReadonlySet<number> = new Set([429, -32005, -32097]);

/** True for a refusal that only reports too many requests. */
export function isRateLimit({ code, message }: Refusal): boolean {
  return RATE_LIMIT_CODES.has(code) || RATE_LIMITED.test(message);
}

/** Returns the error of a JSON-RPC answer, however malformed; `undefined` when there is none. */
export function rpcErrorOf(answer: unknown): Refusal | undefined {
  const error = asObject(answer)?.error;
  if (error === undefined || error === null) return undefined;
  const fields = asObject(error);
  if (fields === undefined) return { code: -32000, message: String(error) };
  const { code, message, data } = fields;
  return {
    code: typeof code === 'number' ? code : -32000,
    message: typeof message === 'string' ? message : JSON.stringify(error),
    ...(data === undefined ? {} : { data }),
  };
}

/**
 * True for the answer to the call with that id, and for a refusal without an id, which servers send when they cannot
 * parse a request (JSON-RPC 2.0, response object).
 */
function isOf(answer: unknown, wanted: number): boolean {
  const id = asObject(answer)?.id;
  const isNone = id === undefined || id === null;
  return id === wanted || (isNone && rpcErrorOf(answer) !== undefined);
}

/** The maximum nesting of a result: more than traces of 1024 nested calls have. */
const NESTING_LIMIT = 2_500;

/** True for a result that is nested too deep for recursion over it, such as that of `JSON.stringify`. */
export function isTooDeep(result: unknown): boolean {
  return isNestedDeeper(result, NESTING_LIMIT);
}

/** Returns the result of the call with that id according to one JSON-RPC answer. */
export function readAnswer(answer: unknown, id: number): CallAnswer {
  if (isTooDeep(asObject(answer)?.result))
    return { kind: 'failed', reason: `its result is nested deeper than ${NESTING_LIMIT} levels` };
  if (!isOf(answer, id)) {
    const own = asObject(answer)?.id;
    const words = own === undefined ? 'no id' : `id ${JSON.stringify(own)}`;
    return { kind: 'failed', reason: `its answer is that to another request (${words})` };
  }
  const refusal = rpcErrorOf(answer);
  if (refusal !== undefined) {
    return isRateLimit(refusal)
      ? { kind: 'failed', reason: `${refusal.message} (${refusal.code})` }
      : { kind: 'refused', refusal };
  }
  const fields = asObject(answer);
  if (fields !== undefined && 'result' in fields) return { kind: 'result', result: fields.result };
  return { kind: 'failed', reason: 'its answer has neither result nor error' };
}

/** Returns the results of a batch's calls, whose ids count from 0, from its answers in any order. */
export function readAnswers(answers: readonly unknown[], count: number): CallAnswer[] {
  const byId = new Map<unknown, unknown>();
  for (const answer of answers) byId.set(asObject(answer)?.id, answer);
  return Array.from({ length: count }, (_, id) =>
    byId.has(id)
      ? readAnswer(byId.get(id), id)
      : { kind: 'failed', reason: 'its answer to a batch leaves a request out' },
  );
}
