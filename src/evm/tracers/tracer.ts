import type { Awaitable } from '../../primitives/steps.ts';
import type { WorkPieces } from '../../primitives/work-pieces.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { BlockEnvironment, ExecutionResult, Message } from '../engine.ts';
import type { ImpersonatedSigner } from '../impersonated-signer.ts';
import type { ExecutionObserver } from '../observer.ts';
import type { TraceBudget } from './trace-budget.ts';

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
   * The trace, fit for JSON; a promise of it where making it takes more than one of the `pieces`. To be asked for once, when
   * the execution has ended; `after` is the state then, which must not change meanwhile.
   */
  result(execution: ExecutionResult, after: Overlay, pieces: WorkPieces): Awaitable<Trace>;
}

/** Makes the tracer for an execution. */
export type TracerFactory<Trace = unknown> = (subject: TraceSubject) => Tracer<Trace>;
