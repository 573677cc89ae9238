import { CodedError } from '../../primitives/coded-error.ts';
import type { Awaitable } from '../../primitives/task.ts';
import type { WorkPieces } from '../../primitives/work-pieces.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { BlockEnvironment, ExecutionResult, Message } from '../engine.ts';
import type { ExecutionObserver } from '../observer.ts';
import type { ImpersonatedSigner } from '../signers.ts';

/** A trace that would not fit into an answer. */
export class TraceTooLargeError extends CodedError {
  readonly code = -32000;

  /** `limit` is in characters of JSON. */
  constructor(limit: number) {
    super(
      `trace too large: more than ${limit} characters. Leave something out with disableMemory, disableStack, limit ` +
        'or onlyTopCall, or use another tracer',
    );
  }
}

/** Thrown when a tree of calls is asked for before anything ran. */
export class EmptyCallTreeError extends Error {
  override readonly name = 'EmptyCallTreeError';
}

/** A quarter of the longest text that the JavaScript engine can make an answer of. */
const LIMIT = 2 ** 27;

/**
 * Counts how large a trace grows. Without it, an endless loop with a whole block's gas would be traced until the node
 * has no memory left.
 */
export class TraceBudget {
  #left: number;
  readonly #limit: number;

  /** `limit` is in characters of JSON. */
  constructor(limit: number = LIMIT) {
    this.#limit = limit;
    this.#left = limit;
  }

  /** Takes note of about that many characters of JSON. Throws {@link TraceTooLargeError} beyond the limit. */
  spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new TraceTooLargeError(this.#limit);
  }
}

/** Where a traced transaction stands in the chain. */
export interface TracePosition {
  readonly blockHash: Uint8Array;
  readonly transactionHash: Uint8Array;
  readonly transactionIndex: number;
  /** The index in the block of the transaction's first log. */
  readonly firstLogIndex: number;
}

/** What is known of an execution before it runs. */
export interface TraceSubject {
  readonly message: Message;
  readonly environment: BlockEnvironment;
  /** The state on which it runs. */
  readonly before: WorldState;
  /** `null` for a call that stands in no block. */
  readonly position: TracePosition | null;
  /** What is left of the answer that the trace is to be part of; one for all traces of an answer. */
  readonly budget: TraceBudget;
  readonly impersonatedSigner: ImpersonatedSigner;
}

/** An observer that follows one execution and makes a trace of it. */
export interface Tracer<Trace = unknown> extends ExecutionObserver {
  /**
   * Returns the trace, fit for JSON; a promise of it where making it takes more than one of the `pieces`. To be asked
   * for once, when the execution has ended; `after` is the state then, which must not change meanwhile.
   */
  result(execution: ExecutionResult, after: Overlay, pieces: WorkPieces): Awaitable<Trace>;
}

/** Makes the tracer for an execution. */
export type TracerFactory<Trace = unknown> = (subject: TraceSubject) => Tracer<Trace>;

/** A tracer that looks at nothing and gives an empty object: to see what tracing itself costs (geth's noopTracer). */
export class NoopTracer implements Tracer {
  result(): unknown {
    return {};
  }
}
