/** The result of a piece of work, and how often others were heard while it went on. */
export interface Watched<Result> {
  readonly result: Result;
  /** Yielder of the event loop. */
  readonly turns: number;
}

/** Does the work and counts the turns that the event loop has meanwhile, at each of which `onTurn` is called. */
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
