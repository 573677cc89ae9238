/** A JSON-RPC client for a running node over HTTP. */

import { printable, StartError, UsageError } from '../config/errors.ts';
import { BlockedPortError } from '../fork/upstream/blocked-port.ts';
import { httpTransport } from '../fork/upstream/http-transport.ts';
import { maskSecrets, maskUrl } from '../fork/upstream/mask-url.ts';
import { systemMessage } from '../primitives/file-system.ts';
import { isRecord } from '../primitives/record.ts';
import { QUIET_CLIENT } from '../rpc/connection.ts';

/** Code of an unknown method (JSON-RPC 2.0). */
export const METHOD_NOT_FOUND = -32601;

/** An error response of the node. */
export class AnsweredError extends Error {
  override readonly name = 'AnsweredError';
  readonly code: number;
  /** The `data` of the error, such as the bytes of a revert; `undefined` if absent. */
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export class NodeClient {
  readonly #url: string;
  readonly #isQuiet: boolean;
  readonly #post = httpTransport({ keepsConnections: false });

  /** With `isQuiet`, the node does not log the requests. */
  constructor(url: string, isQuiet = false) {
    this.#url = url;
    this.#isQuiet = isQuiet;
  }

  /** The URL for messages, with masked secrets. */
  get name(): string {
    return maskUrl(this.#url);
  }

  /** True if the node serves lanes. */
  async hasLanes(): Promise<boolean> {
    const modules = await this.ask('rpc_modules', []).catch(() => null);
    return isRecord(modules) && 'lane' in modules;
  }

  /**
   * Resolves to the full URL if its path is a listed lane, else to {@link name}, because the path may be an
   * API key. Rejects with {@link StartError} if no node answers.
   */
  async shownUrl(): Promise<string> {
    const { origin, pathname } = new URL(this.#url);
    const key = pathname.replaceAll(/^\/|\/$/g, '');
    if (key === '' || key.includes('/') || !(await this.hasLanes())) return this.name;
    const lanes = await new NodeClient(origin, this.#isQuiet).ask('lane_list', []).catch(() => null);
    const isListed = Array.isArray(lanes) && lanes.some((lane) => isRecord(lane) && lane.key === key);
    return isListed ? `${origin}/${key}` : this.name;
  }

  /**
   * Resolves to the result of a method. Rejects with {@link AnsweredError} for an error response, with
   * {@link StartError} if no node answers, and with `UsageError` for a port that `fetch` blocks.
   */
  async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const { signal } = new AbortController();
    const headers: Record<string, string> = this.#isQuiet ? { 'user-agent': QUIET_CLIENT } : {};
    const answer = await this.#post({ url: this.#url, headers, body, signal, closing: signal }).catch(
      (error: unknown) => {
        if (error instanceof BlockedPortError)
          throw new UsageError(`cannot connect to ${this.name}: ${error.message}`);
        throw new StartError(`no node at ${this.name} (${this.#wordsOf(error)}); start one or pass --url`);
      },
    );
    const content = parsed(answer.text);
    if (isRecord(content) && isRecord(content.error)) {
      const { code, message, data } = content.error;
      throw new AnsweredError(Number(code), maskSecrets(String(message), this.#url, []), data);
    }
    if (isRecord(content) && 'result' in content) return content.result;
    throw new StartError(
      `${this.name} is not a JSON-RPC node: it replied to ${method} with HTTP status ${answer.status} without JSON-RPC; pass another URL with --url`,
    );
  }

  #wordsOf(error: unknown): string {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return printable(maskSecrets(systemMessage(cause), this.#url, []));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
