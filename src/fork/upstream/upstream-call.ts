import { toHex } from '../../primitives/hex.ts';
import type { AnswerKind } from './answer-shape.ts';

/** Stands in the parameters of a call for the block that the fork begins at, however the endpoint wants it named. */
export const PINNED_BLOCK: unique symbol = Symbol('the block that the fork begins at');

export interface UpstreamCall {
  readonly method: string;
  /** Fit for JSON, except for {@link PINNED_BLOCK}. */
  readonly params: readonly unknown[];
  readonly expects: AnswerKind;
  /** The list of the block in the first parameter that the answer counts: it follows from an answer with that block. */
  readonly counts?: 'transactions' | 'uncles';
  /** True where the subject of the call is known to exist: `null` is a wrong answer, even of a method that may give it. */
  readonly isThere?: true;
}

/** The error with which the upstream refused a call (JSON-RPC 2.0, error object). */
export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The outcome of one call. */
export type CallAnswer =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** A temporary failure: the call may be retried. */
  | { readonly kind: 'failed'; readonly reason: string };

/** The call as text: calls with the same text have the same answer. */
export function textOfCall({ method, params }: Pick<UpstreamCall, 'method' | 'params'>): string {
  return JSON.stringify([method, params], (_key, value: unknown) => (value === PINNED_BLOCK ? '@' : value));
}

const HASH = /^0x[0-9a-f]{64}$/i;

/** Returns the question for a block. `block`: its hash or number in hexadecimal, as clients write it. */
export function blockCall(block: unknown, isFull: boolean): UpstreamCall {
  const params = [block, isFull];
  return typeof block === 'string' && HASH.test(block)
    ? { method: 'eth_getBlockByHash', params, expects: 'blockOfHash' }
    : { method: 'eth_getBlockByNumber', params, expects: 'blockOfNumber' };
}

/** Returns the question for the transaction with that hash, of 32 bytes. */
export function transactionCall(hash: Uint8Array): UpstreamCall {
  return { method: 'eth_getTransactionByHash', params: [toHex(hash)], expects: 'transactionOfHash' };
}

/** Callbacks about requests to an upstream and their answers. Hosts include their port, and no secrets. */
export interface UpstreamTraffic {
  /** A request begins, of one call or several; its retries are part of it. */
  begun(host: string): void;
  /** So many calls of a pending request have been answered, by that host. */
  answered(host: string, answers: number): void;
  /** A request ended, with all its answers or without. */
  ended(): void;
  /** The client was closed, though pending requests may still end. */
  closed(): void;
}
