// Reads JSON-RPC responses, including malformed ones.

import { isNestedDeeper } from '../../json/json-reader.ts';
import { asObject } from '../../wire/tolerant.ts';
import type { CallAnswer, Rejection } from './upstream-call.ts';

/** Returns the error of a JSON-RPC response, even if malformed; `undefined` without an error. */
export function rpcErrorOf(answer: unknown): Rejection | undefined {
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

const DECIMAL = /^\d{1,15}$/;

/** Returns the id of a response. Some servers return it as text. Any other value is `null`. */
export function idOf(answer: unknown): number | null {
  const id = asObject(answer)?.id;
  if (typeof id === 'string' && DECIMAL.test(id)) return Number(id);
  return typeof id === 'number' ? id : null;
}

/**
 * True for the response with this id. Errors without an id match too, because servers send them if they
 * cannot parse a request (JSON-RPC 2.0, response object).
 */
function isOf(answer: unknown, wanted: number): boolean {
  const id = asObject(answer)?.id;
  const isNone = id === undefined || id === null;
  return idOf(answer) === wanted || (isNone && rpcErrorOf(answer) !== undefined);
}

/** The maximum nesting of a result: deeper than traces of 1024 nested calls. */
export const NESTING_LIMIT = 2_500;

/** True if the result is nested too deep for recursive functions such as `JSON.stringify`. */
export function isTooDeep(result: unknown): boolean {
  return isNestedDeeper(result, NESTING_LIMIT);
}

/** Returns the result of the call with this id from a JSON-RPC response. */
export function readAnswer(answer: unknown, id: number): CallAnswer {
  if (isTooDeep(asObject(answer)?.result))
    return { kind: 'failed', reason: `its result is nested deeper than ${NESTING_LIMIT} levels` };
  if (!isOf(answer, id)) {
    const own = asObject(answer)?.id;
    const words = own === undefined ? 'no id' : `id ${JSON.stringify(own)}`;
    return { kind: 'failed', reason: `its response belongs to another request (${words})` };
  }
  const refusal = rpcErrorOf(answer);
  if (refusal !== undefined) return { kind: 'refused', refusal };
  const fields = asObject(answer);
  if (fields !== undefined && 'result' in fields) return { kind: 'result', result: fields.result };
  return { kind: 'failed', reason: 'its response has neither result nor error' };
}

/**
 * Returns the results of a batch from its responses in any order; `undefined` for a call without a response.
 * The calls' ids count from 0.
 */
export function readAnswers(answers: readonly unknown[], count: number): (CallAnswer | undefined)[] {
  const byId = new Map<number | null, unknown>();
  for (const answer of answers) byId.set(idOf(answer), answer);
  return Array.from({ length: count }, (_, id) => (byId.has(id) ? readAnswer(byId.get(id), id) : undefined));
}
