import { describe, expect, it } from 'vitest';
import {
  InsufficientFundsError,
  KnownTransactionError,
  NonceTooLowError,
  ReplacementUnderpricedError,
} from '../../../src/chain/pool/errors.ts';
import { TransactionPool } from '../../../src/chain/pool/pool.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import type { RuleSetName } from '../../../src/protocol/hardforks/registry.ts';
import type { Transaction } from '../../../src/protocol/transaction.ts';
import { MissingStateError } from '../../../src/state/state-source.ts';
import { admissionRules, ETHER, headWith, senderAddress, TRANSFER_GAS, transactionOf } from './samples.ts';

/** A pool with changeable accounts. */
function createPool(balance = ETHER) {
  const accounts = new Map<string, { nonce: bigint; balance: bigint }>();
  for (const sender of [0, 1, 2]) accounts.set(toHex(senderAddress(sender)), { nonce: 0n, balance });
  const pool = new TransactionPool(
    'fees',
    headWith((address) => accounts.get(toHex(address))),
  );
  return {
    pool,
    setNonce(sender: number, nonce: bigint) {
      accounts.set(toHex(senderAddress(sender)), { nonce, balance });
    },
  };
}

const RULES = admissionRules();

function answersOf(pool: TransactionPool) {
  return {
    version: pool.version,
    size: pool.size,
    pending: pool.pending(),
    queued: pool.queued(),
    nextNonces: [0, 1, 2].map((sender) => pool.nextNonce(senderAddress(sender))),
  };
}

/** Returns the error of a rejected transaction. Expects that the pool did not change. */
function refusalOf(
  pool: TransactionPool,
  transaction: Transaction,
  name: RuleSetName = 'rootstock',
): unknown {
  const before = answersOf(pool);
  const found = pool.byHash(transaction.hash);
  let refusal: unknown = null;
  try {
    pool.add(transaction, admissionRules(name));
  } catch (error) {
    refusal = error;
  }
  expect(answersOf(pool)).toEqual(before);
  expect(pool.byHash(transaction.hash)).toBe(found);
  return refusal;
}

describe('TransactionPool', () => {
  it('lists consecutive transactions as pending and finds them by hash', () => {
    const { pool } = createPool();
    const first = transactionOf(0, 0);
    const second = transactionOf(0, 1);
    expect(pool.add(first, RULES)).toBe('pending');
    expect(pool.add(second, RULES)).toBe('pending');
    expect(pool.pending()).toEqual([first, second]);
    expect(pool.queued()).toEqual([]);
    expect(pool.size).toBe(2);
    expect(pool.nextNonce(senderAddress(0))).toBe(2n);
    expect(pool.byHash(first.hash)).toBe(first);
    expect(pool.byHash(transactionOf(1, 0).hash)).toBeUndefined();
  });

  it('queues transactions behind a nonce gap until the gap is filled', () => {
    const { pool } = createPool();
    const [first, second, third, fifth] = [0, 1, 2, 4].map((nonce) => transactionOf(0, nonce));
    if (!first || !second || !third || !fifth) throw new Error('four transactions were made');
    expect(pool.add(fifth, RULES)).toBe('queued');
    expect(pool.add(third, RULES)).toBe('queued');
    expect(pool.add(second, RULES)).toBe('queued');
    expect(pool.pending()).toEqual([]);
    expect(pool.queued()).toEqual([second, third, fifth]);
    expect(pool.nextNonce(senderAddress(0))).toBe(0n);
    expect(pool.add(first, RULES)).toBe('pending');
    expect(pool.pending()).toEqual([first, second, third]);
    expect(pool.queued()).toEqual([fifth]);
    expect(pool.nextNonce(senderAddress(0))).toBe(3n);
  });

  it('tracks nonce gaps per sender', () => {
    const { pool } = createPool();
    pool.add(transactionOf(0, 1), RULES);
    expect(pool.add(transactionOf(1, 0), RULES)).toBe('pending');
    expect(pool.pending()).toEqual([transactionOf(1, 0)]);
  });

  it('increases its version with every change', () => {
    const { pool } = createPool();
    const transaction = transactionOf(0, 0);
    const versions = [pool.version];
    pool.add(transaction, RULES);
    versions.push(pool.version);
    pool.remove(transaction.hash);
    versions.push(pool.version);
    pool.restore(pool.snapshot());
    versions.push(pool.version);
    expect(versions).toEqual(versions.toSorted((left, right) => left - right));
    expect(new Set(versions).size).toBe(4);
  });

  it('rejects a known transaction and reports its list', () => {
    const { pool } = createPool();
    pool.add(transactionOf(0, 0), RULES);
    pool.add(transactionOf(0, 2), RULES);
    const pending = refusalOf(pool, transactionOf(0, 0));
    const queued = refusalOf(pool, transactionOf(0, 2));
    expect(pending).toBeInstanceOf(KnownTransactionError);
    expect(pending).toHaveProperty('code', -32010);
    expect(pending).toHaveProperty(
      'message',
      'pending transaction with same hash already exists (already known)',
    );
    expect(queued).toHaveProperty(
      'message',
      'queued transaction with same hash already exists (already known)',
    );
  });

  it('stays unchanged if a transaction breaks an admission rule', () => {
    const { pool, setNonce } = createPool();
    setNonce(0, 1n);
    pool.add(transactionOf(0, 1), RULES);
    pool.snapshot();
    expect(refusalOf(pool, transactionOf(0, 0))).toBeInstanceOf(NonceTooLowError);
    expect(refusalOf(pool, transactionOf(0, 1, { value: ETHER, gasPrice: 2n }))).toBeInstanceOf(
      InsufficientFundsError,
    );
  });
});

