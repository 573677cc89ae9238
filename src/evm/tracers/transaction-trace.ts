import { type Awaitable, runTask, type Task } from '../../primitives/task.ts';
import type { WorkPieces } from '../../primitives/work-pieces.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { ExecutionResult } from '../engine.ts';
import type { FrameEnd, FrameStart } from '../observer.ts';
import { CallTree } from './call-tree.ts';
import { parityError } from './error-words.ts';
import {
  type FlatFrame,
  flatAction,
  flatPosition,
  flatResult,
  flatType,
  flatViews,
} from './flat-call-tracer.ts';
import type { Tracer, TraceSubject } from './tracer.ts';

/** A trace of the trace_* methods. */
export type TransactionTrace = Readonly<Record<string, unknown>>;

/**
 * The traces of a transaction for the trace_* methods: Parity's format, in which gas does not include the intrinsic
 * cost and a failed frame has `null` for its result. Unlike on the network, inner frames show their own input and
 * output, and failed creations are listed.
 */
export class TransactionTracer implements Tracer<readonly TransactionTrace[]> {
  readonly #subject: TraceSubject;
  readonly #isPlaced: boolean;
  readonly #tree: CallTree;

  /** Without `isPlaced` the traces do not say where in the chain they stand. */
  constructor(subject: TraceSubject, isPlaced = true) {
    this.#subject = subject;
    this.#isPlaced = isPlaced;
    this.#tree = new CallTree(subject.budget);
  }

  frameStart(start: FrameStart): void {
    this.#tree.frameStart(start);
  }

  frameEnd(end: FrameEnd): void {
    this.#tree.frameEnd(end);
  }

  result(
    _execution: ExecutionResult,
    _after: Overlay,
    pieces: WorkPieces,
  ): Awaitable<readonly TransactionTrace[]> {
    const position = this.#isPlaced ? flatPosition(this.#subject) : {};
    const view = function* ({ node, traceAddress, subtraces }: FlatFrame): Task<TransactionTrace> {
      const { start, end } = node;
      const error = parityError(end);
      return {
        action: yield* flatAction(start, start.gas, pieces),
        ...position,
        type: flatType(start),
        subtraces,
        traceAddress,
        result: error === null ? yield* flatResult(node, end.gasUsed, pieces) : null,
        ...(error === null ? {} : { error }),
      };
    };
    return runTask(flatViews(this.#tree.root, false, this.#subject, pieces, view));
  }
}
