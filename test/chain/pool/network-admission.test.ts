import { describe, expect, it } from 'vitest';
import type { AdmissionRules, SenderAccount } from '../../../src/chain/pool/admission.ts';
import { TransactionRejectedError } from '../../../src/chain/pool/errors.ts';
import { TransactionPool } from '../../../src/chain/pool/pool.ts';
import { bigIntToBytes } from '../../../src/primitives/bytes.ts';
import { encodeRlp } from '../../../src/primitives/rlp.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { remascTransaction } from '../../../src/protocol/remasc.ts';
import type { Transaction } from '../../../src/protocol/transaction.ts';
import { decodeTransaction } from '../../../src/protocol/transaction-decoding.ts';
import { admissionRules, ETHER, headWith, transactionOf } from './samples.ts';

const NEXT_NONCE = 5;
const RICH = { nonce: BigInt(NEXT_NONCE), balance: ETHER };
const MINIMUM = 10n;
/** The admission rules of the local Rootstock network after genesis. */
const NETWORK: AdmissionRules = admissionRules('rootstock', {
  networkLimits: true,
  transactionGasLimit: 6_800_000n,
  minimumGasPrice: MINIMUM,
});

function poolOver(sender: SenderAccount): TransactionPool {
  return new TransactionPool(
    'fees',
    headWith(() => sender),
  );
}

/** A pool with funded senders. */
function poolOf(): TransactionPool {
  return poolOver(RICH);
}

/** A transaction that Rootstock accepts, changed by `fields`. */
function taken(nonce: number, fields: Parameters<typeof transactionOf>[2] = {}): Transaction {
  return transactionOf(0, nonce, { gasPrice: MINIMUM, ...fields });
}

function refusal(pool: TransactionPool, transaction: Transaction, rules = NETWORK): string {
  try {
    pool.add(transaction, rules);
  } catch (error) {
    if (!(error instanceof TransactionRejectedError)) throw error;
    expect(error.code).toBe(-32010);
    return error.message;
  }
  throw new Error('the transaction was taken');
}

/** A transaction that breaks all rules from `line` on, but no earlier rule. */
function breaking(line: number): { readonly transaction: Transaction; readonly sender: SenderAccount } {
  const isIn = (rule: number): boolean => line <= rule;
  const transaction = taken(isIn(10) ? NEXT_NONCE - 1 : isIn(11) ? NEXT_NONCE + 16 : NEXT_NONCE, {
    gasPrice: isIn(13) ? MINIMUM - 1n : isIn(15) ? 80n * MINIMUM + 1n : MINIMUM,
    gasLimit: isIn(7) ? 6_800_001n : isIn(14) ? 20_999n : 21_000n,
    to: isIn(4) ? null : new Uint8Array(20),
    data: new Uint8Array(isIn(5) ? 131_072 : 0),
  });
  const sender = isIn(3) ? undefined : { nonce: RICH.nonce, balance: isIn(12) ? 0n : ETHER };
  return { transaction, sender };
}

