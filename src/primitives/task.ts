/** What is there at once or, from one that has to wait, a promise of it. */
export type Awaitable<Value> = Value | Promise<Value>;

/**
 * A procedure that waits only where it must: each promise that it yields is waited for, and what it holds (or is rejected
 * with) comes back into it. {@link waitFor} yields for it, {@link runTask} runs it.
 */
export type Task<Result> = Generator<Promise<unknown>, Result, unknown>;

/**
 * True for a promise of an answer. Programs may put promises of their own in the place of those that async functions give
 * (zone.js does).
 */
export function isPromise<Value>(answer: Awaitable<Value>): answer is Promise<Value> {
  return typeof answer === 'object' && answer !== null && 'then' in answer;
}

/** What the answer holds; waits for it only if it is a promise. Throws what the promise is rejected with. */
export function* waitFor<Value>(answer: Awaitable<Value>): Task<Value> {
  return isPromise(answer) ? ((yield answer) as Value) : answer;
}

/**
 * Runs the procedure: gives, or throws, what it comes to at once when it never has to wait; else a promise of that. So a
 * procedure over answers that are at hand costs no turn of the event loop, and nobody gets between two of its steps.
 */
export function runTask<Result>(steps: Task<Result>): Awaitable<Result> {
  const step = steps.next();
  return step.done === true ? step.value : performRest(steps, step.value);
}

async function performRest<Result>(steps: Task<Result>, first: Promise<unknown>): Promise<Result> {
  let step = await resume(steps, first);
  while (step.done !== true) step = await resume(steps, step.value);
  return step.value;
}

async function resume<Result>(
  steps: Task<Result>,
  awaited: Promise<unknown>,
): Promise<IteratorResult<Promise<unknown>, Result>> {
  let value: unknown;
  try {
    value = await awaited;
  } catch (error) {
    return steps.throw(error);
  }
  return steps.next(value);
}
