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

export const MAIN: Sizes = { block: 12, empty: 44, height: 22 };
export const BRANCH: Sizes = { block: 7, empty: 30, height: 16 };
/** Height of a side track in pixels, and maximum tracks per block number. */
export const SIDE = 5;
const MAX_TRACKS = 2;
/** Pixels from the top to the axis. The side tracks are between the blocks and the axis. */
export const AXIS = MAIN.height + 2 + MAX_TRACKS * SIDE;
/** Height of the timeline with its axis, in pixels. */
export const HEIGHT = AXIS + 11;

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

/** A lane of the list below the timeline: its newest blocks. */
export interface LaneRow {
  readonly lane: Lane;
  readonly places: readonly Positioned[];
  /** The width of its blocks in pixels. */
  readonly width: number;
  /** True if the lane has older blocks of its own. */
  readonly isCut: boolean;
}

/** Maximum width of the blocks of a lane, in pixels. */
const MAX_LANE_WIDTH = 70;

/** Returns the newest blocks of a lane that fit. */
export function laneRow(lane: Lane): LaneRow {
  let width = 0;
  const cells = lane.cells.filter(({ kind }) => {
    width += BRANCH[kind];
    return width <= MAX_LANE_WIDTH;
  });
  const { places, end } = placed(cells, BRANCH);
  return { lane, places, width: end, isCut: lane.isCut || cells.length < lane.cells.length };
}

/** A label of the axis, at the left end of a block. */
export interface AxisLabel {
  readonly x: number;
  readonly end: number;
  readonly text: string;
}

/** Blocks between two labels. */
const LABEL_STEP = 5;
/** Pixels per digit of a label, and minimum pixels between two labels. */
const DIGIT = 5.6;
const LABEL_GAP = 8;

/**
 * Returns the labels of the axis: each fifth block number, and the first number of each run of empty blocks. If
 * there are none, it returns the first block number.
 */
export function axisLabels(places: readonly Positioned[]): AxisLabel[] {
  const labels: AxisLabel[] = [];
  let free = 0;
  const hasStep = places.some(({ cell }) => cell.kind === 'empty' || firstOf(cell) % LABEL_STEP === 0);
  for (const [index, { cell, x }] of places.entries()) {
    const number = firstOf(cell);
    const isLabelled = hasStep ? cell.kind === 'empty' || number % LABEL_STEP === 0 : index === 0;
    if (!isLabelled || x < free) continue;
    const text = blockText(number);
    const end = x + text.length * DIGIT + LABEL_GAP;
    labels.push({ x, end, text });
    free = end;
  }
  return labels;
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
