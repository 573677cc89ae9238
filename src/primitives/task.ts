/**
 * Tasks: procedures that are synchronous where nothing has to be waited for.
 *
 * Most of a node's work is at hand: the state lies in memory, the engine answers at once, the proof of work is trivial. Now
 * and then it is not: the state of a fork comes from an upstream, the reference engine is asynchronous, a real proof of work
 * takes long. With `async` functions the usual case would pay for the rare one: each `await` costs a turn of the microtask
 * queue, and lets other code run between two steps that belong together. Two versions of each procedure would be worse.
 *
 * So such a procedure is written once, as a generator. It asks for an answer that may be a promise with
 * `yield* waitFor(answer)`, and for another task with `yield* task`. {@link runTask} runs it: the result is there when
 * `runTask` returns if no answer was a promise, and is a promise of it otherwise. Errors behave as in an `async` function:
 * a rejected answer is thrown at the `waitFor`, where `try` catches it; an error of the procedure is thrown by `runTask`, or
 * rejects its promise once it has had to wait.
 *
 * @example
 * function* balanceOf(address: Uint8Array): Task<bigint> {
 *   const account = yield* waitFor(source.account(address)); // an Account, or a promise of one
 *   return account.balance;
 * }
 *
 * function* sumOf(addresses: readonly Uint8Array[]): Task<bigint> {
 *   let sum = 0n;
 *   for (const address of addresses) sum += yield* balanceOf(address);
 *   return sum;
 * }
 *
 * const sum = runTask(sumOf(addresses)); // bigint | Promise<bigint>
 */

/** An answer that is there at once, or a promise of it where it has to be waited for. */
export type Awaitable<Value> = Value | Promise<Value>;

/** A procedure that waits only where it must: a generator that yields each promise to be waited for. See the top of the file. */
export type Task<Result> = Generator<Promise<unknown>, Result, unknown>;

/**
 * True for a promise of an answer. Programs may put promises of their own in the place of those that async functions return
 * (zone.js does).
 */
export function isPromise<Value>(answer: Awaitable<Value>): answer is Promise<Value> {
  return typeof answer === 'object' && answer !== null && 'then' in answer;
}

/** Returns, inside of a task, what the answer holds; waits for it only if it is a promise. Throws what that is rejected with. */
export function* waitFor<Value>(answer: Awaitable<Value>): Task<Value> {
  return isPromise(answer) ? ((yield answer) as Value) : answer;
}

/**
 * Runs a task. Returns its result, or throws its error, at once when it never has to wait, so that nothing else runs between
 * two of its steps; returns a promise of the result otherwise.
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
