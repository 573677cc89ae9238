/** Steps through the statements of an execution, forward and back: over calls, into them and out of them. */

/** The outline of an execution in the result of `inspect_steps`. */
export interface Outline {
  readonly count: number;
  /** First step, frame, file (-1 without a source) and line of each statement. */
  readonly statements: readonly (readonly [first: number, frame: number, file: number, line: number])[];
  /** The number of internal functions around each statement in its frame. */
  readonly depths: readonly number[];
  readonly frames: readonly OutlineFrame[];
  readonly files: readonly { readonly name: string; readonly content?: string }[];
  readonly failedAt: number | null;
}

export interface OutlineFrame {
  readonly type: string;
  readonly depth: number;
  readonly address: string;
  /** The account whose storage the code uses. */
  readonly storageAddress: string;
  readonly contract: string | null;
}

/** A statement with a source, or the part of a statement after a call in it. */
export interface Stop {
  readonly step: number;
  readonly frame: number;
  /** The depth of the frame, and of the internal function in it. */
  readonly depth: number;
  readonly functions: number;
  readonly file: number;
  readonly line: number;
  /** True for the rest of a statement after a call in it has returned. */
  readonly isRest: boolean;
}

/** Negative if the first stop is in an outer function, 0 if both are equally deep. */
function compareDepths(one: Stop, other: Stop): number {
  return one.depth - other.depth || one.functions - other.functions;
}

/** Returns the stops of an execution, in the order of their steps. */
export function stopsOf({ statements, depths, frames }: Outline): Stop[] {
  const stops: Stop[] = [];
  /** The last stop of each running function, outermost first. */
  const running: Stop[] = [];
  for (const [index, [step, frame, file, line]] of statements.entries()) {
    if (file < 0) continue;
    const depth = frames[frame]?.depth ?? 0;
    // The function that a message calls is entered by a jump. Its entry and its end are outside this jump.
    const functions = Math.max(1, depths[index] ?? 0);
    const stop = { step, frame, depth, functions, file, line, isRest: false };
    let hasReturned = false;
    let last = running.at(-1);
    while (last !== undefined && compareDepths(last, stop) > 0) {
      running.pop();
      hasReturned = true;
      last = running.at(-1);
    }
    const isSame = last !== undefined && compareDepths(last, stop) === 0;
    const isRest = isSame && last?.line === line && last.file === file && last.frame === frame;
    // Code of the compiler, for example a check for overflow, interrupts a statement.
    if (isRest && !hasReturned) continue;
    if (isSame) running.pop();
    const made = { ...stop, isRest };
    running.push(made);
    stops.push(made);
  }
  return stops;
}

/** Returns the index of the last stop at or before a step; 0 if there is none. */
export function stopAt(stops: readonly Stop[], step: number): number {
  let [low, high] = [0, stops.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((stops[middle]?.step ?? 0) <= step) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

export type Direction = 1 | -1;

/** Returns the next index in a direction whose stop fits; otherwise the last one in this direction. */
function search(
  stops: readonly Stop[],
  from: number,
  by: Direction,
  fits: (stop: Stop, here: Stop) => boolean,
): number {
  const here = stops[from];
  if (here === undefined) return 0;
  for (let index = from + by; index >= 0 && index < stops.length; index += by) {
    const stop = stops[index];
    if (stop !== undefined && fits(stop, here)) return index;
  }
  return by === 1 ? stops.length - 1 : 0;
}

/** Moves to the next statement, in any function. */
export function stepInto(stops: readonly Stop[], from: number, by: Direction): number {
  return search(stops, from, by, () => true);
}

/** Moves to the next statement of this function, or of a function around it. */
export function stepOver(stops: readonly Stop[], from: number, by: Direction): number {
  return search(stops, from, by, (stop, here) => {
    const deeper = compareDepths(stop, here);
    return deeper < 0 || (deeper === 0 && !stop.isRest);
  });
}

/** Moves to the function around this one: after its end, or before its call. */
export function stepOut(stops: readonly Stop[], from: number, by: Direction): number {
  return search(stops, from, by, (stop, here) => compareDepths(stop, here) < 0);
}

/** Moves to the next stop on a breakpoint; otherwise to the failure if it follows, or to the end. */
export function runOn(
  stops: readonly Stop[],
  from: number,
  by: Direction,
  {
    isBreakpoint,
    failure,
  }: { readonly isBreakpoint: (stop: Stop) => boolean; readonly failure: number | null },
): number {
  return search(
    stops,
    from,
    by,
    (stop) => (!stop.isRest && isBreakpoint(stop)) || (by === 1 && stop === stops[failure ?? -1]),
  );
}
