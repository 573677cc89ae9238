/** Records an execution for an inspection: its frames and, on request, its state changes. */

import type { ExecutionResult } from '../evm/engine.ts';
import type { ExecutionStep, FrameEnd, FrameStart } from '../evm/observer.ts';
import type { Tracer, TracerFactory } from '../evm/tracers/tracer.ts';
import type { Steps } from '../primitives/steps.ts';
import type { Log } from '../protocol/receipt.ts';
import type { Overlay } from '../state/overlay.ts';
import { ExecutionRecorder, type RecordedExecution } from './execution-recorder.ts';
import type { SourceIndex } from './source-index.ts';
import { type RecordedState, StateRecorder } from './storage/state-recorder.ts';

/** A recorded execution; `state` is `null` unless requested. */
export interface RecordedInspection extends RecordedExecution {
  readonly state: RecordedState | null;
}

/** Optional records. Each one observes every opcode. */
export interface RecordingOptions {
  /** By index of the frame, to find where frames ended. */
  readonly guides: readonly (SourceIndex | null)[] | null;
  readonly hasState: boolean;
}

class InspectionRecorder implements Tracer<RecordedInspection> {
  /** Only set if opcodes are observed, because it slows the engine down. */
  step?: (step: ExecutionStep) => void;
  readonly wantedSteps: ReadonlySet<number>;
  /** Only set if internal functions are tracked. */
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

  remark(text: string): void {
    this.#execution.remark(text);
  }

  *result(result: ExecutionResult, after: Overlay): Steps<RecordedInspection> {
    const state = this.#state === null ? null : yield* this.#state.result(result, after);
    return { ...(yield* this.#execution.result(result, after)), state };
  }
}

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
