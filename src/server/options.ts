// The options of the server and the callbacks to its process.

import type { Timers, WallClock } from '../primitives/clock.ts';
import type { CodedError } from '../primitives/coded-error.ts';
import type { Call, Connection } from '../rpc/connection.ts';
import type { Lanes } from '../rpc/lanes/lane.ts';
import type { Peers } from '../rpc/peers.ts';
import type { RefusedError } from './errors.ts';
import type { Health } from './get-requests.ts';

/** The address, access rules and limits of the server. */
export interface ServerOptions {
  /** The name or address to listen on. */
  readonly host: string;
  /** The TCP port; 0 picks a free one. */
  readonly port: number;
  /** The path segments that are served as keys; any single segment is when the list is empty. */
  readonly apiKeys: readonly string[];
  /** Origins of web pages that may call; when empty, pages of this machine and browser extensions. `*` allows all. */
  readonly allowOrigins: readonly string[];
  /**
   * Host names served beside IP addresses, localhost and `host`: see `parseAllowedHost`. `*.name` allows the names below
   * that one, `*` every name.
   */
  readonly allowHosts: readonly string[];
  /** The maximum size of an HTTP body or WebSocket message, in bytes. */
  readonly bodyLimit: number;
  /** The maximum number of requests in one batch. */
  readonly batchLimit: number;
  /**
   * The maximum number of characters of an answer, including that of a whole batch; below the limit of a JavaScript
   * string.
   */
  readonly answerLimit: number;
  /** True to serve the page to browsers. */
  readonly servesPage: boolean;
  /** The time for which `close()` waits for pending requests, in milliseconds. */
  readonly gracePeriod: number;
}

/** The defaults of the server's options. */
export const defaultServerOptions: ServerOptions = {
  host: '127.0.0.1',
  port: 8545,
  apiKeys: [],
  allowOrigins: [],
  allowHosts: [],
  bodyLimit: 10 * 1024 * 1024,
  batchLimit: 1000,
  answerLimit: 2 ** 28,
  servesPage: true,
  gracePeriod: 5_000,
};

/** The report of one finished JSON-RPC call, for logs. */
export interface CallReport {
  readonly method: string;
  /** Milliseconds from call to answer; absent without a clock. */
  readonly durationMs?: number;
  /** The error that the caller got; absent on success. */
  readonly error?: unknown;
}

/** The callbacks about calls. None of them may throw. */
export interface CallHooks {
  /** Called once per JSON-RPC call, when its answer is ready. `call` is what its changes of the chain carry. */
  readonly onRequest?: (report: CallReport, call: Call) => void;
  /** Called with every error that is a bug of the node; `method` is `null` when no method was being called. */
  readonly onInternalError: (error: unknown, method: string | null) => void;
  /** Called with the connection that sent a message that is not a JSON-RPC call, and with the error of the answer. */
  readonly onInvalidMessage?: (connection: Connection, error: CodedError) => void;
  /** Measures `durationMs`. */
  readonly clock?: WallClock;
}

/** The headers of a request that name its origin and its destination. */
export interface OriginHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}

/** The dependencies and callbacks of the server. */
export interface ServerHooks extends CallHooks {
  readonly timers: Timers;
  /** Decides which addresses are banned, and is notified of callers. */
  readonly peers: Peers;
  /** Called with each request that is refused unread. */
  readonly onRefused?: (refusal: RefusedError, headers: OriginHeaders) => void;
  /** Returns the health of the node, for monitoring. */
  readonly health: () => Health;
  /** Returns true for the key of a lane that is not there and not made any more; absent where all lanes are made. */
  readonly refusesLane?: (key: string) => boolean;
  /**
   * The lanes that the explorer shows. A browser that opens another path gets a page with this list. Absent without lanes, and if
   * their keys are API keys: then each key has an explorer.
   */
  readonly lanes?: Pick<Lanes, 'has' | 'list'>;
  /** Returns the node's metrics, as `metrics.ts` writes them; absent where they are not served. */
  readonly metrics?: () => string;
}
