import type { HttpAnswer, HttpPost, HttpRequest } from '../../src/fork/upstream/http-post.ts';
import { CodedError } from '../../src/primitives/coded-error.ts';

export interface WireCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Answers one call; throws a `CodedError` to reject it. */
export type Answerer = (method: string, params: readonly unknown[]) => unknown;

/** An upstream that answers from a function and counts requests. It opens no socket. */
export class ScriptedUpstream {
  /** HTTP requests in order. */
  readonly posts: HttpRequest[] = [];
  /** Calls of all requests in order. */
  readonly calls: WireCall[] = [];
  /**
   * Answers whole requests; `undefined` passes the calls to the answerer. Rejects to simulate a failed node.
   */
  script: (request: HttpRequest, place: number) => Promise<HttpAnswer | undefined> | HttpAnswer | undefined =
    () => undefined;
  readonly #answer: Answerer;

  constructor(answer: Answerer) {
    this.#answer = answer;
  }

  /** The number of calls of a method. With `first`, only calls with this first parameter count. */
  count(method: string, first?: unknown): number {
    const isCounted = (call: WireCall): boolean =>
      call.method === method && (first === undefined || call.params[0] === first);
    return this.calls.filter(isCounted).length;
  }

  readonly post: HttpPost = async (request) => {
    this.posts.push(request);
    const scripted = await this.script(request, this.posts.length - 1);
    if (scripted !== undefined) return scripted;
    const body: unknown = JSON.parse(request.body);
    const answers = await Promise.all((Array.isArray(body) ? body : [body]).map((call) => this.#one(call)));
    return okAnswer(Array.isArray(body) ? answers.reverse() : answers[0]);
  };

  async #one(call: WireCall): Promise<unknown> {
    this.calls.push(call);
    const { id, method, params } = call;
    try {
      return { jsonrpc: '2.0', id, result: await this.#answer(method, params) };
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      const { code, message, data } = error;
      return { jsonrpc: '2.0', id, error: { code, message, data } };
    }
  }
}

/** A response with status 200 and JSON. */
export function okAnswer(value: unknown): HttpAnswer {
  return { status: 200, retryAfter: null, text: JSON.stringify(value) };
}

/** A response with an error status. */
export function failedAnswer(status: number, text = '', retryAfter: string | null = null): HttpAnswer {
  return { status, retryAfter, text };
}
