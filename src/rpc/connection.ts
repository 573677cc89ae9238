import type { Dismissal } from '../node/lanes.ts';
import type { Turns } from '../primitives/scheduler.ts';

/** Who asks: one HTTP request, one WebSocket, or a caller in the same process. */
export interface Connection {
  readonly transport: 'http' | 'websocket' | 'in-process';
  /** The caller's IP address; `in-process` where there is none. */
  readonly remoteAddress: string;
  /** The path by which it came, without the slash: the key of a lane, or an API key. Absent for none. */
  readonly key?: string | undefined;
  /** The User-Agent header of the HTTP request, or of the one that opened the WebSocket. Absent for none. */
  readonly userAgent?: string | undefined;
  /** True once nobody hears an answer any more. */
  readonly isClosed: boolean;
  /** Sends a JSON-RPC notification; `null` where the transport cannot (HTTP). */
  readonly notify: ((method: string, params: unknown) => void) | null;
  /** Calls `action` once when the connection has closed. Returns a function that takes this back. */
  onClose(action: () => void): () => void;
  /** Closes the connection, after the answer in hand alone. Absent where none stays open. */
  dismiss?(why: Dismissal): void;
}

/** The calls of one message that holds several: they share the time that answering it may take. */
export interface Batch {
  /** Milliseconds since 1970 at which the first of them began; `null` before that. Set by the service. */
  begunAt: number | null;
}

/** Answers calls: what the server hands each well-formed request to. */
export interface RpcService {
  /** The turns that reading requests and writing answers take among other work; absent where they take each turn. */
  readonly turns?: Turns;
  /**
   * The result of a method, fit for JSON: `plainResult` gives it as a value. Rejects with a
   * `CodedError` for anything the caller did; with another error only when the node has a bug. `batch` is what the call is
   * part of, if anything.
   */
  call(method: string, params: unknown, connection: Connection, batch?: Batch): Promise<unknown>;
}
