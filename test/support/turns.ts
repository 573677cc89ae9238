/** The result of a task and the number of its yields. */
export interface Watched<Result> {
  readonly result: Result;
  /** Yielder of the event loop. */
  readonly turns: number;
}

/** Runs the task and counts iterations of the event loop. Calls `onTurn` in each iteration. */
export async function countTurns<Result>(
  work: () => Promise<Result>,
  onTurn: () => void = () => undefined,
): Promise<Watched<Result>> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    onTurn();
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  try {
    const result = await work();
    return { result, turns };
  } finally {
    isOver = true;
  }
}
