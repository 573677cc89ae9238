import { describe, expect, it } from 'vitest';
import { gasBars, lineInRow, shownLines } from '../../src/explorer/call-lines.ts';
import type { CallLine, InspectedCall } from '../../src/explorer/inspection.ts';

/** A line of a call; only its gas matters. */
function line(index: number, depth: number, gas: number, ownGas: number, place: Partial<CallLine>): CallLine {
  const to = { address: `0x${'ab'.repeat(20)}`, name: null };
  const item: InspectedCall = {
    kind: 'call',
    type: 'CALL',
    from: to,
    to,
    call: null,
    meant: null,
    results: null,
    isGuess: false,
    implementation: null,
    value: '0x0',
    gas: '0xffff',
    gasUsed: `0x${gas.toString(16)}`,
    ownGas: `0x${ownGas.toString(16)}`,
    outcome: 'success',
    failure: null,
    input: '0x',
    output: '0x',
    hasCode: true,
  };
  return { index, depth, below: 0, calls: 0, callsBefore: 0, gasBefore: '0x0', item, ...place };
}

describe('closed calls', () => {
  const closed = new Map([
    [6, 2],
    [1, 3],
    [2, 1],
  ]);

  it('hide the lines inside them, and count nested lines once', () => {
    expect(shownLines(10, closed)).toBe(5);
    expect(shownLines(10, new Map())).toBe(10);
  });

  it('assign rows to the remaining lines', () => {
    expect(Array.from({ length: 5 }, (_, row) => lineInRow(closed)(row))).toEqual([0, 1, 5, 6, 9]);
    expect(lineInRow(new Map())(7)).toBe(7);
  });

  it('hide all lines if the outermost call is closed', () => {
    const all = new Map([[0, 9]]);
    expect(shownLines(10, all)).toBe(1);
    expect(lineInRow(all)(0)).toBe(0);
  });
});

describe('gas bars', () => {
  it('start inside the bar of their parent call; unlisted calls share one bar', () => {
    const lines = [
      line(0, 0, 1_000, 100, { calls: 7 }),
      // Two small calls with 50 gas in total are before it; two with 60 are after it.
      line(5, 1, 400, 150, { calls: 1, callsBefore: 2, gasBefore: '0x32' }),
      line(6, 2, 250, 250, {}),
      line(12, 1, 390, 90, { calls: 3, callsBefore: 5, gasBefore: '0x1fe' }),
    ];
    const bars = gasBars(lines).map(({ line: shown, count, depth, start, gas }) => [
      shown?.index ?? null,
      count,
      depth,
      start,
      gas,
    ]);
    expect(bars).toEqual([
      [0, 1, 0, 0, 1_000],
      [null, 2, 1, 0, 50],
      [5, 1, 1, 50, 400],
      [6, 1, 2, 50, 250],
      [null, 2, 1, 450, 60],
      [12, 1, 1, 510, 390],
      [null, 3, 2, 510, 300],
      [null, 1, 1, 900, 0],
    ]);
  });

  it('use the whole width for a nested call', () => {
    const bars = gasBars([line(5, 3, 400, 400, { callsBefore: 2, gasBefore: '0x32' })]);
    expect(bars).toEqual([
      { line: expect.objectContaining({ index: 5 }), count: 1, depth: 0, start: 0, gas: 400 },
    ]);
  });

  it('are empty without lines', () => {
    expect(gasBars([])).toEqual([]);
  });
});
