/** Stands in the parameters of a call for the block that the fork begins at, however the endpoint wants it named. */
export const PINNED_BLOCK: unique symbol = Symbol('the block that the fork begins at');

/** A question to the upstream. */
export interface UpstreamCall {
  readonly method: string;
  /** Fit for JSON, {@link PINNED_BLOCK} apart. */
  readonly params: readonly unknown[];
  /** What is asked for is known to exist: `null` is a wrong answer, even of a method that may give it. */
  readonly isThere?: true;
}

/** What the upstream refused a call with (JSON-RPC 2.0, error object). */
export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** What became of one call. */
export type CallAnswer =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** Not this time: it may be asked again. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Returns the call as text: calls with the same text have the same answer. */
export function textOfCall({ method, params }: UpstreamCall): string {
  return JSON.stringify([method, params], (_key, value: unknown) => (value === PINNED_BLOCK ? '@' : value));
}

/** Returns the call that {@link textOfCall} wrote, its parameters as they stand there; `undefined` for another text. */
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

/** Hears when an upstream is asked and when it answers. Hosts come with their port, without anything secret. */
export interface UpstreamTraffic {
  /** A request is begun, of one call or several; with its retries it is one. */
  begun(host: string): void;
  /** So many calls of a request that goes on have their answer, by that host. */
  answered(host: string, answers: number): void;
  /** A request is over, with all its answers or without. */
  ended(): void;
  /** Nobody waits for the upstream any more, though requests may still be told to end. */
  closed(): void;
}
