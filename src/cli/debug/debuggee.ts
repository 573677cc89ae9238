/** The executions of a session: one launched execution, or the hits of an attached node. */

import type { BreakpointScope } from './breakpoint-scope.ts';
import type { DebugThread, Stop, ThreadParts } from './debug-thread.ts';
import type { ExceptionFilter } from './exception-filters.ts';
import type { DebugConnection } from './protocol-server.ts';
import type { SessionOutput } from './session-output.ts';
import type { Sources } from './sources.ts';

export interface Debuggee {
  readonly scope: BreakpointScope;
  /** The execution that the editor shows. At most one is open at a time. */
  readonly thread: DebugThread | null;
  /** Starts to run, after the editor has sent its breakpoints. */
  start(): void;
  /** Takes over the exception filters of the editor. Threads have them already. */
  setFilters(filters: ReadonlySet<ExceptionFilter>): Promise<void>;
  /** The thread has reached its end, or the editor has ended it. */
  end(thread: DebugThread): Promise<void>;
  /** Frees the node. */
  close(): void;
}

/** The parts of a session that its executions use. */
export interface SessionControl {
  readonly connection: DebugConnection;
  readonly output: SessionOutput;
  /** Creates a thread with the breakpoints and filters of the session. */
  createThread(parts: Omit<ThreadParts, 'output'>, sources: Sources): DebugThread;
  hasBreakpointAt(place: { readonly source: string; readonly line: number }): boolean;
  /** Finds the places of the breakpoints again. */
  relocate(): Promise<void>;
  /** Reports a stop to the editor. */
  stopped(thread: DebugThread, stop: Stop): void;
  /** Runs to the next stop, after the pending requests. */
  run(thread: DebugThread): void;
  /** Ends the session. */
  terminate(): void;
}
