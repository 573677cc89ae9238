import { describe, expect, it } from 'vitest';
import { NamedGas } from '../../../src/reports/gas/named-gas.ts';

function measured(transactions: readonly bigint[], transfers: readonly bigint[], omitted: number): NamedGas {
  const gas = new NamedGas();
  for (const used of transactions) gas.transactions.add(used, false);
  for (const used of transfers) gas.transfers.add(used, false);
  gas.omitted = omitted;
  return gas;
}

describe('NamedGas', () => {
  it('merge sums transactions, transfers and omitted calls', () => {
    const all = new NamedGas();
    all.merge(measured([30_000n, 21_000n], [21_000n], 2));
    all.merge(measured([50_000n], [], 5));
    expect(all.transactions.summary()).toMatchObject({ calls: 3, total: 101_000n });
    expect(all.transfers.summary()).toMatchObject({ calls: 1, total: 21_000n });
    expect(all.omitted).toBe(7);
  });
});
