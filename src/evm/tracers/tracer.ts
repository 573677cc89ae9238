// The interface of tracers, and the size limit of traces.

import { ready, type Steps } from '../../primitives/steps.ts';
import type { Task } from '../../scheduling/task.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { BlockEnvironment, ExecutionResult, Message } from '../engine.ts';
import { TraceTooLargeError } from '../errors.ts';
import type { ExecutionObserver } from '../observer.ts';
import type { ImpersonatedSigner } from '../signers.ts';

/** Thrown if a call tree is read before any frame started. */
export class EmptyCallTreeError extends Error {
  override readonly name = 'EmptyCallTreeError';
}

/** A quarter of V8's maximum string length. */
const LIMIT = 2 ** 27;

/** Limits the size of a trace. Without a limit, tracing an endless loop would exhaust the memory. */
export class TraceBudget {
  #left: number;
  readonly #limit: number;

  /** `limit` is in characters of JSON. */
  constructor(limit: number = LIMIT) {
    this.#limit = limit;
    this.#left = limit;
  }

  /** Counts the approximate characters of JSON. Throws {@link TraceTooLargeError} above the limit. */
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
  /** The block index of the first log of the transaction. */
  readonly firstLogIndex: number;
}

/** The input of a traced execution. */
export interface TraceSubject {
  readonly message: Message;
  readonly environment: BlockEnvironment;
  /** The state before the execution. */
  readonly before: WorldState;
  /** `null` for a call outside a block. */
  readonly position: TracePosition | null;
  /** The remaining budget, shared by all traces of a response. */
  readonly budget: TraceBudget;
  readonly impersonatedSigner: ImpersonatedSigner;
}

/** An observer that builds a trace of one execution. */
export interface Tracer<Trace = unknown> extends ExecutionObserver {
  /**
   * Builds the trace, a JSON value. Call it once, after the execution. `after` is the state after the
   * execution and must not change meanwhile.
   */
  result(execution: ExecutionResult, after: Overlay): Task<Trace>;
}

export type TracerFactory<Trace = unknown> = (subject: TraceSubject) => Tracer<Trace>;

/** Records nothing and returns an empty object, to measure the overhead of tracing (geth's noopTracer). */
export class NoopTracer implements Tracer {
  result(): Steps<unknown> {
    return ready({});
  }
}
