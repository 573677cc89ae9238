/**
 * A procedure that waits only when it must: each promise that it yields is awaited, and its value (or rejection) is
 * passed back into it. {@link waitFor} yields for it, {@link runTask} runs it.
 */

/** An answer that is there at once, or a promise of it where it has to be waited for. */
export type Awaitable<Value> = Value | Promise<Value>;

/** A procedure that waits only where it must: a generator that yields each promise to be waited for. See the top of the file. */
export type Task<Result> = Generator<Promise<unknown>, Result, unknown>;

/**
 * True for a promise of a value. Checks for `then`, since some programs replace the promises of async functions
 * (zone.js does).
 */
export function isPromise<Value>(answer: Awaitable<Value>): answer is Promise<Value> {
  return typeof answer === 'object' && answer !== null && 'then' in answer;
}

/** Returns the value of the answer; waits only if it is a promise. Throws what the promise rejects with. */
export function* waitFor<Value>(answer: Awaitable<Value>): Task<Value> {
  return isPromise(answer) ? ((yield answer) as Value) : answer;
}

/**
 * Returns what `use` makes of the answer: at once when the answer is there, else a promise of it. For a step or two, where
 * a generator would cost time without making the code clearer.
 */
export function whenReady<Value, Result>(
  answer: Awaitable<Value>,
  use: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return isPromise(answer) ? answer.then(use) : use(answer);
}

/**
 * Runs the procedure. Returns its result, or throws its error, synchronously when it never has to wait; otherwise
 * returns a promise of the result. So a procedure over values in memory costs no turn of the event loop, and no other
 * code runs between its steps.
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

/** Runs the task to its next promise, or to its end, with what `awaited` holds or is rejected with. */
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
