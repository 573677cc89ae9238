import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gasPriceCap, nextMinimumGasPrice } from '../../src/protocol/fees.ts';

describe('nextMinimumGasPrice', () => {
  it.each([
    [0n, 0n, 0n],
    [0n, 5n, 1n],
    [5n, 0n, 4n],
    [100n, 200n, 101n],
    [199n, 1000n, 200n],
    [200n, 1000n, 202n],
    [60_000_000n, 120_000_000n, 60_600_000n],
    [60_000_000n, 0n, 59_400_000n],
    [60_000_000n, 60_600_000n, 60_600_000n],
    [60_000_000n, 59_999_999n, 59_999_999n],
  ])('after %s with target %s returns %s', (parent, target, expected) => {
    expect(nextMinimumGasPrice(parent, target)).toBe(expected);
  });

  it('changes by at most one percent or one wei and never passes the target', () => {
    const price = fc.bigInt({ min: 0n, max: 10n ** 20n });
    const isBounded = fc.property(price, price, (parent, target) => {
      const next = nextMinimumGasPrice(parent, target);
      const moved = next > parent ? next - parent : parent - next;
      expect(moved <= parent / 100n || moved === 1n).toBe(true);
      expect(moved > 0n).toBe(parent !== target);
      expect(target >= parent ? next >= parent && next <= target : next < parent && next >= target).toBe(
        true,
      );
    });
    fc.assert(isBounded);
  });
});

describe('gasPriceCap', () => {
  it('returns 80 times the minimum, or null if the minimum is 0', () => {
    expect(gasPriceCap(60_000_000n)).toBe(4_800_000_000n);
    expect(gasPriceCap(1n)).toBe(80n);
    expect(gasPriceCap(0n)).toBeNull();
  });
});
