import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bigIntToFixedBytes } from '../../src/primitives/bytes.ts';
import { ByteRows } from '../../src/primitives/off-heap.ts';

const SIZE = 32;

describe('ByteRows', () => {
  it('returns the last pushed bytes of each row after any pushes and truncations', () => {
    const steps = fc.array(fc.tuple(fc.nat({ max: 1_500 }), fc.nat({ max: 3_000 })), { maxLength: 6 });
    fc.assert(
      fc.property(steps, (given) => {
        const rows = new ByteRows(SIZE);
        const naive: bigint[] = [];
        let next = 1n;
        for (const [added, kept] of given) {
          for (let count = 0; count < added; count++) {
            expect(rows.push(bigIntToFixedBytes(next, SIZE))).toBe(naive.length);
            naive.push(next++);
          }
          rows.truncate(kept);
          naive.length = Math.min(kept, naive.length);
          expect(rows.length).toBe(naive.length);
          for (const [row, value] of naive.entries())
            if (row % 97 === 0 || row > naive.length - 3)
              expect(rows.at(row)).toEqual(bigIntToFixedBytes(value, SIZE));
          expect(() => rows.at(naive.length)).toThrow(RangeError);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('returns copies that do not change if a row is overwritten', () => {
    const rows = new ByteRows(SIZE);
    rows.push(bigIntToFixedBytes(1n, SIZE));
    const first = rows.at(0);
    rows.truncate(0);
    rows.push(bigIntToFixedBytes(2n, SIZE));
    expect(first).toEqual(bigIntToFixedBytes(1n, SIZE));
    expect(rows.at(0)).toEqual(bigIntToFixedBytes(2n, SIZE));
  });
});
