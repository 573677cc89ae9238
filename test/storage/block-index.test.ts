import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FullHistory } from '../../src/history/full-history.ts';
import { bigIntToFixedBytes } from '../../src/primitives/bytes.ts';
import type { WorldState } from '../../src/state/world-state.ts';
import { BlockIndex, type BlockSummary } from '../../src/storage/block-index.ts';
import type { EmptyBlockRange } from '../../src/storage/empty-block-range.ts';
import { GENESIS, rangeOf, stateOf } from './samples.ts';

const STATE = stateOf(7);

function summaryOf(number: number): BlockSummary {
  const logsBloom = number % 3 === 0 ? bigIntToFixedBytes(BigInt(number + 1), 256) : null;
  return { hash: bigIntToFixedBytes(BigInt(number), 32), logsBloom };
}

function stateOfEntry(entry: BlockSummary | EmptyBlockRange): WorldState {
  return 'hash' in entry ? GENESIS.state : entry.state;
}

/** Lengths of the entries in the index: 1 for a block, and more for a range of one block less. */
const lengths = fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 50 })), { maxLength: 20 });

function lineOf(given: readonly number[]): { line: BlockIndex; naive: (BlockSummary | EmptyBlockRange)[] } {
  const line = new BlockIndex(0, new FullHistory());
  const naive: (BlockSummary | EmptyBlockRange)[] = [];
  for (const length of [1, ...given]) {
    const number = naive.length;
    const entry = length === 1 ? summaryOf(number) : rangeOf(number, number + length - 2, { state: STATE });
    line.push(entry, stateOfEntry(entry));
    for (let count = 0; count < Math.max(1, length - 1); count++) naive.push(entry);
  }
  return { line, naive };
}

function expectSame(line: BlockIndex, naive: readonly (BlockSummary | EmptyBlockRange)[]): void {
  for (const [number, entry] of naive.entries()) {
    const place = line.placeOf(number);
    expect(line.numberAt(place)).toBe(naive.indexOf(entry));
    expect(line.rangeAt(number)).toBe('hash' in entry ? undefined : entry);
    const hash = 'hash' in entry ? entry.hash : entry.hashOf(number);
    const logsBloom = 'hash' in entry ? entry.logsBloom : null;
    expect(line.summary(number)).toEqual({ hash, logsBloom });
    expect(line.state(number)).toBe(stateOfEntry(entry));
  }
  expect(line.length).toBe(new Set(naive).size);
  expect(line.placeOf(naive.length)).toBe(line.length);
  expect(line.summary(naive.length)).toBeUndefined();
  expect(line.summary(-1)).toBeUndefined();
  expect(line.rangeAt(naive.length)).toBeUndefined();
}

describe('BlockIndex', () => {
  it('finds each block by its number', () => {
    fc.assert(
      fc.property(lengths, (given) => {
        const { line, naive } = lineOf(given);
        expectSame(line, naive);
      }),
      { numRuns: 30 },
    );
  });

  it('a truncated index is the same as an index that never had the later entries', () => {
    fc.assert(
      fc.property(lengths, fc.nat({ max: 21 }), (given, cut) => {
        const { line, naive } = lineOf(given);
        const entries = Array.from(new Set(naive)).slice(0, cut);
        line.truncate(Math.min(cut, line.length));
        const left = naive.filter((entry) => entries.includes(entry));
        expectSame(line, left);
        // The earlier block with this number must not affect the new one.
        const other = { hash: bigIntToFixedBytes(99n, 32), logsBloom: bigIntToFixedBytes(98n, 256) };
        line.push(other, GENESIS.state);
        expectSame(line, [...left, other]);
      }),
      { numRuns: 30 },
    );
  });

  it('replaces the state after a block, but not after a block of a range', () => {
    const { line } = lineOf([5, 1]);
    line.replaceState(5, STATE);
    expect(line.summary(5)).toEqual(summaryOf(5));
    expect(line.state(5)).toBe(STATE);
    expect(() => line.replaceState(2, STATE)).toThrow(RangeError);
    expect(() => line.replaceState(6, STATE)).toThrow(RangeError);
  });
});
