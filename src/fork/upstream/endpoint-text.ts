// Texts of an endpoint's errors for clients.

import { BlockedUrlError } from './blocked-port.ts';
import { AnswerTooLongError } from './http-post.ts';
import { ProxyError } from './proxy-error.ts';
import type { CallAnswer } from './upstream-call.ts';

/** Maximum bytes of upstream text that is passed to clients. */
const MAX_TEXT_LENGTH = 1_024;
/** Marks truncated text. */
const CUT = '…';
/** Maximum depth, and members per level, of error data that is passed to clients. */
const DEEPEST_DATA = 4;
const WIDEST_DATA = 16;
const HEX_DATA = /^0x[0-9a-f]*$/i;

/** Returns the reason of a failed request to an URL of the user. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ProxyError) return error.message;
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors.length > 0) return causeOf(cause.errors[0]);
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}

/** Returns the reason of a failed request without server text, such as certificate names. */
export function connectionWords(error: unknown): string {
  if (error instanceof BlockedUrlError || error instanceof AnswerTooLongError) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^[A-Z][A-Z\d_]*$/.test(code) ? `the connection failed (${code})` : 'the connection failed';
}

/** True for the codes of JSON-RPC errors (JSON-RPC 2.0, section 5.1), and the code of a revert. */
function isRpcErrorCode(code: number): boolean {
  return Number.isInteger(code) && ((code >= -32_768 && code <= -32_000) || code === 3);
}

/** Returns a failure or rejection without any response text. */
export function withoutText(answer: Exclude<CallAnswer, { readonly kind: 'result' }>): CallAnswer {
  if (answer.kind === 'failed') return { ...answer, reason: 'it did not answer the request' };
  const { code } = answer.refusal;
  const message = 'the fork URL rejected the request';
  return { kind: 'refused', refusal: { code: isRpcErrorCode(code) ? code : -32_000, message } };
}

/** Truncates text above the maximum bytes of UTF-8. */
function shortened(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_TEXT_LENGTH) return text;
  // A character that is cut in the middle becomes U+FFFD and is removed.
  const kept = bytes.toString('utf8', 0, MAX_TEXT_LENGTH - Buffer.byteLength(CUT));
  return `${kept.replace(/\uFFFD+$/, '')}${CUT}`;
}

/**
 * Returns error data for clients. Hexadecimal revert data are kept completely; other data are truncated if
 * they are long, wide or deep.
 */
function shortenedValue(value: unknown, mask: (text: string) => string, levels = DEEPEST_DATA): unknown {
  if (typeof value === 'string') return HEX_DATA.test(value) ? value : shortened(mask(value));
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return CUT;
  if (Array.isArray(value))
    return value.slice(0, WIDEST_DATA).map((item) => shortenedValue(item, mask, levels - 1));
  const fields = Object.entries(value).slice(0, WIDEST_DATA);
  return Object.fromEntries(
    fields.map(([name, field]) => [shortened(mask(name)), shortenedValue(field, mask, levels - 1)]),
  );
}

/** Returns an answer with masked and truncated texts of errors. */
export function shortenedAnswer(answer: CallAnswer, mask: (text: string) => string): CallAnswer {
  if (answer.kind === 'result') return answer;
  if (answer.kind === 'failed') return { ...answer, reason: shortened(mask(answer.reason)) };
  const { refusal } = answer;
  const message = shortened(mask(refusal.message));
  const data = refusal.data === undefined ? {} : { data: shortenedValue(refusal.data, mask) };
  return { ...answer, refusal: { ...refusal, message, ...data } };
}
