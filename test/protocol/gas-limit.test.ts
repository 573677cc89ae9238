import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextGasLimit, sequentialGas } from '../../src/chain/settings/block-settings.ts';

const TARGET = 7_500_000n;

describe('nextGasLimit', () => {
  it('returns 9,990,235 after 10,000,000, as on the local Rootstock network', () => {
    expect(nextGasLimit(10_000_000n, TARGET)).toBe(9_990_235n);
  });

  it('reaches the target after 295 blocks and then keeps it', () => {
    let gasLimit = 10_000_000n;
    let blocks = 0;
    while (gasLimit !== TARGET) {
      gasLimit = nextGasLimit(gasLimit, TARGET);
      blocks++;
    }
    expect(blocks).toBe(295);
    expect(nextGasLimit(TARGET, TARGET)).toBe(TARGET);
  });

  it('rises to a higher target', () => {
    expect(nextGasLimit(6_800_000n, TARGET)).toBe(6_806_640n);
    expect(nextGasLimit(TARGET - 1n, TARGET)).toBe(TARGET);
  });

  it('never falls below 3,000,000', () => {
    expect(nextGasLimit(3_000_001n, 21_000n)).toBe(3_000_000n);
    expect(nextGasLimit(3_000_000n, 21_000n)).toBe(3_000_000n);
  });

  it('changes by at most 1/1024 and never passes the target', () => {
    const gas = fc.bigInt({ min: 3_000_000n, max: 10n ** 12n });
    const isBounded = fc.property(gas, gas, (parent, target) => {
      const next = nextGasLimit(parent, target);
      const moved = next > parent ? next - parent : parent - next;
      expect(moved).toBeLessThanOrEqual(parent / 1024n);
      expect(next >= parent).toBe(target >= parent);
      expect(target >= parent ? next <= target : next >= target).toBe(true);
    });
    fc.assert(isBounded);
  });
});

describe('sequentialGas', () => {
  it.each([
    [6_000_000n, 6_000_000n],
    [6_800_000n, 6_800_000n],
    [6_800_001n, 6_800_001n],
    [7_500_000n, 6_800_000n],
    [9_990_235n, 6_800_001n],
    [10_000_000n, 6_800_000n],
    [20_399_999n, 6_800_001n],
    [20_400_000n, 6_800_000n],
    [30_000_000n, 10_000_000n],
    [30_000_001n, 10_000_001n],
  ])('for a block gas limit of %s returns %s', (gasLimit, expected) => {
    expect(sequentialGas(gasLimit)).toBe(expected);
  });
});
