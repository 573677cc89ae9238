import { describe, expect, it } from 'vitest';
import { type BundleRange, dueState, firstDueBlock } from '../../../src/chain/pool/bundles.ts';

const RANGE: BundleRange = { firstBlock: 10, lastBlock: 20, minTimestamp: null, maxTimestamp: null };
const SERIES = { number: 1, timestamp: 100, interval: 10 };

const RANGES: readonly Partial<BundleRange>[] = [
  {},
  { firstBlock: 1 },
  { firstBlock: 0, lastBlock: 0 },
  { minTimestamp: 90 },
  { minTimestamp: 195 },
  { minTimestamp: 200 },
  { minTimestamp: 250 },
  { minTimestamp: 291 },
  { maxTimestamp: 189 },
  { maxTimestamp: 190 },
  { minTimestamp: 221, maxTimestamp: 229 },
];

describe('firstDueBlock', () => {
  it.each(RANGES)('returns the first block that can include a bundle (%o)', (fields) => {
    const range = { ...RANGE, ...fields };
    const numbers = Array.from({ length: 30 }, (_, index) => SERIES.number + index);
    const first = numbers.find((number) => dueState(range, number, 90 + 10 * number) === 'due');
    expect(firstDueBlock(range, SERIES)).toBe(first ?? Number.POSITIVE_INFINITY);
  });
});
