import type { PeerTable } from '../node/peers/peer-table.ts';
import type { Timers, WallClock } from '../primitives/clock.ts';
import type { CodedError } from '../primitives/coded-error.ts';
import type { Connection } from '../rpc/connection.ts';
import type { RefusedError } from './errors.ts';
import type { Health } from './health.ts';

/** Where the server listens, whom it serves and how much it takes. */
export interface ServerOptions {
  /** The name or address to listen on. */
  readonly host: string;
  /** The TCP port; 0 picks a free one. */
  readonly port: number;
  /** The path segments that are served; with none, every single segment is. */
  readonly apiKeys: readonly string[];
  /** Origins of web pages that may call; with none, pages of this machine and browser extensions. `*` allows all. */
  readonly allowOrigins: readonly string[];
  /**
   * Host names served beside IP addresses, localhost and `host`: see `parseAllowedHost`. `*.name` allows the names below
   * that one, `*` every name.
   */
  readonly allowHosts: readonly string[];
  /** The largest HTTP body and WebSocket message, in bytes. */
  readonly bodyLimit: number;
  /** The most requests in one batch. */
  readonly batchLimit: number;
  /** The most characters of an answer, that of a whole batch included; below what a JavaScript text can hold. */
  readonly answerLimit: number;
  /** How long `close()` waits for requests in hand, in milliseconds. */
  readonly gracePeriod: number;
}

/** What the server does when nothing else is asked for. */
export const defaultServerOptions: ServerOptions = {
  host: '127.0.0.1',
  port: 8545,
  apiKeys: [],
  allowOrigins: [],
  allowHosts: [],
  bodyLimit: 10 * 1024 * 1024,
  batchLimit: 1000,
  answerLimit: 2 ** 28,
  gracePeriod: 5_000,
};

/** One finished JSON-RPC call, as a log wants to see it. */
export interface CallReport {
  readonly method: string;
  /** Milliseconds from call to answer; absent when the server was given no clock. */
  readonly durationMs?: number;
  /** What the caller got instead of a result; absent on success. */
  readonly error?: unknown;
}

/** Who is told about calls. None of the functions may throw. */
export interface CallHooks {
  /** Called once per JSON-RPC call, when its answer is ready. */
  readonly onRequest?: (report: CallReport) => void;
  /** Called with every error that is a bug of the node; `method` is `null` when no method was being called. */
  readonly onInternalError: (error: unknown, method: string | null) => void;
  /** Called with who sent a message that is not a JSON-RPC call, and with the error that answers it. */
  readonly onInvalidMessage?: (connection: Connection, error: CodedError) => void;
  /** Measures `durationMs`. */
  readonly clock?: WallClock;
}

/** The headers of a request that say where it comes from and what it means to reach. */
export interface OriginHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}

/** What the server needs from its process. */
export interface ServerHooks extends CallHooks {
  readonly timers: Timers;
  /** Says who is banned; learns who talks to the server. */
  readonly peers: PeerTable;
  /** Called with each request that is refused unread. */
  readonly onRefused?: (refusal: RefusedError, headers: OriginHeaders) => void;
  /** How the node is, for those who watch over it. */
  readonly health: () => Health;
}
