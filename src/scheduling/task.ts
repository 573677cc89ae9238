/**
 * A task is a generator. It yields each promise to await, and the work units of each step. The runner
 * ({@link runTask}) awaits the promises, and lets other work run at the end of a time slice. A yield of work
 * units then returns true.
 */

import { type Awaitable, isPromise } from '../primitives/awaitable.ts';
import { TimeSlice } from './time-slice.ts';

/** A long computation. See the top of the file. Steps of the lower modules (`Steps`) are tasks without waits. */
export type Task<Result> = Generator<number | Promise<unknown>, Result, unknown>;

/** Returns the value. It waits only for a promise. Throws the error of a rejected promise. */
export function* waitFor<Value>(answer: Awaitable<Value>): Task<Value> {
  return isPromise(answer) ? ((yield answer) as Value) : answer;
}

/**
 * Runs the task. If it never waits, the result or error is synchronous. Otherwise it returns a promise. So a
 * short task on values in memory takes no iteration of the event loop, and no other code runs between its
 * steps. `slice` counts the work units.
 */
export function runTask<Result>(task: Task<Result>, slice?: TimeSlice): Awaitable<Result> {
  let budget = slice;
  let step = task.next();
  while (step.done !== true) {
    if (typeof step.value !== 'number') return runRest(task, step.value, false, budget);
    budget ??= new TimeSlice();
    const wait = budget.spend(step.value);
    if (wait !== undefined) return runRest(task, wait, true, budget);
    step = task.next();
  }
  return step.value;
}

async function runRest<Result>(
  task: Task<Result>,
  first: Promise<unknown>,
  isFirstStep: boolean,
  slice = new TimeSlice(),
): Promise<Result> {
  let step = await resume(task, first, isFirstStep);
  while (step.done !== true) {
    const isStep = typeof step.value === 'number';
    const wait = typeof step.value === 'number' ? slice.spend(step.value) : step.value;
    step = wait === undefined ? task.next() : await resume(task, wait, isStep);
  }
  return step.value;
}

/** Resumes the task with the result of `awaited`, or with true after a step. Runs it to its next yield or end. */
async function resume<Result>(
  task: Task<Result>,
  awaited: Promise<unknown>,
  isStep: boolean,
): Promise<IteratorResult<number | Promise<unknown>, Result>> {
  let value: unknown;
  try {
    value = await awaited;
  } catch (error) {
    return task.throw(error);
  }
  return task.next(isStep ? true : value);
}
