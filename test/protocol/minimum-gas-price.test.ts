import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gasPriceCap, nextMinimumGasPrice } from '../../src/protocol/fees.ts';

describe('the minimum gas price of the next block', () => {
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
  ])('is after %s on the way to %s: %s', (parent, target, expected) => {
    expect(nextMinimumGasPrice(parent, target)).toBe(expected);
  });

  it('never moves by more than one percent or one wei, and never past the target', () => {
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

describe('the highest gas price', () => {
  it('is 80 times the minimum, and any where the minimum is 0', () => {
    expect(gasPriceCap(60_000_000n)).toBe(4_800_000_000n);
    expect(gasPriceCap(1n)).toBe(80n);
    expect(gasPriceCap(0n)).toBeNull();
  });
});
