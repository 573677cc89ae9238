// Values that may not be available yet. They are used synchronously if they are.

/** A value, or a promise of it. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Checks for `then`, because some libraries (zone.js) replace the promises of async functions. */
export function isPromise<Value>(answer: Awaitable<Value>): answer is Promise<Value> {
  return typeof answer === 'object' && answer !== null && 'then' in answer;
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

/** Runs an action, then `end`, also if the action throws or rejects. */
export function endingWith<Value>(action: () => Awaitable<Value>, end: () => void): Awaitable<Value> {
  let answer: Awaitable<Value>;
  try {
    answer = action();
  } catch (error) {
    end();
    throw error;
  }
  if (!isPromise(answer)) {
    end();
    return answer;
  }
  // `finally` would create three more promises.
  return answer.then(
    (value) => {
      end();
      return value;
    },
    (error: unknown) => {
      end();
      throw error;
    },
  );
}
