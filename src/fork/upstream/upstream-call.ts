/**
 * A placeholder in the parameters of a call for the block that the fork begins at, which each endpoint spells in the
 * form it accepts.
 */
export const PINNED_BLOCK: unique symbol = Symbol('the block that the fork begins at');

/** A call to the upstream. */
export interface UpstreamCall {
  readonly method: string;
  /** Fit for JSON, except for {@link PINNED_BLOCK}. */
  readonly params: readonly unknown[];
  /**
   * True when the requested object is known to exist: then `null` is a wrong answer, even for a method that may return
   * it.
   */
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

/** Returns the call as text: calls with the same text have the same answer. */
export function textOfCall({ method, params }: UpstreamCall): string {
  return JSON.stringify([method, params], (_key, value: unknown) => (value === PINNED_BLOCK ? '@' : value));
}

/**
 * Returns the call of a text of {@link textOfCall}, with its parameters as they are there; `undefined` for another
 * text.
 */
export function callOfText(text: string): UpstreamCall | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parsed)) return undefined;
  const [method, params] = parsed as readonly unknown[];
  return typeof method === 'string' && Array.isArray(params) ? { method, params } : undefined;
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
