/**
 * A task waits only if it must. Each yielded promise is awaited, and its value or rejection is passed back
 * into the generator. {@link waitFor} yields a promise, {@link runTask} runs a task.
 */

/** A value, or a promise of it. */
export type Awaitable<Value> = Value | Promise<Value>;

/** A generator that yields each promise to await. See the top of the file. */
export type Task<Result> = Generator<Promise<unknown>, Result, unknown>;

/** Checks for `then`, because some libraries (zone.js) replace the promises of async functions. */
export function isPromise<Value>(answer: Awaitable<Value>): answer is Promise<Value> {
  return typeof answer === 'object' && answer !== null && 'then' in answer;
}

/** Returns the value. It waits only for a promise. Throws the error of a rejected promise. */
export function* waitFor<Value>(answer: Awaitable<Value>): Task<Value> {
  return isPromise(answer) ? ((yield answer) as Value) : answer;
}

/**
 * Applies `use` to the value, synchronously if it is available, else in a promise. For one or two steps, it
 * is faster than a generator and equally clear.
 */
export function whenReady<Value, Result>(
  answer: Awaitable<Value>,
  use: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return isPromise(answer) ? answer.then(use) : use(answer);
}

/**
 * Runs the task. If it never waits, the result or error is synchronous. Otherwise it returns a promise. So a
 * task on values in memory takes no iteration of the event loop, and no other code runs between its steps.
 */
export function runTask<Result>(task: Task<Result>): Awaitable<Result> {
  const step = task.next();
  return step.done === true ? step.value : runRest(task, step.value);
}

async function runRest<Result>(task: Task<Result>, first: Promise<unknown>): Promise<Result> {
  let step = await resume(task, first);
  while (step.done !== true) step = await resume(task, step.value);
  return step.value;
}

/** Resumes the task with the result of `awaited` and runs it to its next promise or its end. */
async function resume<Result>(
  task: Task<Result>,
  awaited: Promise<unknown>,
): Promise<IteratorResult<Promise<unknown>, Result>> {
  let value: unknown;
  try {
    value = await awaited;
  } catch (error) {
    return task.throw(error);
  }
  return task.next(value);
}
