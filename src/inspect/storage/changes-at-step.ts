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
  readonly #parents: number[] = [];
  /** By index of the frame: true if it failed before the step. */
  readonly #failed: boolean[] = [];
  readonly #open: number[] = [];
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
    if (this.#isOver) return;
    this.#state.frameStart();
    this.#parents.push(this.#open.at(-1) ?? -1);
    this.#open.push(this.#failed.push(false) - 1);
  }

  frameEnd(end: FrameEnd): void {
    this.#moment.frameEnd(end);
    if (this.#isOver) return;
    this.#state.frameEnd(end);
    const frame = this.#open.pop();
    if (frame !== undefined) this.#failed[frame] = end.outcome !== 'success';
  }

  step(step: ExecutionStep): void {
    if (this.#isOver) return;
    this.#moment.step(step);
    if (this.#steps++ < this.#wanted) this.#state.step(step);
  }

  *result(result: ExecutionResult, after: Overlay): Task<RecordedState> {
    const { moment, count } = yield* this.#moment.result(result);
    if (moment === null) throw new StepOutOfRangeError(this.#wanted, count);
    const lasting: boolean[] = [];
    // A parent has a lower index than its inner frames.
    for (const [index, hasFailed] of this.#failed.entries()) {
      const parent = this.#parents[index] ?? -1;
      lasting.push(!hasFailed && (parent === -1 || lasting[parent] === true));
    }
    return { ...(yield* this.#state.result(result, after)), after: moment.state, lasting };
  }
}
