/** Records an execution for an inspection: its frames, and where it is asked for what it did to the state. */

import type { ExecutionResult } from '../evm/engine.ts';
import type { ExecutionStep, FrameEnd, FrameStart } from '../evm/observer.ts';
import type { Tracer, TracerFactory } from '../evm/tracers/tracer.ts';
import type { Log } from '../protocol/receipt.ts';
import { type Awaitable, runTask, type Task } from '../scheduling/task.ts';
import type { WorkPieces } from '../scheduling/work-pieces.ts';
import type { Overlay } from '../state/overlay.ts';
import type { CodeGuide } from './code-guide.ts';
import { ExecutionRecorder, type RecordedExecution } from './execution-recorder.ts';
import { type RecordedState, StateRecorder } from './storage/state-recorder.ts';

/** A recorded execution, with what it did to the state where that was asked for. */
export interface RecordedInspection extends RecordedExecution {
  readonly state: RecordedState | null;
}

/** The records besides frames and logs. Each costs a look at every opcode. */
export interface RecordingOptions {
  /** By the index of the frame: shows where frames ended. */
  readonly guides: readonly (CodeGuide | null)[] | null;
  readonly hasState: boolean;
}

class InspectionRecorder implements Tracer<RecordedInspection> {
  /** Present only where opcodes are looked at, since an observer with it slows the engine down. */
  step?: (step: ExecutionStep) => void;
  readonly wantedSteps: ReadonlySet<number>;
  /** Present only where it is followed in which function the execution is. */
  trail?: (places: Uint32Array) => void;
  readonly #execution: ExecutionRecorder;
  readonly #state: StateRecorder | null;

  constructor(execution: ExecutionRecorder, state: StateRecorder | null) {
    this.#execution = execution;
    this.#state = state;
    this.wantedSteps = new Set([...execution.wantedSteps, ...(state?.wantedSteps ?? [])]);
    if (execution.trail !== undefined) this.trail = execution.trail;
    if (execution.step === undefined && state === null) return;
    this.step = (step) => {
      execution.step?.(step);
      state?.step(step);
    };
  }

  get skipsFrame(): boolean {
    return this.#state === null && this.#execution.skipsFrame;
  }

  frameStart(start: FrameStart): void {
    this.#execution.frameStart(start);
    this.#state?.frameStart();
  }

  frameEnd(end: FrameEnd): void {
    this.#execution.frameEnd(end);
    this.#state?.frameEnd(end);
  }

  log(log: Log): void {
    this.#execution.log(log);
  }

  result(result: ExecutionResult, after: Overlay, pieces: WorkPieces): Awaitable<RecordedInspection> {
    return runTask(this.#recorded(result, after, pieces));
  }

  *#recorded(result: ExecutionResult, after: Overlay, pieces: WorkPieces): Task<RecordedInspection> {
    const state = this.#state === null ? null : yield* this.#state.result(result, after, pieces);
    return { ...(yield* this.#execution.recorded(result, pieces)), state };
  }
}

/** Returns what makes the recorder of an execution. */
export function inspectionRecorder({
  guides,
  hasState,
}: RecordingOptions): TracerFactory<RecordedInspection> {
  return (subject) =>
    new InspectionRecorder(
      new ExecutionRecorder(subject, guides),
      hasState ? new StateRecorder(subject) : null,
    );
}