describe('replacement transaction', () => {
  it.each([
    ['rootstock', 100n, 140n],
    ['rootstock', 5n, 7n],
    ['rootstock', 101n, 142n],
    ['rootstock', 1n, 2n],
    ['rootstock', 0n, 1n],
    ['istanbul', 100n, 110n],
    ['istanbul', 101n, 112n],
    ['istanbul', 1n, 2n],
    ['istanbul', 0n, 1n],
  ] as const)(
    'under %s, replacing a price of %s wei requires at least %s wei per gas',
    (name, old, least) => {
      const { pool } = createPool();
      const replaced = transactionOf(0, 0, { gasPrice: old });
      pool.add(replaced, admissionRules(name));
      const short = refusalOf(pool, transactionOf(0, 0, { gasPrice: least - 1n, value: 1n }), name);
      expect(short).toBeInstanceOf(ReplacementUnderpricedError);
      expect(short).toHaveProperty('code', -32010);
      expect(short).toHaveProperty(
        'message',
        `gas price not enough to bump transaction (replacement transaction underpriced: got ${least - 1n}, need ${least})`,
      );
      const better = transactionOf(0, 0, { gasPrice: least, value: 1n });
      expect(pool.add(better, admissionRules(name))).toBe('pending');
      expect(pool.pending()).toEqual([better]);
      expect(pool.size).toBe(1);
      expect(pool.byHash(replaced.hash)).toBeUndefined();
      expect(pool.byHash(better.hash)).toBe(better);
    },
  );

  it('a replacement must raise both the maximum fee and the priority fee', () => {
    const { pool } = createPool();
    const rules = admissionRules('london');
    const priced = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) =>
      transactionOf(0, 0, { type: 2, maxFeePerGas, maxPriorityFeePerGas });
    pool.add(priced(100n, 50n), rules);
    expect(refusalOf(pool, priced(109n, 55n), 'london')).toHaveProperty(
      'message',
      expect.stringContaining('got 109, need 110'),
    );
    expect(refusalOf(pool, priced(110n, 54n), 'london')).toHaveProperty(
      'message',
      expect.stringContaining('got 54, need 55'),
    );
    expect(pool.add(priced(110n, 55n), rules)).toBe('pending');
  });

  it('replaces a queued transaction by the same rule', () => {
    const { pool } = createPool();
    pool.add(transactionOf(0, 3, { gasPrice: 10n }), RULES);
    expect(refusalOf(pool, transactionOf(0, 3, { gasPrice: 13n }))).toBeInstanceOf(
      ReplacementUnderpricedError,
    );
    const better = transactionOf(0, 3, { gasPrice: 14n });
    expect(pool.add(better, RULES)).toBe('queued');
    expect(pool.queued()).toEqual([better]);
  });

  it('a replacement keeps later transactions of the sender pending', () => {
    const { pool } = createPool();
    const last = transactionOf(0, 1);
    pool.add(transactionOf(0, 0, { gasPrice: 10n }), RULES);
    pool.add(last, RULES);
    const better = transactionOf(0, 0, { gasPrice: 14n });
    pool.add(better, RULES);
    expect(pool.pending()).toEqual([better, last]);
  });
});

