import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inMiningOrder, PoolEntry } from '../../../src/chain/pool/entries.ts';
import type { TransactionOrder } from '../../../src/chain/settings/chain-options.ts';
import { AdmittedTransaction } from '../../../src/evm/admission.ts';
import { BASE_FEE_RULE } from '../../../src/protocol/fees.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import type { Transaction } from '../../../src/protocol/transaction.ts';
import { transactionOf } from './samples.ts';

function entryWith(transaction: Transaction, arrival: number): PoolEntry {
  return new PoolEntry(transaction, arrival, BASE_FEE_RULE);
}

function entryOf(sender: number, nonce: number, gasPrice: bigint, arrival: number): PoolEntry {
  return entryWith(transactionOf(sender, nonce, { gasPrice }), arrival);
}

/** Random runs with few prices, so that many are equal. Arrivals are shuffled. */
const runs = fc
  .array(fc.array(fc.bigInt(0n, 6n), { maxLength: 6 }), { maxLength: 12 })
  .chain((prices) => {
    const count = prices.flat().length;
    const arrivals = Array.from({ length: count }, (_, index) => index);
    return fc.tuple(
      fc.constant(prices),
      fc.shuffledSubarray(arrivals, { minLength: count, maxLength: count }),
    );
  })
  .map(([prices, arrivals]) => {
    let taken = 0;
    return prices.map((list, sender) =>
      list.map((price, nonce) => entryOf(sender, nonce, price, arrivals[taken++] ?? 0)),
    );
  });

/** The order by its definition: repeatedly takes the best first entry of all runs. */
function naiveOrder(given: readonly (readonly PoolEntry[])[], order: TransactionOrder): PoolEntry[] {
  const rest = given.map((run) => [...run]);
  const ordered: PoolEntry[] = [];
  for (;;) {
    const firsts = rest.flatMap(([first]) => (first === undefined ? [] : [first]));
    const [best] = firsts.toSorted((left, right) => {
      const byFee = Number(right.transaction.maxPriorityFeePerGas - left.transaction.maxPriorityFeePerGas);
      return order === 'fees' && byFee !== 0 ? byFee : left.arrival - right.arrival;
    });
    if (best === undefined) return ordered;
    ordered.push(best);
    for (const run of rest) if (run[0] === best) run.shift();
  }
}

describe.each(['fees', 'fifo'] as const)('inMiningOrder by %s', (order) => {
  it('always takes the best next transaction of all senders', () => {
    const isSame = fc.property(runs, (given) => {
      expect(inMiningOrder(given, { order, baseFeePerGas: null })).toEqual(naiveOrder(given, order));
    });
    fc.assert(isSame, { numRuns: 300 });
  });

  it('contains every transaction once, by nonce for each sender', () => {
    const isFair = fc.property(runs, (given) => {
      const ordered = inMiningOrder(given, { order, baseFeePerGas: null });
      expect(ordered).toHaveLength(given.flat().length);
      for (const run of given) {
        expect(ordered.filter((entry) => run.includes(entry))).toEqual(run);
      }
    });
    fc.assert(isFair);
  });
});

describe('inMiningOrder', () => {
  const cheapFirst = [
    [entryOf(0, 0, 1n, 0), entryOf(0, 1, 9n, 1)],
    [entryOf(1, 0, 5n, 2)],
    [entryOf(2, 0, 5n, 3)],
  ];

  it('orders by fees, then by arrival, and keeps the nonce order of a sender', () => {
    expect(
      inMiningOrder(cheapFirst, { order: 'fees', baseFeePerGas: null }).map(({ arrival }) => arrival),
    ).toEqual([2, 3, 0, 1]);
  });

  it('orders by arrival with fifo', () => {
    expect(
      inMiningOrder(cheapFirst, { order: 'fifo', baseFeePerGas: null }).map(({ arrival }) => arrival),
    ).toEqual([0, 1, 2, 3]);
  });

  it('orders by the effective tip above the base fee', () => {
    const legacy = entryOf(0, 0, 110n, 0);
    const fields = { type: 2, maxFeePerGas: 130n, maxPriorityFeePerGas: 20n } as const;
    const capped = entryWith(transactionOf(1, 0, { ...fields, maxFeePerGas: 105n }), 1);
    const generous = entryWith(transactionOf(2, 0, fields), 2);
    const ordered = inMiningOrder([[legacy], [capped], [generous]], { order: 'fees', baseFeePerGas: 100n });
    expect(ordered).toEqual([generous, legacy, capped]);
  });
});

describe('AdmittedTransaction', () => {
  it('computes its tip again if the base fee of the next block changes', () => {
    const admitted = new AdmittedTransaction(
      transactionOf(0, 0, { type: 2, maxFeePerGas: 10n, maxPriorityFeePerGas: 4n }),
      BASE_FEE_RULE,
    );

    const tips = [3n, 3n, 8n, null, 3n].map((baseFee) => admitted.effectiveTip(baseFee));

    expect(tips).toEqual([4n, 4n, 2n, 10n, 4n]);
  });

  it('computes its intrinsic gas again if the rule set changes', () => {
    const admitted = new AdmittedTransaction(
      transactionOf(0, 0, { data: new Uint8Array(100).fill(1) }),
      BASE_FEE_RULE,
    );

    const gas = (['petersburg', 'istanbul', 'prague', 'petersburg'] as const).map((name) =>
      admitted.intrinsicGas(ruleSetNamed(name)),
    );

    expect(gas).toEqual([27_800n, 22_600n, 25_000n, 27_800n]);
  });
});
