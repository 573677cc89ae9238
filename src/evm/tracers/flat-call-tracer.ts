import { type Awaitable, perform } from '../../primitives/steps.ts';
import type { WorkPieces } from '../../primitives/work-pieces.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { ExecutionResult } from '../engine.ts';
import type { FrameEnd, FrameStart } from '../observer.ts';
import { CallTree } from './call-tree.ts';
import { gethError, parityError } from './error-words.ts';
import { type FlatFrame, flatAction, flatPosition, flatResult, flatType, flatViews } from './flat-trace.ts';
import type { Tracer, TraceSubject } from './tracer.ts';

/** What a flat call tracer is to show. */
export interface FlatCallTracerOptions {
  /** Say why a frame failed in Parity's words. */
  readonly convertParityErrors: boolean;
  /** Show the calls of precompiles too. */
  readonly includePrecompiles: boolean;
}

/**
 * The frames of an execution as a flat list (geth's flatCallTracer). As in geth, the outermost frame shows the gas
 * limit of the message and all gas charged, and a frame that reverted keeps its result.
 */
export class FlatCallTracer implements Tracer {
  readonly #subject: TraceSubject;
  readonly #options: FlatCallTracerOptions;
  readonly #tree: CallTree;

  constructor(subject: TraceSubject, options: FlatCallTracerOptions) {
    this.#subject = subject;
    this.#tree = new CallTree(subject.budget);
    this.#options = options;
  }

  frameStart(start: FrameStart): void {
    this.#tree.frameStart(start);
  }

  frameEnd(end: FrameEnd): void {
    this.#tree.frameEnd(end);
  }

  result(execution: ExecutionResult, _after: Overlay, pieces: WorkPieces): Awaitable<unknown> {
    const { convertParityErrors, includePrecompiles } = this.#options;
    const position = flatPosition(this.#subject);
    const { gasLimit } = this.#subject.message;
    const view = ({ node, traceAddress, subtraces }: FlatFrame): unknown => {
      const { start, end } = node;
      const isOutermost = start.depth === 0;
      const error = convertParityErrors ? parityError(end) : gethError(end);
      const result =
        end.outcome === 'halt' ? null : flatResult(node, isOutermost ? execution.gasUsed : end.gasUsed);
      return {
        action: flatAction(start, isOutermost ? gasLimit : start.gas),
        ...position,
        ...(error === null ? {} : { error }),
        ...(result === null ? {} : { result }),
        subtraces,
        traceAddress,
        type: flatType(start),
      };
    };
    return perform(flatViews(this.#tree.root, includePrecompiles, this.#subject, pieces, view));
  }
}
