/** The items of the timeline and their positions. */

import { absoluteTime, blockText, counted, grouped, numberOf } from '../../format.ts';

/** One block in the result of `inspect_timeline`. */
export interface BlockCell {
  readonly kind: 'block';
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly gasUsed: string;
  readonly gasLimit: string;
  readonly transactions: number;
  readonly failed: number;
}

/** A run of blocks without transactions. */
export interface EmptyCell {
  readonly kind: 'empty';
  readonly first: string;
  readonly last: string;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
}

export type Cell = BlockCell | EmptyCell;

export type SideCell = BlockCell & { readonly reason: 'lost' | 'removed' };

/** A part of a chain's timeline, newest first. */
export interface Line {
  readonly cells: readonly Cell[];
  readonly next: string | null;
  readonly side: readonly SideCell[];
}

/** Another chain of the node in the result of `inspect_lanes`. The key is `null` for the base chain. */
export interface Lane {
  readonly key: string | null;
  readonly from: string | null;
  readonly sharedBlock: string | null;
  readonly blockNumber: string;
  readonly cells: readonly Cell[];
  readonly isCut: boolean;
}

export interface Snapshot {
  readonly id: string;
  readonly blockNumber: string;
}

/** Sizes of one kind of row, in pixels. */
export interface Sizes {
  readonly block: number;
  readonly empty: number;
  readonly height: number;
}

export const MAIN: Sizes = { block: 12, empty: 44, height: 44 };
export const BRANCH: Sizes = { block: 9, empty: 36, height: 18 };
/** Pixels from one lane to the next. */
export const ROW = 26;
/** Height of a side track in pixels, and maximum tracks per block number. */
export const SIDE = 9;
const MAX_TRACKS = 3;
const LABEL = 232;

export interface Positioned {
  readonly cell: Cell;
  readonly x: number;
  readonly width: number;
}

export function lastOf(cell: Cell): number {
  return numberOf(cell.kind === 'block' ? cell.number : cell.last);
}

export function firstOf(cell: Cell): number {
  return numberOf(cell.kind === 'block' ? cell.number : cell.first);
}

/** Returns the positions of cells from `start`. The input is newest first, the result oldest first. */
export function placed(
  cells: readonly Cell[],
  sizes: Sizes,
  start = 0,
): { readonly places: readonly Positioned[]; readonly end: number } {
  let x = start;
  const places: Positioned[] = [];
  for (const cell of [...cells].reverse()) {
    const width = cell.kind === 'block' ? sizes.block : sizes.empty;
    places.push({ cell, x, width });
    x += width;
  }
  return { places, end: x };
}

/** Returns the position of a block; `undefined` if it is not loaded. */
export function placeOf(places: readonly Positioned[], number: number): Positioned | undefined {
  return places.find(({ cell }) => firstOf(cell) <= number && number <= lastOf(cell));
}

/** A lane as drawn: a line from its fork block, and its own blocks. */
export interface LaneRow {
  readonly lane: Lane;
  readonly y: number;
  readonly places: readonly Positioned[];
  readonly end: number;
  /** The start of its line. */
  readonly fork: { readonly x: number; readonly y: number };
}

/** Returns the rows of lanes below the main line, from `top`. `own` is the key of the main line's chain. */
export function laneRows(
  lanes: readonly Lane[],
  own: string | null,
  main: readonly Positioned[],
  top: number,
): LaneRow[] {
  const rows: LaneRow[] = [];
  for (const [index, lane] of lanes.entries()) {
    const y = top + index * ROW;
    const parent = rows.find((row) => row.lane.key === lane.from);
    const isOfMain = lane.from === own || parent === undefined;
    const shared = lane.sharedBlock === null ? null : numberOf(lane.sharedBlock);
    const found = shared === null ? undefined : placeOf(isOfMain ? main : parent.places, shared);
    const x = found === undefined ? (isOfMain ? 0 : parent.end) : found.x + found.width;
    const forkY = isOfMain ? MAIN.height : parent.y + BRANCH.height;
    const { places, end } = placed(lane.cells, BRANCH, x + BRANCH.block);
    rows.push({ lane, y, places, end, fork: { x: x - 3, y: forkY } });
  }
  return rows;
}

/** Returns the total width in pixels, with the labels after the rows. */
export function widthOf(rows: readonly LaneRow[], end: number): number {
  return Math.max(end, ...rows.map((row) => row.end + LABEL));
}

/** A block of a side track. Tracks at the same block number are below one another, newest first. */
export interface SidePlace {
  readonly cell: SideCell;
  readonly x: number;
  readonly track: number;
  /** The right end of its parent block, in the main line or in its own track. */
  readonly from: { readonly x: number; readonly track: number | null } | null;
}

/** Returns the positions of the side blocks. Blocks beyond the maximum tracks are left out. */
export function sidePlaces(side: readonly SideCell[], main: readonly Positioned[]): SidePlace[] {
  const newest = main.at(-1);
  if (newest === undefined) return [];
  const taken = new Map<number, number>();
  const found = new Map<string, SidePlace>();
  for (const cell of [...side].sort((one, other) => numberOf(one.number) - numberOf(other.number))) {
    const number = numberOf(cell.number);
    const below = found.get(cell.parentHash);
    const track = below?.track ?? taken.get(number) ?? 0;
    taken.set(number, Math.max(taken.get(number) ?? 0, track + 1));
    if (track >= MAX_TRACKS) continue;
    const beyond = number - lastOf(newest.cell);
    const x = beyond > 0 ? newest.x + beyond * MAIN.block : placeOf(main, number)?.x;
    if (x === undefined) continue;
    const parent = placeOf(main, number - 1);
    const from =
      below === undefined
        ? parent === undefined
          ? null
          : { x: parent.x + parent.width / 2, track: null }
        : { x: below.x + MAIN.block, track: below.track };
    found.set(cell.hash, { cell, x, track, from });
  }
  return [...found.values()];
}

export function titleOf(cell: Cell): string {
  if (cell.kind === 'empty') {
    const count = lastOf(cell) - firstOf(cell) + 1;
    return `${counted(count, 'empty block')}, ${blockText(firstOf(cell))} to ${blockText(lastOf(cell))}, ${absoluteTime(numberOf(cell.firstTimestamp))}`;
  }
  const failed = cell.failed === 0 ? '' : `, ${grouped(cell.failed)} failed`;
  return `Block ${blockText(numberOf(cell.number))}: ${counted(cell.transactions, 'transaction')}${failed}, ${grouped(BigInt(cell.gasUsed))} gas, ${absoluteTime(numberOf(cell.timestamp))}`;
}

/**
 * Returns the height of a block's cell: its gas relative to the maximum, on a square-root scale, so that
 * small blocks stay visible.
 */
export function heightOf(cell: BlockCell, most: number, { height }: Sizes): number {
  const gas = numberOf(cell.gasUsed);
  return gas === 0 ? 3 : 6 + (height - 8) * Math.sqrt(Math.min(1, gas / most));
}
