import { Block, Transaction } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, hexKey } from '../../../src/primitives/hex.ts';
import { doubleSha256 } from '../../../src/primitives/sha256.ts';
import {
  committedHash,
  readBitcoinBlock,
  readBitcoinTransaction,
} from '../../../src/protocol/merged-mining/parent-chain-block.ts';
import { bitcoinBlock, bitcoinCoinbase, bitcoinTransaction, COMMITMENT_TAG } from '../../support/bitcoin.ts';

const HASH = 'ab'.repeat(32);
const COINBASE = bitcoinCoinbase(HASH);
const bytes = (digits: string) => fromHex(`0x${digits}`);

describe('readBitcoinBlock', () => {
  it.each([
    ['one transaction', [COINBASE]],
    ['several transactions', [COINBASE, bitcoinTransaction('51'), bitcoinTransaction('')]],
    [
      '300 transactions, a count above one byte',
      [COINBASE, ...Array<string>(299).fill(bitcoinTransaction('51'))],
    ],
    ['witnesses', [bitcoinCoinbase(HASH, true), bitcoinTransaction('51', true)]],
    ['a script of 70000 bytes', [COINBASE, bitcoinTransaction('51'.repeat(70_000))]],
  ])('reads a block with %s as bitcoinjs-lib does', (_name, transactions) => {
    const block = bitcoinBlock(transactions);
    const expected = Block.fromHex(block);
    const read = readBitcoinBlock(bytes(block));
    expect(hexKey(read.header)).toBe(expected.toHex(true));
    expect(read.transactions.map((transaction) => hexKey(doubleSha256(transaction)))).toEqual(
      expected.transactions?.map((transaction) => hexKey(transaction.getHash())),
    );
  });

  it('rejects a block without transactions, truncated or with trailing bytes', () => {
    const block = bitcoinBlock([COINBASE, bitcoinTransaction('51', true)]);
    expect(() => readBitcoinBlock(bytes(bitcoinBlock([])))).toThrow(RangeError);
    expect(() => readBitcoinBlock(bytes(`${block}00`))).toThrow(RangeError);
    for (let length = 0; length < block.length; length += 2) {
      expect(() => readBitcoinBlock(bytes(block.slice(0, length))), String(length)).toThrow(RangeError);
    }
  });

  it('reads a damaged block or rejects it with a RangeError', () => {
    const block = bytes(bitcoinBlock([COINBASE, bitcoinTransaction('51', true)]));
    const damage = fc.record({ at: fc.nat(block.length - 1), byte: fc.nat(255) });
    let [reads, refusals] = [0, 0];
    const isEither = fc.property(fc.array(damage, { minLength: 1, maxLength: 3 }), (changes) => {
      const damaged = block.slice();
      for (const { at, byte } of changes) damaged[at] = byte;
      let read: ReturnType<typeof readBitcoinBlock>;
      try {
        read = readBitcoinBlock(damaged);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        refusals++;
        return;
      }
      reads++;
      expect(read.header).toEqual(damaged.subarray(0, 80));
      expect(read.transactions[0].length).toBeLessThan(block.length);
    });
    fc.assert(isEither, { numRuns: 300 });
    expect(Math.min(reads, refusals)).toBeGreaterThan(30);
  });
});

describe('readBitcoinTransaction and committedHash', () => {
  it('accept only a complete transaction with an input and no trailing bytes', () => {
    expect(hexKey(readBitcoinTransaction(bytes(COINBASE)))).toBe(COINBASE);
    expect(() => readBitcoinTransaction(bytes(`${COINBASE}00`))).toThrow(RangeError);
    expect(() => readBitcoinTransaction(bytes(COINBASE.slice(2)))).toThrow(RangeError);
    expect(() => readBitcoinTransaction(bytes('01000000000000000000'))).toThrow(RangeError);
    // A count of inputs above any memory size.
    expect(() => readBitcoinTransaction(bytes(`01000000${'ff'.repeat(9)}`))).toThrow(RangeError);
  });

  it('drop the witness, which the hash excludes', () => {
    const transaction = bitcoinCoinbase(HASH, true);
    const read = readBitcoinTransaction(bytes(transaction));
    expect(hexKey(read)).toBe(COINBASE);
    expect(doubleSha256(read)).toEqual(new Uint8Array(Transaction.fromHex(transaction).getHash()));
  });

  it('return the hash after the last tag', () => {
    const twice = bitcoinTransaction(`${COMMITMENT_TAG}${'11'.repeat(32)}${COMMITMENT_TAG}${HASH}ffff`);
    expect(hexKey(committedHash(bytes(twice)))).toBe(HASH);
  });

  it('reject a transaction without an uppercase tag or a full hash', () => {
    const lowerCase = Buffer.from('rskblock:').toString('hex');
    for (const [digits, fault] of [
      [bitcoinTransaction('51'), 'it has no RSKBLOCK:'],
      [bitcoinTransaction(`${lowerCase}${HASH}`), 'its RSKBLOCK: is not in capital letters'],
      [`${COMMITMENT_TAG}${'11'.repeat(31)}`, 'fewer than 32 bytes follow its last RSKBLOCK:'],
    ] as const) {
      expect(() => committedHash(bytes(digits))).toThrow(new RangeError(fault));
    }
  });
});
