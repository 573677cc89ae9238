import { isNestedDeeper } from '../../primitives/json/json-reader.ts';
import { asObject } from '../../wire/tolerant.ts';
import type { CallAnswer, Refusal } from './upstream-call.ts';

const RATE_LIMITED =
  /rate.?limit|too many requests|compute units|request count|throughput|exceeded.*(capacity|quota)/i;

/** Codes by which providers say that there was too much at once. */
const RATE_LIMIT_CODES: ReadonlySet<number> = new Set([429, -32005, -32097]);

/** True for a refusal that only says that there was too much at once. */
export function isRateLimit({ code, message }: Refusal): boolean {
  return RATE_LIMIT_CODES.has(code) || RATE_LIMITED.test(message);
}

/** The error of a JSON-RPC answer, however badly it is made; `undefined` when there is none. */
export function refusalOf(answer: unknown): Refusal | undefined {
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

/** Servers that cannot make sense of a request refuse it without an id (JSON-RPC 2.0, response object). */
function isOf(answer: unknown, wanted: number): boolean {
  const id = asObject(answer)?.id;
  const isNone = id === undefined || id === null;
  return id === wanted || (isNone && refusalOf(answer) !== undefined);
}

/** Levels of arrays and objects in a result: more than the traces of 1024 calls inside each other have. */
const NESTING_LIMIT = 2_500;

/** True for a result that is nested deeper than recursion over it, such as that of `JSON.stringify`, may go. */
export function isTooDeep(result: unknown): boolean {
  return isNestedDeeper(result, NESTING_LIMIT);
}

/** What one JSON-RPC answer says of the call with that id. */
export function readAnswer(answer: unknown, id: number): CallAnswer {
  if (isTooDeep(asObject(answer)?.result))
    return { kind: 'failed', reason: `its result is nested deeper than ${NESTING_LIMIT} levels` };
  if (!isOf(answer, id)) {
    const own = asObject(answer)?.id;
    const words = own === undefined ? 'no id' : `id ${JSON.stringify(own)}`;
    return { kind: 'failed', reason: `its answer is that to another request (${words})` };
  }
  const refusal = refusalOf(answer);
  if (refusal !== undefined) {
    return isRateLimit(refusal)
      ? { kind: 'failed', reason: `${refusal.message} (${refusal.code})` }
      : { kind: 'refused', refusal };
  }
  const fields = asObject(answer);
  if (fields !== undefined && 'result' in fields) return { kind: 'result', result: fields.result };
  return { kind: 'failed', reason: 'its answer has neither result nor error' };
}

/** What the answers of a batch say of its calls, whose ids count from 0; in whatever order they come. */
export function readAnswers(answers: readonly unknown[], count: number): CallAnswer[] {
  const byId = new Map<unknown, unknown>();
  for (const answer of answers) byId.set(asObject(answer)?.id, answer);
  return Array.from({ length: count }, (_, id) =>
    byId.has(id)
      ? readAnswer(byId.get(id), id)
      : { kind: 'failed', reason: 'its answer to a batch leaves a request out' },
  );
}
