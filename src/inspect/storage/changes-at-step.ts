/** Records the writes of an execution up to one step, and the state at that step. */

import type { ExecutionResult } from '../../evm/engine.ts';
import type { ExecutionStep, FrameEnd, FrameStart, StateNow } from '../../evm/observer.ts';
import type { Tracer, TraceSubject } from '../../evm/tracers/tracer.ts';
import type { Task } from '../../scheduling/task.ts';
import type { Overlay } from '../../state/overlay.ts';
import { StepOutOfRangeError } from '../errors.ts';
import { MomentRecorder } from '../evaluation/moment-recorder.ts';
import { type RecordedState, StateRecorder } from './state-recorder.ts';

/** Records the changes before a step. Its result throws a {@link StepOutOfRangeError} if there is no such step. */
export class ChangesAtStepRecorder implements Tracer<RecordedState> {
  readonly #wanted: number;
  readonly #state: StateRecorder;
  readonly #moment: MomentRecorder;
  #steps = 0;

  constructor(subject: TraceSubject, step: number) {
    this.#wanted = step;
    this.#state = new StateRecorder(subject);
    this.#moment = new MomentRecorder(subject, step, [], []);
  }

  get skipsFrame(): boolean {
    return this.#isOver;
  }

  get #isOver(): boolean {
    return this.#steps > this.#wanted;
  }

  begin(state: StateNow): void {
    this.#moment.begin(state);
  }

  frameStart(start: FrameStart): void {
    this.#moment.frameStart(start);
    if (!this.#isOver) this.#state.frameStart();
  }

  frameEnd(end: FrameEnd): void {
    this.#moment.frameEnd(end);
    if (!this.#isOver) this.#state.frameEnd(end);
  }

  step(step: ExecutionStep): void {
    if (this.#isOver) return;
    this.#moment.step(step);
    if (this.#steps++ < this.#wanted) this.#state.step(step);
  }

  *result(result: ExecutionResult, after: Overlay): Task<RecordedState> {
    const { moment, count } = yield* this.#moment.result(result);
    if (moment === null) throw new StepOutOfRangeError(this.#wanted, count);
    const lasting = this.#state.lasting();
    return { ...(yield* this.#state.result(result, after)), after: moment.state, lasting };
  }
}
