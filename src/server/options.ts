// The options and callbacks of the server.

import type { Timers, WallClock } from '../primitives/clock.ts';
import type { CodedError } from '../primitives/coded-error.ts';
import type { Call, Connection } from '../rpc/connection.ts';
import type { Peers } from '../rpc/peers.ts';
import type { RejectedError } from './errors.ts';
import type { Health } from './get-requests.ts';

export interface ServerOptions {
  /** The name or address to listen on. */
  readonly host: string;
  /** The TCP port; 0 for any free one. */
  readonly port: number;
  /** The accepted path segments. An empty list accepts any single segment. */
  readonly apiKeys: readonly string[];
  /**
   * Allowed origins; `*` for all. If empty, pages of this machine and browser extensions are allowed. With `none`,
   * only the pages of this node are allowed.
   */
  readonly allowOrigins: readonly string[] | 'none';
  /**
   * Additional host names, besides IP addresses, localhost and `host`. `*.name` allows the subdomains of a
   * name, and `*` all names. See `parseAllowedHost`.
   */
  readonly allowHosts: readonly string[];
  /** The maximum size of an HTTP body or WebSocket message, in bytes. */
  readonly bodyLimit: number;
  /** The maximum number of requests in one batch. */
  readonly batchLimit: number;
  /**
   * Maximum characters of a response, including a whole batch. Lower than the maximum length of a JavaScript
   * string.
   */
  readonly answerLimit: number;
  /** True to serve the explorer. */
  readonly servesExplorer: boolean;
  /** True for the own port of the parent chain: all paths serve its Bitcoin RPC. */
  readonly servesOnlyParent: boolean;
  /** Milliseconds that `close()` waits for pending requests. */
  readonly gracePeriod: number;
}

export const defaultServerOptions: ServerOptions = {
  host: '127.0.0.1',
  port: 8545,
  apiKeys: [],
  allowOrigins: [],
  allowHosts: [],
  bodyLimit: 10 * 1024 * 1024,
  batchLimit: 1000,
  answerLimit: 2 ** 28,
  servesExplorer: true,
  servesOnlyParent: false,
  gracePeriod: 5_000,
};

/** The report of one JSON-RPC call, for logs. */
export interface CallReport {
  readonly method: string;
  /** Milliseconds from call to response; absent without a clock. */
  readonly durationMs?: number | undefined;
  /** The error in the response; absent on success. */
  readonly error?: unknown;
}

/** Callbacks about calls. They must not throw. */
export interface CallHooks {
  /** Called for each JSON-RPC call when its response is ready. Changes of the chain refer to `call`. */
  readonly onRequest?: (report: CallReport, call: Call) => void;
  /** Called for each bug of the node; `method` is `null` outside of a call. */
  readonly onInternalError: (error: unknown, method: string | null) => void;
  /** Called for each message that is not a JSON-RPC call, with the error of the response. */
  readonly onInvalidMessage?: (connection: Connection, error: CodedError) => void;
  /** Measures `durationMs`. */
  readonly clock?: WallClock;
}

/** The headers of a request that name its origin and its destination. */
export interface OriginHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}

export interface ServerHooks extends CallHooks {
  readonly timers: Timers;
  /** Stores banned addresses and statistics of clients. */
  readonly peers: Peers;
  /** Called for each request that is rejected before its body is read. */
  readonly onRejected?: (refusal: RejectedError, headers: OriginHeaders) => void;
  readonly health: () => Health;
  /** True for the key of an absent lane that is no longer created. Undefined if all lanes are created. */
  readonly rejectsLane?: (key: string) => boolean;
  /** Returns the metrics in the format of Prometheus. Absent if metrics are not served. */
  readonly metrics?: () => string;
}
