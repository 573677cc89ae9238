// The contract of tracers, and the limit on the size of traces.

import type { Awaitable } from '../../scheduling/task.ts';
import type { WorkPieces } from '../../scheduling/work-pieces.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { BlockEnvironment, ExecutionResult, Message } from '../engine.ts';
import { TraceTooLargeError } from '../errors.ts';
import type { ExecutionObserver } from '../observer.ts';
import type { ImpersonatedSigner } from '../signers.ts';

/** Thrown when a tree of calls is read before any frame began. */
export class EmptyCallTreeError extends Error {
  override readonly name = 'EmptyCallTreeError';
}

/** A quarter of the longest string of the JavaScript engine. */
const LIMIT = 2 ** 27;

/**
 * Counts the size of a trace. Without it, an endless loop with a whole block's gas would be traced until the node runs
 * out of memory.
 */
export class TraceBudget {
  #left: number;
  readonly #limit: number;

  /** `limit` is in characters of JSON. */
  constructor(limit: number = LIMIT) {
    this.#limit = limit;
    this.#left = limit;
  }

  /** Counts about that many characters of JSON. Throws {@link TraceTooLargeError} beyond the limit. */
  spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new TraceTooLargeError(this.#limit);
  }
}

/** The position of a traced transaction in the chain. */
export interface TracePosition {
  readonly blockHash: Uint8Array;
  readonly transactionHash: Uint8Array;
  readonly transactionIndex: number;
  /** The index in the block of the transaction's first log. */
  readonly firstLogIndex: number;
}

/** The input of an execution, known before it runs. */
export interface TraceSubject {
  readonly message: Message;
  readonly environment: BlockEnvironment;
  /** The state before the execution. */
  readonly before: WorldState;
  /** `null` for a call that stands in no block. */
  readonly position: TracePosition | null;
  /** The remaining budget of the answer that contains the trace; all traces of an answer share it. */
  readonly budget: TraceBudget;
  readonly impersonatedSigner: ImpersonatedSigner;
}

/** An observer that follows one execution and makes a trace of it. */
export interface Tracer<Trace = unknown> extends ExecutionObserver {
  /**
   * Returns the trace, fit for JSON; a promise of it when making it takes more than one of the `pieces`. Must be called
   * once, after the execution; `after` is the state then, which must not change meanwhile.
   */
  result(execution: ExecutionResult, after: Overlay, pieces: WorkPieces): Awaitable<Trace>;
}

/** Creates the tracer of an execution. */
export type TracerFactory<Trace = unknown> = (subject: TraceSubject) => Tracer<Trace>;

/**
 * A tracer that records nothing and returns an empty object, to measure the cost of tracing itself (geth's noopTracer).
 */
export class NoopTracer implements Tracer {
  result(): unknown {
    return {};
  }
}
