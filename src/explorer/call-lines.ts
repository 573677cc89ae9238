/** The lines of a call tree, loaded in pages: folding of calls, and bars of their gas. */

import type { CallLine, InspectedCall, Inspection } from './inspection.ts';

export interface LinePage {
  readonly first: number;
  readonly count: number;
  readonly leastGas?: string;
  readonly changes?: boolean;
}

/** Requests a page of the lines of one execution. */
export type ReadLines = (page: LinePage) => Promise<Inspection>;

/** Lines per request. */
export const LINES_AT_ONCE = 200;

/** The closed calls: line index to number of inner lines. */
export type ClosedCalls = ReadonlyMap<number, number>;

/** Returns the closed calls that are not inside another closed call, in order. */
function outermost(closed: ClosedCalls): (readonly [index: number, below: number])[] {
  let end = 0;
  return [...closed]
    .sort(([one], [other]) => one - other)
    .filter(([index, below]) => {
      if (index < end) return false;
      end = index + below + 1;
      return true;
    });
}

/** Returns the number of visible lines. */
export function shownLines(count: number, closed: ClosedCalls): number {
  return outermost(closed).reduce((left, [, below]) => left - below, count);
}

/** Returns a function from row to line index. */
export function lineInRow(closed: ClosedCalls): (row: number) => number {
  const hidden = outermost(closed);
  return (row) => {
    let index = row;
    for (const [call, below] of hidden) {
      if (index <= call) break;
      index += below;
    }
    return index;
  };
}

/** The gas of a call, or of adjacent calls that are too small to list. */
export interface GasBar {
  /** `null` for unlisted calls. */
  readonly line: CallLine | null;
  /** The number of calls in the bar. */
  readonly count: number;
  readonly depth: number;
  /** In gas. */
  readonly start: number;
  readonly gas: number;
}

/** A call whose inner calls are being processed. */
interface OpenCall {
  readonly line: CallLine;
  readonly start: number;
  /** Gas and number of the inner calls with bars so far. */
  gas: number;
  calls: number;
}

function gasOf(call: InspectedCall): number {
  return Number(BigInt(call.gasUsed));
}

/** Returns the bars of the calls, outermost first. `lines` are the calls above a minimum gas. */
export function gasBars(lines: readonly CallLine[]): GasBar[] {
  const bars: GasBar[] = [];
  const open: OpenCall[] = [];
  const top = lines[0]?.depth ?? 0;
  const addOthers = (parent: OpenCall, callsBefore: number, gasBefore: number): void => {
    const count = callsBefore - parent.calls;
    const depth = parent.line.depth - top + 1;
    if (count > 0)
      bars.push({ line: null, count, depth, start: parent.start + parent.gas, gas: gasBefore - parent.gas });
  };
  const close = (depth: number): void => {
    while (open.length > depth) {
      const ended = open.pop();
      if (ended?.line.item.kind !== 'call') continue;
      const inside = gasOf(ended.line.item) - Number(BigInt(ended.line.item.ownGas));
      addOthers(ended, ended.line.calls, inside);
    }
  };
  for (const line of lines) {
    if (line.item.kind !== 'call') continue;
    close(line.depth - top);
    const parent = open.at(-1);
    const before = parent === undefined ? 0 : Number(BigInt(line.gasBefore));
    const gas = gasOf(line.item);
    const start = (parent?.start ?? 0) + before;
    if (parent !== undefined) {
      addOthers(parent, line.callsBefore, before);
      parent.gas = before + gas;
      parent.calls = line.callsBefore + 1;
    }
    bars.push({ line, count: 1, depth: line.depth - top, start, gas });
    open.push({ line, start, gas: 0, calls: 0 });
  }
  close(0);
  return bars;
}
