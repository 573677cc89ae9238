import { describe, expect, it } from 'vitest';
import {
  axisLabels,
  type BlockCell,
  BRANCH,
  type Cell,
  heightOf,
  type Lane,
  laneRow,
  MAIN,
  placed,
  placeOf,
  type SideCell,
  sidePlaces,
  titleOf,
} from '../../src/explorer/parts/timeline/line.ts';

const hex = (number: number): string => `0x${number.toString(16)}`;

function block(number: number, fields: Partial<BlockCell> = {}): BlockCell {
  const own = { number: hex(number), hash: `0xa${number}`, parentHash: `0xa${number - 1}` };
  const counts = { gasUsed: '0x0', gasLimit: '0x64', transactions: 0, failed: 0 };
  return { kind: 'block', ...own, timestamp: '0x0', ...counts, ...fields };
}

const empty = (first: number, last: number): Cell => ({
  kind: 'empty',
  first: hex(first),
  last: hex(last),
  firstTimestamp: '0x0',
  lastTimestamp: '0x1',
});

/** Blocks 0, 1, 2 to 9 and 10, newest first. */
const CELLS: readonly Cell[] = [block(10), empty(2, 9), block(1), block(0)];
const { places: LINE, end: END } = placed(CELLS, MAIN);

function beside(number: number, name: string, parentHash: string): SideCell {
  return { ...block(number, { hash: name, parentHash }), reason: 'lost' };
}

describe('the timeline', () => {
  it('shows the oldest block first, and a run of empty blocks as one cell', () => {
    const { block: width, empty: wide } = MAIN;
    expect(LINE.map(({ x, width: own }) => [x, own])).toEqual([
      [0, width],
      [width, width],
      [2 * width, wide],
      [2 * width + wide, width],
    ]);
    expect(END).toBe(3 * width + wide);
    expect([1, 2, 9, 10].map((number) => placeOf(LINE, number)?.x)).toEqual([
      width,
      2 * width,
      2 * width,
      2 * width + wide,
    ]);
    expect(placeOf(LINE, 11)).toBeUndefined();
  });

  it('places side blocks below the blocks of their height, connected to their parents', () => {
    const side = [beside(1, 'b1', '0xa0'), beside(2, 'b2', 'b1'), beside(1, 'c1', '0xa0')];
    const found = sidePlaces(side, LINE);
    expect(found.map(({ cell, x, track, from }) => [cell.hash, x, track, from])).toEqual([
      ['b1', MAIN.block, 0, { x: MAIN.block / 2, track: null }],
      ['c1', MAIN.block, 1, { x: MAIN.block / 2, track: null }],
      ['b2', 2 * MAIN.block, 0, { x: 2 * MAIN.block, track: 0 }],
    ]);
  });

  it('places side blocks above the head after the newest block', () => {
    const side = [beside(11, 'b11', '0xa10'), beside(12, 'b12', 'b11')];
    const newest = LINE.at(-1)?.x ?? 0;
    expect(sidePlaces(side, LINE).map(({ x }) => x)).toEqual([newest + MAIN.block, newest + 2 * MAIN.block]);
    expect(sidePlaces(side, [])).toEqual([]);
  });

  it('draws up to two side blocks per height and omits the others', () => {
    const side = ['b', 'c', 'd', 'e'].map((name) => beside(1, name, '0xa0'));
    expect(sidePlaces(side, LINE).map(({ track }) => track)).toEqual([0, 1]);
  });

  it('shows the newest blocks of a lane that fit', () => {
    const lane = (cells: readonly Cell[]): Lane => ({
      key: 'a',
      from: null,
      sharedBlock: '0x1',
      blockNumber: '0x2',
      cells,
      isCut: false,
    });
    const short = laneRow(lane([block(3), block(2)]));
    expect(short).toMatchObject({ width: 2 * BRANCH.block, isCut: false });
    const long = laneRow(lane(Array.from({ length: 20 }, (_, index) => block(21 - index))));
    expect(long).toMatchObject({ width: 10 * BRANCH.block, isCut: true });
    expect(long.places.at(-1)?.cell).toEqual(block(21));
  });

  it('labels each fifth block and the first of a run of empty blocks, if there is space', () => {
    const cells = [empty(1_012, 1_020), ...Array.from({ length: 12 }, (_, index) => block(1_011 - index))];
    const { places } = placed(cells, MAIN);
    const labels = axisLabels(places);
    expect(labels.map(({ x, text }) => [x, text])).toEqual([
      [0, '#1,000'],
      [5 * MAIN.block, '#1,005'],
      [10 * MAIN.block, '#1,010'],
    ]);
    for (const [index, { x }] of labels.entries())
      expect(x).toBeGreaterThanOrEqual(labels[index - 1]?.end ?? 0);
    expect(axisLabels(LINE).map(({ text }) => text)).toEqual(['#0', '#2', '#10']);
    expect(axisLabels(placed([block(8), block(7)], MAIN).places).map(({ text }) => text)).toEqual(['#7']);
    expect(axisLabels([])).toEqual([]);
  });

  it('titles a cell and shows its gas', () => {
    expect(titleOf(empty(2, 9))).toMatch(/^8 empty blocks, #2 to #9, /);
    const cell = block(3, { transactions: 1, failed: 1, gasUsed: '0x64' });
    expect(titleOf(cell)).toMatch(/^Block #3: 1 transaction, 1 failed, 100 gas, /);
    expect([heightOf(block(1), 100, MAIN), heightOf(cell, 100, MAIN), heightOf(cell, 400, MAIN)]).toEqual([
      3,
      MAIN.height - 2,
      6 + (MAIN.height - 8) / 2,
    ]);
  });
});
