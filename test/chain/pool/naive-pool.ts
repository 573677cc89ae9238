import type { Transaction } from '../../../src/protocol/transaction.ts';

/** The contents of a naive pool as plain values. */
export interface NaiveState {
  readonly entries: readonly {
    readonly transaction: Transaction;
    readonly sender: number;
    readonly arrival: number;
  }[];
  readonly arrivals: number;
  /** The next nonce of each sender in the chain's state. */
  readonly nonces: readonly number[];
}

/** A pool by its definition: derives everything from one list. Uses Rootstock's price rules. */
export class NaivePool {
  state: NaiveState;

  constructor(senderCount: number) {
    this.state = { entries: [], arrivals: 0, nonces: new Array<number>(senderCount).fill(0) };
  }

  /** Returns false if the pool rejects the transaction. */
  add(sender: number, transaction: Transaction): boolean {
    const { entries, arrivals, nonces } = this.state;
    if (transaction.nonce < BigInt(nonces[sender] ?? 0)) return false;
    const old = entries.find(
      (entry) => entry.sender === sender && entry.transaction.nonce === transaction.nonce,
    );
    if (old !== undefined) {
      const price = old.transaction.maxFeePerGas;
      if (transaction.maxFeePerGas <= price || transaction.maxFeePerGas * 100n < price * 140n) return false;
    }
    const kept = entries.filter((entry) => entry !== old);
    this.state = {
      nonces,
      arrivals: arrivals + 1,
      entries: [...kept, { transaction, sender, arrival: arrivals }],
    };
    return true;
  }

  remove(transaction: Transaction): void {
    const { entries } = this.state;
    this.state = { ...this.state, entries: entries.filter((entry) => entry.transaction !== transaction) };
  }

  /** Marks the sender's next nonce as used in a block. */
  useNonce(sender: number): void {
    const { entries, nonces } = this.state;
    const next = nonces.map((nonce, index) => (index === sender ? nonce + 1 : nonce));
    const isFresh = (entry: NaiveState['entries'][number]) =>
      entry.transaction.nonce >= BigInt(next[entry.sender] ?? 0);
    this.state = { ...this.state, nonces: next, entries: entries.filter(isFresh) };
  }

  nextNonce(sender: number): bigint {
    let nonce = BigInt(this.state.nonces[sender] ?? 0);
    while (this.state.entries.some((entry) => entry.sender === sender && entry.transaction.nonce === nonce))
      nonce++;
    return nonce;
  }

  /** Repeatedly takes the best-paid transaction with the next nonce of its sender. */
  pending(): Transaction[] {
    const next = [...this.state.nonces];
    const ordered: Transaction[] = [];
    for (;;) {
      const [best] = this.state.entries
        .filter(({ sender, transaction }) => transaction.nonce === BigInt(next[sender] ?? 0))
        .toSorted((left, right) => {
          const byPrice = Number(right.transaction.maxFeePerGas - left.transaction.maxFeePerGas);
          return byPrice === 0 ? left.arrival - right.arrival : byPrice;
        });
      if (best === undefined) return ordered;
      ordered.push(best.transaction);
      next[best.sender] = (next[best.sender] ?? 0) + 1;
    }
  }

  /** In no particular order. */
  queued(): Transaction[] {
    const pending = new Set(this.pending());
    return this.state.entries.map(({ transaction }) => transaction).filter((other) => !pending.has(other));
  }
}