describe('total cost of pending transactions', () => {
  const cost = (gasPrice: bigint) => TRANSFER_GAS * gasPrice;

  it('the total cost of pending transactions may equal the balance of the sender but not exceed it', () => {
    const { pool } = createPool(cost(3n));
    pool.add(transactionOf(0, 0, { gasPrice: 2n }), RULES);
    const refusal = refusalOf(pool, transactionOf(0, 1, { value: 1n }));
    expect(refusal).toBeInstanceOf(InsufficientFundsError);
    expect(refusal).toHaveProperty(
      'message',
      'insufficient funds to pay for pending and new transactions (insufficient funds for gas * price + value: balance 63000, cost 63001)',
    );
    expect(pool.add(transactionOf(0, 1), RULES)).toBe('pending');
  });

  it('the total cost of pending transactions excludes transactions of other senders', () => {
    const { pool } = createPool(cost(3n));
    pool.add(transactionOf(0, 0, { gasPrice: 3n }), RULES);
    expect(pool.add(transactionOf(1, 0, { gasPrice: 3n }), RULES)).toBe('pending');
  });

  it('the total cost of pending transactions excludes queued transactions', () => {
    const { pool } = createPool(cost(3n));
    pool.add(transactionOf(0, 0, { gasPrice: 2n }), RULES);
    expect(pool.add(transactionOf(0, 2, { gasPrice: 3n }), RULES)).toBe('queued');
    expect(pool.add(transactionOf(0, 1), RULES)).toBe('pending');
    expect(pool.pending()).toHaveLength(3);
  });

  it('the total cost of pending transactions excludes a replaced transaction', () => {
    const { pool } = createPool(cost(17n));
    pool.add(transactionOf(0, 0, { gasPrice: 10n }), RULES);
    pool.add(transactionOf(0, 1, { gasPrice: 3n }), RULES);
    expect(pool.add(transactionOf(0, 0, { gasPrice: 14n }), RULES)).toBe('pending');
  });

  it('the total cost of pending transactions includes transactions behind a replacement', () => {
    const { pool } = createPool(cost(17n));
    pool.add(transactionOf(0, 0, { gasPrice: 10n }), RULES);
    pool.add(transactionOf(0, 1, { gasPrice: 7n }), RULES);
    expect(refusalOf(pool, transactionOf(0, 0, { gasPrice: 14n }))).toHaveProperty(
      'message',
      expect.stringContaining(`balance ${cost(17n)}, cost ${cost(21n)}`),
    );
  });
});

describe('removal from the pool', () => {
  it('removes a transaction by hash and queues the transactions behind it', () => {
    const { pool } = createPool();
    const [first, second, third] = [0, 1, 2].map((nonce) => transactionOf(0, nonce));
    if (!first || !second || !third) throw new Error('three transactions were made');
    for (const transaction of [first, second, third]) pool.add(transaction, RULES);
    expect(pool.remove(second.hash)).toBe(true);
    expect(pool.pending()).toEqual([first]);
    expect(pool.queued()).toEqual([third]);
    expect(pool.byHash(second.hash)).toBeUndefined();
    const { version } = pool;
    expect(pool.remove(second.hash)).toBe(false);
    expect(pool.version).toBe(version);
  });

  it('removes stale transactions of the given senders', () => {
    const { pool, setNonce } = createPool();
    for (const nonce of [0, 1, 2]) pool.add(transactionOf(0, nonce), RULES);
    pool.add(transactionOf(1, 0), RULES);
    setNonce(0, 2n);
    pool.removeStale([senderAddress(0), senderAddress(2)]);
    expect(pool.size).toBe(2);
    expect(pool.byHash(transactionOf(0, 1).hash)).toBeUndefined();
    expect(pool.pending()).toEqual([transactionOf(0, 2), transactionOf(1, 0)]);
    const { version } = pool;
    pool.removeStale([senderAddress(0), senderAddress(1), senderAddress(2)]);
    expect(pool.version).toBe(version);
  });

  it('does not read the account of a sender without transactions', () => {
    const pool = new TransactionPool(
      'fees',
      headWith(() => {
        throw new MissingStateError(async () => {});
      }),
    );
    expect(() => pool.removeStale([senderAddress(2)])).not.toThrow();
  });
});

describe('nonce increase without a transaction', () => {
  it('drops stale transactions and accepts the next nonce as pending', () => {
    const { pool, setNonce } = createPool();
    const past = transactionOf(0, 1);
    pool.add(past, RULES);
    setNonce(0, 2n);
    expect(pool.pending()).toEqual([]);
    expect(pool.queued()).toEqual([]);
    expect(pool.nextNonce(senderAddress(0))).toBe(2n);
    const next = transactionOf(0, 2);
    expect(pool.add(next, RULES)).toBe('pending');
    expect(pool.pending()).toEqual([next]);
    expect(pool.byHash(past.hash)).toBeUndefined();
    expect(pool.size).toBe(1);
  });
});

describe('removeWhere', () => {
  it('updates the pool once per sender', () => {
    const { pool } = createPool();
    for (let nonce = 0; nonce < 50; nonce++)
      for (const sender of [0, 1, 2]) pool.add(transactionOf(sender, nonce), RULES);
    const before = pool.version;
    pool.removeWhere(({ nonce }) => nonce >= 10n);
    expect(pool.version - before).toBe(3);
    expect(pool.pending()).toHaveLength(30);
    expect(pool.byHash(transactionOf(1, 10).hash)).toBeUndefined();
  });
});
