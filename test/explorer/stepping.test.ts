import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Outline,
  runOn,
  stepInto,
  stepOut,
  stepOver,
  stopAt,
  stopsOf,
} from '../../src/explorer/views/debug/stepping.ts';

/** A statement: the frame, the functions around it, and the line; -1 for steps without a source. */
type Line = readonly [frame: number, functions: number, line: number];

/** Returns an outline with ten steps per statement. `depths` are the depths of the frames. */
function outlineOf(lines: readonly Line[], depths: readonly number[] = [0, 1]): Outline {
  return {
    count: lines.length * 10,
    statements: lines.map(([frame, , line], index) => [index * 10, frame, line < 0 ? -1 : 0, line]),
    depths: lines.map(([, functions]) => functions),
    frames: depths.map((depth) => ({
      type: 'CALL',
      depth,
      address: '0x',
      storageAddress: '0x',
      contract: null,
    })),
    files: [{ name: 'A.sol' }],
    failedAt: null,
  };
}

/** `run` (lines 1 to 3) calls an internal function (10, 11) on line 2, which calls another contract (20). */
const CALLS = outlineOf([
  [0, 0, 1],
  [0, 1, 2],
  [0, 2, 10],
  [0, 2, 11],
  [1, 0, -1],
  [1, 1, 20],
  [0, 2, 11],
  [0, 1, 2],
  [0, 1, 3],
]);

describe('stopsOf', () => {
  it('omits steps without a source, and marks the rest of a statement after its call', () => {
    expect(stopsOf(CALLS).map(({ step, line, isRest }) => [step, line, isRest])).toEqual([
      [0, 1, false],
      [10, 2, false],
      [20, 10, false],
      [30, 11, false],
      [50, 20, false],
      [60, 11, true],
      [70, 2, true],
      [80, 3, false],
    ]);
  });

  it('ignores code of the compiler within a statement', () => {
    const checked = outlineOf([
      [0, 1, 1],
      [0, 2, -1],
      [0, 1, 1],
      [0, 1, 2],
    ]);
    expect(stopsOf(checked).map(({ step, line }) => [step, line])).toEqual([
      [0, 1],
      [30, 2],
    ]);
  });

  it('marks no rest if another call of the same function runs the line', () => {
    const twice = outlineOf([
      [0, 1, 1],
      [0, 2, 10],
      [0, 1, 2],
      [0, 2, 10],
    ]);
    expect(stopsOf(twice).map(({ isRest }) => isRest)).toEqual([false, false, false, false]);
  });

  it('puts the entry of a called function and its body at the same depth', () => {
    const [entry, body] = stopsOf(CALLS);
    expect(entry?.functions).toBe(body?.functions);
  });
});

describe('steps', () => {
  const stops = stopsOf(CALLS);
  const lineAt = (index: number): string => `${stops[index]?.line}${stops[index]?.isRest ? ' rest' : ''}`;
  /** Follows a movement until it stays; returns the lines. */
  const walk = (from: number, next: (index: number) => number): string[] => {
    const lines = [];
    for (let index = next(from), last = from; index !== last; last = index, index = next(index))
      lines.push(lineAt(index));
    return lines;
  };

  it('into visits every stop, forward and back', () => {
    expect(walk(0, (index) => stepInto(stops, index, 1))).toEqual([
      '2',
      '10',
      '11',
      '20',
      '11 rest',
      '2 rest',
      '3',
    ]);
    expect(walk(7, (index) => stepInto(stops, index, -1))).toEqual([
      '2 rest',
      '11 rest',
      '20',
      '11',
      '10',
      '2',
      '1',
    ]);
  });

  it('over skips calls, forward and back', () => {
    expect(walk(0, (index) => stepOver(stops, index, 1))).toEqual(['2', '3']);
    expect(walk(7, (index) => stepOver(stops, index, -1))).toEqual(['2', '1']);
    expect(walk(2, (index) => stepOver(stops, index, 1))).toEqual(['11', '2 rest', '3']);
  });

  it('out leaves the function at its end, and back at its call', () => {
    expect(walk(4, (index) => stepOut(stops, index, 1))).toEqual(['11 rest', '2 rest', '3']);
    expect(walk(4, (index) => stepOut(stops, index, -1))).toEqual(['11', '2', '1']);
  });

  it('run stops at breakpoints, but not at the rest of their statement', () => {
    const isBreakpoint = ({ line }: { line: number }): boolean => line === 11 || line === 2;
    const options = { isBreakpoint, failure: null };
    expect(walk(0, (index) => runOn(stops, index, 1, options))).toEqual(['2', '11', '3']);
    expect(walk(7, (index) => runOn(stops, index, -1, options))).toEqual(['11', '2', '1']);
  });

  it('run stops at the failure, and only runs past it from there', () => {
    const options = { isBreakpoint: () => false, failure: 4 };
    expect(walk(0, (index) => runOn(stops, index, 1, options))).toEqual(['20', '3']);
    expect(walk(7, (index) => runOn(stops, index, -1, options))).toEqual(['1']);
  });

  it('finds the stop of a step between two stops', () => {
    expect([0, 9, 10, 45, 999].map((step) => lineAt(stopAt(stops, step)))).toEqual([
      '1',
      '1',
      '2',
      '11',
      '3',
    ]);
    expect(stopAt([], 5)).toBe(0);
  });

  it('back into undoes into, and over never enters a deeper function, in random executions', () => {
    const moves = fc.array(fc.tuple(fc.integer({ min: -1, max: 1 }), fc.nat(3)), { maxLength: 60 });
    fc.assert(
      fc.property(moves, (changes) => {
        let functions = 1;
        const lines = changes.map(([change, line]): Line => {
          functions = Math.max(1, functions + change);
          return [0, functions, functions * 100 + line];
        });
        const all = stopsOf(outlineOf(lines));
        for (const [index, { functions: depth }] of all.entries()) {
          if (index + 1 < all.length) expect(stepInto(all, stepInto(all, index, 1), -1)).toBe(index);
          for (const by of [1, -1] as const) {
            const end = by === 1 ? all.length - 1 : 0;
            const [over, out] = [stepOver(all, index, by), stepOut(all, index, by)];
            if (over !== end) expect(all[over]?.functions).toBeLessThanOrEqual(depth);
            if (out !== end) expect(all[out]?.functions).toBeLessThan(depth);
          }
        }
      }),
    );
  });
});
