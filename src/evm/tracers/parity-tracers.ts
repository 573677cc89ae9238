// Parity's traces of transactions (trace_*), and the tracer of its trace_call* and trace_replay* methods, whose answer has the parts that
// were asked for.

import { type Awaitable, runTask, type Task, waitFor } from '../../primitives/task.ts';
import { hexInPieces, type WorkPieces } from '../../primitives/work-pieces.ts';
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
import { MuxTracer } from './mux-tracer.ts';
import { type StateDiff, StateDiffTracer } from './state-diff-tracer.ts';
import type { Tracer, TracerFactory, TraceSubject } from './tracer.ts';
import { type VmTrace, VmTracer } from './vm-tracer.ts';

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

/** The parts of a replay, by their names in Parity's methods. */
const PARTS = {
  trace: (subject: TraceSubject): Tracer => new TransactionTracer(subject, false),
  vmTrace: (subject: TraceSubject): Tracer => new VmTracer(subject),
  stateDiff: (subject: TraceSubject): Tracer => new StateDiffTracer(subject),
} as const;

/** A part of a replay: its frames, its steps, or the changes of the state. */
export type ReplayPart = keyof typeof PARTS;

/** The names of the parts. */
export const REPLAY_PARTS = Object.keys(PARTS) as readonly ReplayPart[];

/** The answer for one execution, in Parity's format. Parts that were not asked for are `null`, the frames empty. */
export interface Replay {
  /** The output of the execution: DATA; of a creation the new contract's code, of a revert its data. */
  readonly output: string;
  readonly stateDiff: StateDiff | null;
  readonly trace: readonly TransactionTrace[];
  readonly vmTrace: VmTrace | null;
}

class ReplayTracer extends MuxTracer implements Tracer<Replay> {
  override result(execution: ExecutionResult, after: Overlay, pieces: WorkPieces): Awaitable<Replay> {
    return runTask(this.#replay(execution, super.result(execution, after, pieces), pieces));
  }

  *#replay({ returnData }: ExecutionResult, parts: Awaitable<unknown>, pieces: WorkPieces): Task<Replay> {
    // The tracers of the parts above make them.
    const made = (yield* waitFor(parts)) as Partial<Replay>;
    const { stateDiff = null, trace = [], vmTrace = null } = made;
    return { output: yield* hexInPieces(returnData, pieces), stateDiff, trace, vmTrace };
  }
}

/** Returns the factory of the tracer that makes these parts of a replay. */
export function replayTracer(parts: Iterable<ReplayPart>): TracerFactory<Replay> {
  const wanted = [...new Set(parts)];
  return (subject) => new ReplayTracer(new Map(wanted.map((part) => [part, PARTS[part](subject)] as const)));
}
