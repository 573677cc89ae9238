import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TransactionRejectedError } from '../../../src/chain/pool/errors.ts';
import { type PoolSnapshot, TransactionPool } from '../../../src/chain/pool/pool.ts';
import { equalBytes } from '../../../src/primitives/bytes.ts';
import { hexKey } from '../../../src/primitives/hex.ts';
import type { Transaction } from '../../../src/protocol/transaction.ts';
import { NaivePool, type NaiveState } from './naive-pool.ts';
import { admissionRules, ETHER, headWith, senderAddress, transactionOf } from './samples.ts';

const SENDERS = [0, 1, 2];
const RULES = admissionRules();

type Step =
  | { readonly kind: 'add'; readonly sender: number; readonly nonce: number; readonly price: bigint }
  | { readonly kind: 'remove' | 'restore'; readonly choice: number }
  | { readonly kind: 'mine'; readonly sender: number }
  | { readonly kind: 'snapshot' };

const sender = fc.constantFrom(...SENDERS);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      sender,
      nonce: fc.nat(6),
      price: fc.bigInt(0n, 20n),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('remove' as const, 'restore' as const), choice: fc.nat() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('mine' as const), sender }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'snapshot' as const }) },
);
const steps = fc.array(step, { minLength: 40, maxLength: 80, size: 'max' });

/** A pool and a naive pool with the same changes. */
class TwinPools {
  readonly #naive = new NaivePool(SENDERS.length);
  readonly #pool: TransactionPool;
  readonly #snapshots: { readonly pool: PoolSnapshot; readonly naive: NaiveState }[] = [];

  constructor() {
    const head = headWith((address) => {
      const index = SENDERS.findIndex((number) => equalBytes(senderAddress(number), address));
      return { nonce: BigInt(this.#naive.state.nonces[index] ?? 0), balance: ETHER };
    });
    this.#pool = new TransactionPool('fees', head);
  }

  run(step: Step): void {
    switch (step.kind) {
      case 'add':
        this.#add(step.sender, transactionOf(step.sender, step.nonce, { gasPrice: step.price }));
        break;
      case 'remove':
        this.#remove(step.choice);
        break;
      case 'mine':
        this.#naive.useNonce(step.sender);
        this.#pool.removeStale([senderAddress(step.sender)]);
        break;
      case 'snapshot':
        this.#snapshots.push({ pool: this.#pool.snapshot(), naive: this.#naive.state });
        break;
      case 'restore':
        this.#restore(step.choice);
        break;
    }
  }

  #add(sender: number, transaction: Transaction): void {
    const isTaken = this.#naive.add(sender, transaction);
    if (!isTaken) {
      expect(() => this.#pool.add(transaction, RULES)).toThrow(TransactionRejectedError);
      return;
    }
    const list = this.#pool.add(transaction, RULES);
    expect(list).toBe(this.#naive.pending().includes(transaction) ? 'pending' : 'queued');
  }

  #remove(choice: number): void {
    const { entries } = this.#naive.state;
    const entry = entries[choice % Math.max(entries.length, 1)];
    if (entry === undefined) return;
    this.#naive.remove(entry.transaction);
    expect(this.#pool.remove(entry.transaction.hash)).toBe(true);
  }

  #restore(choice: number): void {
    const snapshot = this.#snapshots[choice % Math.max(this.#snapshots.length, 1)];
    if (snapshot === undefined) return;
    this.#naive.state = snapshot.naive;
    this.#pool.restore(snapshot.pool);
  }

  /** Restores every snapshot and compares both pools. */
  expectSameSnapshots(): void {
    for (const index of this.#snapshots.keys()) {
      this.#restore(index);
      this.expectSameAnswers();
    }
  }

  expectSameAnswers(): void {
    const byHash = (transactions: Transaction[]) => transactions.map(({ hash }) => hexKey(hash)).toSorted();
    const { entries } = this.#naive.state;
    expect(this.#pool.size).toBe(entries.length);
    expect(this.#pool.pending()).toEqual(this.#naive.pending());
    expect(byHash(this.#pool.queued())).toEqual(byHash(this.#naive.queued()));
    for (const { transaction } of entries) expect(this.#pool.byHash(transaction.hash)).toBe(transaction);
    for (const number of SENDERS) {
      expect(this.#pool.nextNonce(senderAddress(number))).toBe(this.#naive.nextNonce(number));
    }
  }
}

describe('TransactionPool', () => {
  it('matches a naive pool through random changes, snapshots and restores', () => {
    const isSame = fc.property(steps, (list) => {
      const pools = new TwinPools();
      for (const step of list) {
        pools.run(step);
        pools.expectSameAnswers();
      }
      pools.expectSameSnapshots();
    });
    fc.assert(isSame, { numRuns: 25 });
  });
});

describe('pool snapshot', () => {
  const account = { nonce: 0n, balance: ETHER };
  const transaction = transactionOf(0, 0, { gasPrice: 1n });
  const another = transactionOf(0, 1, { gasPrice: 1n });

  it('a pool snapshot can be restored repeatedly', () => {
    const pool = new TransactionPool(
      'fees',
      headWith(() => account),
    );
    pool.add(transaction, RULES);
    const snapshot = pool.snapshot();
    for (let round = 0; round < 2; round++) {
      pool.add(another, RULES);
      pool.remove(transaction.hash);
      pool.restore(snapshot);
      expect(pool.pending()).toEqual([transaction]);
      expect(pool.byHash(another.hash)).toBeUndefined();
    }
  });

  it('a pool snapshot can be restored in another pool without an effect on the first', () => {
    const pool = new TransactionPool(
      'fees',
      headWith(() => account),
    );
    pool.add(transaction, RULES);
    const other = new TransactionPool(
      'fees',
      headWith(() => account),
    );
    other.restore(pool.snapshot());
    other.add(another, RULES);
    expect(pool.pending()).toEqual([transaction]);
    expect(other.pending()).toEqual([transaction, another]);
  });

  it('a pool snapshot keeps the order of arrival for later transactions in another pool', () => {
    const pool = new TransactionPool(
      'fifo',
      headWith(() => account),
    );
    const early = [transaction, transactionOf(1, 0)];
    for (const each of early) pool.add(each, RULES);
    const other = new TransactionPool(
      'fifo',
      headWith(() => account),
    );
    other.restore(pool.snapshot());
    other.add(transactionOf(2, 0), RULES);
    expect(other.pending()).toEqual([...early, transactionOf(2, 0)]);
  });
});
