/** The tree of calls as a list of lines, of which a reader takes a page: a tree can have hundreds of thousands. */

import type { Task } from '../scheduling/task.ts';
import type { WorkPieces } from '../scheduling/work-pieces.ts';
import type { InspectedCall, InspectedConsole, InspectedEvent } from './inspection.ts';

/** A call, an event or a message, and its place in the tree. */
export interface CallLine {
  /** The place among all lines of the tree, a call before what is inside it; the outermost call is 0. */
  readonly index: number;
  /** The number of calls around it. */
  readonly depth: number;
  /** The number of lines inside it, at any depth: those that follow it. */
  readonly below: number;
  /** The number of calls that it made itself. */
  readonly calls: number;
  /** The calls before it inside the same call. */
  readonly callsBefore: number;
  /** The gas of those. */
  readonly gasBefore: bigint;
  readonly item: InspectedCall | InspectedEvent | InspectedConsole;
}

/** The page of the lines. */
export interface CallLinePage {
  /** The index of the first line that may be in it. */
  readonly first: number;
  readonly count: number;
  /** The least gas of a call that is listed, and then calls alone; `null` for all lines. */
  readonly leastGas: bigint | null;
}

/** Lines of a tree. */
export interface CallLines {
  /** The number of lines of the whole tree. */
  readonly count: number;
  readonly lines: readonly CallLine[];
  /** The index of the next line that would be listed; `null` at the end. */
  readonly next: number | null;
}

/** A line whose place is not known yet. */
type UnplacedLine = Omit<CallLine, 'index' | 'below'>;

/** Units of work for going over a line. */
const LINE_WORK = 64;

/** Returns the lines of a page, in pieces where the tree is large. */
export function* callLines(root: InspectedCall, page: CallLinePage, pieces: WorkPieces): Task<CallLines> {
  const all: { -readonly [Member in keyof CallLine]: CallLine[Member] }[] = [];
  /** The calls around the line that is looked at, by their indexes. */
  const around: number[] = [];
  const waiting: UnplacedLine[] = [
    { depth: 0, calls: callsIn(root), callsBefore: 0, gasBefore: 0n, item: root },
  ];
  const close = (depth: number): void => {
    while (around.length > depth) {
      const call = all[around.pop() ?? 0];
      if (call !== undefined) call.below = all.length - call.index - 1;
    }
  };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { depth, item } = next;
    close(depth);
    around.push(all.length);
    all.push({ ...next, index: all.length, below: 0 });
    // The last is put down first, so that the first is taken first.
    if (item.kind === 'call') for (const line of insideOf(item, depth + 1).reverse()) waiting.push(line);
    const turn = pieces.spend(LINE_WORK);
    if (turn !== undefined) yield turn;
  }
  close(0);
  return { count: all.length, ...pageOf(all, page) };
}

function callsIn(item: CallLine['item']): number {
  return item.kind === 'call' ? item.items.filter(({ kind }) => kind === 'call').length : 0;
}

function insideOf({ items }: InspectedCall, depth: number): UnplacedLine[] {
  let [callsBefore, gasBefore] = [0, 0n];
  return items.map((item) => {
    const line = { depth, calls: callsIn(item), callsBefore, gasBefore, item };
    if (item.kind === 'call') {
      callsBefore++;
      gasBefore += item.gasUsed;
    }
    return line;
  });
}

function pageOf(all: readonly CallLine[], page: CallLinePage): Omit<CallLines, 'count'> {
  const { first, count, leastGas } = page;
  const lines: CallLine[] = [];
  for (let index = first; index < all.length; index++) {
    const line = all[index];
    if (line === undefined) break;
    const isListed = leastGas === null || (line.item.kind === 'call' && line.item.gasUsed >= leastGas);
    if (!isListed) continue;
    if (lines.length === count) return { lines, next: index };
    lines.push(line);
  }
  return { lines, next: null };
}
