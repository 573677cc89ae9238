import { expect } from 'vitest';

/** Words that no error may contain, because they expose internals. */
const INSIDES = /Cannot (?:read|convert|mix)|is not a function|\[object Object\]|\bat .*\.[jt]s:\d/;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The expected reply to a request (JSON-RPC 2.0, sections 4 and 5): its id, and whether it is an error. */
interface Expectation {
  readonly id: unknown;
  readonly isRejected: boolean;
}

/** `undefined` for a notification, which has no reply. */
function expectationOf(request: unknown): Expectation | undefined {
  if (!isObject(request)) return { id: null, isRejected: true };
  const { id, jsonrpc, method, params } = request;
  const isCall =
    (jsonrpc === '2.0' || jsonrpc === undefined) &&
    typeof method === 'string' &&
    (params === undefined || typeof params === 'object');
  if (id === undefined) return isCall ? undefined : { id: null, isRejected: true };
  const isId = typeof id === 'string' || typeof id === 'number' || id === null;
  return { id: isId ? id : null, isRejected: !isCall || !isId };
}

function checkOne(answer: unknown, { id, isRejected }: Expectation): void {
  if (!isObject(answer)) throw new Error(`not an answer: ${JSON.stringify(answer)}`);
  expect(answer).toMatchObject({ jsonrpc: '2.0', id });
  expect('result' in answer).toBe(!('error' in answer));
  if (isRejected) expect(answer).toMatchObject({ error: { code: -32600 } });
  if (!('error' in answer)) return;
  const { error } = answer;
  expect(error).toMatchObject({ code: expect.any(Number), message: expect.stringMatching(/./) });
  expect(error).not.toMatchObject({ code: -32603 });
  expect(error).not.toMatchObject({ message: expect.stringMatching(INSIDES) });
}

/** True if a message (a request or batch as text) requires a reply. */
export function isAnswered(message: string): boolean {
  const sent: unknown = JSON.parse(message);
  return Array.isArray(sent) && sent.length > 0
    ? sent.some((request) => expectationOf(request) !== undefined)
    : expectationOf(sent) !== undefined;
}

/** Checks the reply to a message: one valid response per request with an id, in order. */
export function checkAnswer(message: string, answer: string): void {
  const sent: unknown = JSON.parse(message);
  const received: unknown = JSON.parse(answer);
  if (!Array.isArray(sent) || sent.length === 0) {
    checkOne(received, expectationOf(sent) ?? { id: null, isRejected: true });
    return;
  }
  const expectations = sent.map(expectationOf).filter((expectation) => expectation !== undefined);
  if (!Array.isArray(received)) throw new Error(`not a batch: ${answer}`);
  expect(received).toHaveLength(expectations.length);
  for (const [position, expectation] of expectations.entries()) checkOne(received[position], expectation);
}
