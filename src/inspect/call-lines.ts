/** Lists the tree of calls as lines, to read page by page. It can have hundreds of thousands of lines. */

import type { Steps } from '../primitives/steps.ts';
import type { InspectedCall, InspectedConsole, InspectedEvent } from './inspection.ts';

/** A call, an event or a message, with its position in the tree. */
export interface CallLine {
  /** Index among all lines of the tree, in depth-first order; 0 is the outermost call. */
  readonly index: number;
  /** The number of calls around it. */
  readonly depth: number;
  /** The number of lines inside it, at any depth. They follow directly. */
  readonly below: number;
  /** The number of its direct inner calls. */
  readonly calls: number;
  /** The number of earlier calls within the same call. */
  readonly callsBefore: number;
  /** The gas of these earlier calls. */
  readonly gasBefore: bigint;
  readonly item: InspectedCall | InspectedEvent | InspectedConsole;
}

export interface CallLinePage {
  /** Index of the first line to list. */
  readonly first: number;
  readonly count: number;
  /** Minimum gas of a listed call. If set, only calls are listed; `null` lists all lines. */
  readonly leastGas: bigint | null;
}

export interface CallLines {
  /** The number of lines of the whole tree. */
  readonly count: number;
  readonly lines: readonly CallLine[];
  /** Index of the next matching line; `null` at the end. */
  readonly next: number | null;
}

/** A line whose index is not yet known. */
type UnplacedLine = Omit<CallLine, 'index' | 'below'>;

/** Units of work per line. */
const LINE_WORK = 64;

/** Returns the lines of a page. Yields between time slices. */
export function* callLines(root: InspectedCall, page: CallLinePage): Steps<CallLines> {
  const all: { -readonly [Member in keyof CallLine]: CallLine[Member] }[] = [];
  /** The indexes of the calls around the current line. */
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
    // Push in reverse order, so that the first is popped first.
    if (item.kind === 'call') for (const line of insideOf(item, depth + 1).reverse()) waiting.push(line);
    yield LINE_WORK;
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
