/** Finds the last step of each frame of an execution. */

import type { Tracer } from '../evm/tracers/tracer.ts';
import { ready, type Steps } from '../primitives/steps.ts';

/** Records the index of each frame's last step; -1 for a frame without steps. Frames are in call order. */
export class LastStepsRecorder implements Tracer<readonly number[]> {
  readonly #lastSteps: number[] = [];
  /** The indexes of the open frames. */
  readonly #open: number[] = [];
  #count = 0;

  frameStart(): void {
    this.#open.push(this.#lastSteps.push(-1) - 1);
  }

  frameEnd(): void {
    this.#open.pop();
  }

  step(): void {
    const frame = this.#open.at(-1);
    if (frame !== undefined) this.#lastSteps[frame] = this.#count;
    this.#count++;
  }

  result(): Steps<readonly number[]> {
    return ready(this.#lastSteps);
  }
}

/** Returns the last step of the innermost failing frame with steps; `null` if no frame has steps. */
export function failingStep(
  path: readonly { readonly index: number }[],
  lastSteps: readonly number[],
): number | null {
  const frame = path.findLast(({ index }) => (lastSteps[index] ?? -1) >= 0);
  return frame === undefined ? null : (lastSteps[frame.index] ?? null);
}