describe('rejections of the pool in the order of Rootstock', () => {
  it('line 1: rejects a known pending transaction', () => {
    const pool = poolOf();
    expect(pool.add(taken(NEXT_NONCE), NETWORK)).toBe('pending');
    expect(refusal(pool, taken(NEXT_NONCE))).toMatch(/^pending transaction with same hash already exists/);
  });

  it('line 2: rejects a known queued transaction', () => {
    const pool = poolOf();
    expect(pool.add(taken(NEXT_NONCE + 2), NETWORK)).toBe('queued');
    expect(refusal(pool, taken(NEXT_NONCE + 2))).toMatch(/^queued transaction with same hash already exists/);
  });

  it.each([
    [3, /^the sender account doesn't exist/],
    [4, /^transaction's init code size is invalid/],
    [5, /^transaction's size is higher than defined maximum: \d+ > 131072$/],
    [7, /^transaction's gas limit of 6800001 is higher than the block's gas limit of 6800000/],
    [10, /^transaction nonce too low/],
    [11, /^transaction nonce too high/],
    [12, /^insufficient funds \(/],
    [13, /^transaction's gas price lower than block's minimum/],
    [14, /^transaction's basic cost is above the gas limit/],
    [15, /^transaction's gas price exceeds cap/],
  ])('line %i: takes precedence over later lines', (line, text) => {
    const { transaction, sender } = breaking(line);
    expect(refusal(poolOver(sender), transaction)).toMatch(text);
  });

  it('line 3: rejects free transactions of unknown senders only with the network limits', () => {
    const free = taken(0, { gasPrice: 0n });
    const rules = { ...NETWORK, minimumGasPrice: 0n };
    const nobody = new TransactionPool(
      'fees',
      headWith(() => undefined),
    );
    expect(refusal(nobody, free, rules)).toMatch(/^the sender account doesn't exist/);
    expect(nobody.add(free, { ...rules, networkLimits: false })).toBe('pending');
  });

  it('line 6: rejects the REMASC transaction', () => {
    expect(refusal(poolOf(), remascTransaction(1))).toBe('transaction is a remasc transaction');
  });

  it('line 9: the decoder rejects a nonce that is too long or has leading zeros', () => {
    const numbers = [1n, 21_000n, 0n, 0n, 0n, 101n, 1n, 1n].map((number) => bigIntToBytes(number));
    const withNonce = (nonce: Uint8Array) => encodeRlp([nonce, ...numbers]);
    const read = (raw: Uint8Array) => decodeTransaction(raw, ruleSetNamed('rootstock'), 33);
    expect(() => read(withNonce(new Uint8Array(9).fill(1)))).toThrow('nonce is longer than 8 bytes');
    expect(() => read(withNonce(Uint8Array.of(0, 1)))).toThrow('nonce has leading zeros');
  });

  it('line 8: rejects a transaction of a deleted account', () => {
    const deleted = new TransactionPool(
      'fees',
      headWith(() => undefined),
    );
    expect(refusal(deleted, taken(0))).toMatch(/^the sender account doesn't exist/);
  });

  it('line 11: rejects nonces 16 or more above the next one only with the network limits', () => {
    expect(poolOf().add(taken(NEXT_NONCE + 15), NETWORK)).toBe('queued');
    const far = taken(NEXT_NONCE + 16);
    expect(refusal(poolOf(), far)).toBe('transaction nonce too high (nonce too high: got 21, highest is 20)');
    expect(poolOf().add(far, { ...NETWORK, networkLimits: false })).toBe('queued');
  });

  it('line 12: ignores the value, which line 18 checks for pending transactions only', () => {
    const poor = { nonce: RICH.nonce, balance: 210_000n };
    const valuable = (nonce: number) => taken(nonce, { value: 1n });
    expect(refusal(poolOver({ ...poor, balance: 209_999n }), valuable(NEXT_NONCE))).toMatch(
      /^insufficient funds \(/,
    );
    expect(refusal(poolOver(poor), valuable(NEXT_NONCE))).toMatch(
      /^insufficient funds to pay for pending and new transactions/,
    );
    expect(poolOver(poor).add(valuable(NEXT_NONCE + 1), NETWORK)).toBe('queued');
    const tolerant = { ...NETWORK, networkLimits: false };
    expect(refusal(poolOver(poor), valuable(NEXT_NONCE + 1), tolerant)).toMatch(/^insufficient funds \(/);
  });

  it('line 15: rejects prices above 80 times a nonzero minimum with the network limits', () => {
    expect(poolOf().add(taken(NEXT_NONCE, { gasPrice: 800n }), NETWORK)).toBe('pending');
    const dear = taken(NEXT_NONCE, { gasPrice: 801n });
    expect(refusal(poolOf(), dear)).toBe("transaction's gas price exceeds cap (got 801, cap 800)");
    expect(poolOf().add(dear, { ...NETWORK, minimumGasPrice: 0n })).toBe('pending');
    expect(poolOf().add(dear, { ...NETWORK, networkLimits: false })).toBe('pending');
  });

  it('line 16: rejects a replacement with less than 40% more before line 18', () => {
    const pool = poolOver({ nonce: RICH.nonce, balance: 21_000n * 14n });
    pool.add(taken(NEXT_NONCE), NETWORK);
    expect(refusal(pool, taken(NEXT_NONCE, { gasPrice: 13n, value: ETHER }))).toMatch(
      /^gas price not enough to bump transaction .*need 14/,
    );
    expect(refusal(pool, taken(NEXT_NONCE, { gasPrice: 14n, value: 1n }))).toMatch(
      /^insufficient funds to pay for pending and new transactions/,
    );
    expect(pool.add(taken(NEXT_NONCE, { gasPrice: 14n }), NETWORK)).toBe('pending');
  });

  it('line 17: applies no quota per account', () => {
    const pool = poolOf();
    const large = { gasLimit: 6_800_000n, gasPrice: MINIMUM };
    for (let nonce = NEXT_NONCE; nonce < NEXT_NONCE + 16; nonce++) {
      expect(pool.add(taken(nonce, large), NETWORK)).toBe('pending');
    }
  });

  it('line 18: rejects pending transactions that cost more than the balance together', () => {
    const pool = poolOver({ nonce: RICH.nonce, balance: 2n * 210_000n - 1n });
    pool.add(taken(NEXT_NONCE), NETWORK);
    expect(refusal(pool, taken(NEXT_NONCE + 1))).toMatch(
      /^insufficient funds to pay for pending and new transactions/,
    );
  });
});
