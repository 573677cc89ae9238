import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GasStatistics, type GasSummary } from '../../../src/reports/gas/gas-statistics.ts';

function counted(amounts: readonly number[]): GasStatistics {
  const statistics = new GasStatistics();
  for (const gas of amounts) statistics.add(BigInt(gas), gas % 2 === 1);
  return statistics;
}

function rounded(value: number): bigint {
  return BigInt(Math.floor(value + 0.5));
}

/** The same figures, computed from a sorted list. */
function plainSummary(amounts: readonly number[]): GasSummary {
  const sorted = [...amounts].sort((left, right) => left - right);
  const [lower = 0, upper = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  const total = sorted.reduce((sum, gas) => sum + gas, 0);
  return {
    calls: sorted.length,
    reverted: sorted.filter((gas) => gas % 2 === 1).length,
    total: BigInt(total),
    min: BigInt(sorted[0] ?? 0),
    average: rounded(total / sorted.length),
    median: rounded((lower + upper) / 2),
    max: BigInt(sorted.at(-1) ?? 0),
    isMedianExact: true,
  };
}

const AMOUNTS = fc.array(fc.oneof(fc.nat(60), fc.nat(30_000_000)), { minLength: 1, maxLength: 300 });

describe('gas statistics', () => {
  it('the statistics equal the statistics of the sorted list', () => {
    fc.assert(
      fc.property(AMOUNTS, (amounts) => {
        expect(counted(amounts).summary()).toEqual(plainSummary(amounts));
      }),
    );
  });

  it('merged statistics of separate parts are the same as statistics of the whole', () => {
    fc.assert(
      fc.property(fc.array(AMOUNTS, { minLength: 1, maxLength: 5 }), (parts) => {
        const together = new GasStatistics();
        for (const part of parts) together.merge(counted(part));
        expect(together.summary()).toEqual(plainSummary(parts.flat()));
      }),
    );
  });

  it('a million different amounts have an approximate median within 0.2 %', () => {
    const statistics = new GasStatistics();
    const amounts = Array.from({ length: 1_000_000 }, (_, index) => 21_000 + ((index * 7_919) % 9_999_991));
    for (const gas of amounts) statistics.add(BigInt(gas), gas % 2 === 1);
    const summary = statistics.summary();
    const { median, ...exact } = plainSummary(amounts);
    expect(summary).toMatchObject({ ...exact, isMedianExact: false });
    expect(Math.abs(Number(summary?.median) / Number(median) - 1)).toBeLessThan(0.002);
    // The state stays small: one count per step.
    expect(statistics.size).toBeLessThan(5_000);
  });

  it.each([
    [1_024, true],
    [1_025, false],
  ])('%i different amounts have an exact median: %s', (count, isExact) => {
    const summary = counted(Array.from({ length: count }, (_, index) => 3 * index)).summary();
    expect(summary?.isMedianExact).toBe(isExact);
  });

  it('merged statistics are approximate if one of the parts is', () => {
    const many = Array.from({ length: 9_000 }, (_, index) => 21_000 + 31 * index);
    const few = [21_000, 21_001, 50_000];
    for (const parts of [
      [few, many],
      [many, few],
    ]) {
      const together = new GasStatistics();
      for (const part of parts) together.merge(counted(part));
      const { median, ...exact } = plainSummary(parts.flat());
      expect(together.summary()).toMatchObject({ ...exact, isMedianExact: false });
      expect(Math.abs(Number(together.summary()?.median) / Number(median) - 1)).toBeLessThan(0.002);
      expect(together.size).toBe(counted(many).size);
    }
  });

  it('statistics without amounts are null', () => {
    expect(new GasStatistics().summary()).toBeNull();
  });
});
