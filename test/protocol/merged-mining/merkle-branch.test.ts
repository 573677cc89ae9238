import { Block as BitcoinBlock, Transaction as BitcoinTransaction } from 'bitcoinjs-lib';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import {
  branchRoot,
  encodeBranch,
  firstBranch,
  readBranch,
} from '../../../src/protocol/merged-mining/proof-of-work.ts';

function transactionNumber(number: number): BitcoinTransaction {
  const transaction = new BitcoinTransaction();
  transaction.addInput(new Uint8Array(32), number, 0, Uint8Array.of(1, number));
  transaction.addOutput(Uint8Array.of(0x51), 1n);
  return transaction;
}

describe('Merkle branch of the first transaction', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 31])(
    'leads to the root of bitcoinjs-lib for %s transactions',
    (count) => {
      const transactions = Array.from({ length: count }, (_, number) => transactionNumber(number));
      const hashes = transactions.map((transaction) => new Uint8Array(transaction.getHash()));
      const [first] = hashes;
      if (first === undefined) throw new Error('there is no transaction');
      const branch = firstBranch(hashes);
      expect(branch).toHaveLength(Math.ceil(Math.log2(count)));
      expect(branchRoot(first, branch)).toEqual(
        new Uint8Array(BitcoinBlock.calculateMerkleRoot(transactions)),
      );
    },
  );

  // The hashes come from a test of rskj, in the byte order of bitcoind.
  it('encodes each hash in display byte order', () => {
    const coinbase = fromHex(
      '0xb945b008fbc3f357db745909958b570773fc14575a36af8bbc195b484e21f366',
    ).toReversed();
    const encoded = fromHex('0x9880f57b6735152a8c6d4c7e1b3bc6434ee75e459511a642bbb8cb71d3a6b6d8');
    const branch = readBranch(encoded) ?? [];
    expect(toHex(branchRoot(coinbase, branch).toReversed())).toBe(
      '0xceea4835dd23fae1978a3f6f3f0aa0171e018360272dd5b98d37550fbc978d01',
    );
    expect(encodeBranch(branch)).toEqual(encoded);
  });

  it('must be a list of complete hashes', () => {
    expect(readBranch(new Uint8Array(0))).toEqual([]);
    expect(readBranch(new Uint8Array(64))).toHaveLength(2);
    expect(readBranch(new Uint8Array(63))).toBeNull();
  });
});
