import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { endsWithRemasc, isRemascTransaction, remascTransaction } from '../../src/protocol/remasc.ts';
import { decodeTransaction, restoreTransaction } from '../../src/protocol/transaction-decoding.ts';
import { withoutSignature } from '../../src/protocol/transaction-encoding.ts';

const ruleSet = ruleSetNamed('rootstock');

describe('REMASC transaction', () => {
  it.each([
    [1, '0x4aa0649fdc1a4b0e07b64c26e43138400c84d6a127d0242027226b7ade17a53e'],
    [2, '0x2508efeddbab2f46ce53e0fb5ed61df9ac1ce696311941207833d7365194dacd'],
    [3, '0x694c5110568eeddab989eb9601cca00ab94dfccf3597f72e1627ca987d05691b'],
    [10, '0x0ffaf4df2ce94215867fec28ede1e567bf14ca23015ed940e7120297c058e9dd'],
    [100, '0x0c021c325e41ff550857983201089ab62ac09903f2c9c4af9c0b32840f17c006'],
    [129, '0xd98f663f07054d11ece852f8fff85ec507953bb2b33d9b62385fc8a54035fa05'],
  ])('the REMASC transaction in block %i has the hash of Rootstock', (number, hash) => {
    const transaction = remascTransaction(number);
    expect(toHex(transaction.hash)).toBe(hash);
    expect(keccak256(transaction.raw)).toEqual(transaction.hash);
    expect(transaction).toMatchObject({ nonce: BigInt(number - 1), sender: new Uint8Array(20) });
  });

  it('the REMASC transaction is encoded as on Rootstock, with one byte for some zeros', () => {
    expect(toHex(remascTransaction(1).raw)).toBe(
      '0xdd8000009400000000000000000000000000000000010000088080808080',
    );
  });

  it.each([1, 2, 129, 70_000])(
    'the REMASC transaction round-trips through its bytes in block %i',
    (number) => {
      const transaction = remascTransaction(number);
      expect(restoreTransaction(transaction.raw, ruleSet, transaction.sender)).toEqual(transaction);
      expect(decodeTransaction(transaction.raw, ruleSet, 33)).toEqual(transaction);
    },
  );

  it('the REMASC transaction is distinguished from transactions that a user can send', () => {
    const closing = remascTransaction(7);
    expect(isRemascTransaction(closing)).toBe(true);
    const impersonated = withoutSignature({ ...closing, gasLimit: 21_000n }, closing.sender);
    expect(isRemascTransaction(impersonated)).toBe(false);
    expect(isRemascTransaction({ ...closing, to: fromHex(`0x${'08'.repeat(20)}`) })).toBe(false);
    expect(isRemascTransaction({ ...closing, to: null })).toBe(false);
    expect(isRemascTransaction({ ...closing, r: 1n })).toBe(false);
  });

  it('the REMASC transaction is recognised only at the end of a block', () => {
    const closing = remascTransaction(7);
    const other = withoutSignature({ ...closing, gasLimit: 21_000n }, closing.sender);
    expect(endsWithRemasc({ transactions: [other, closing] })).toBe(true);
    expect(endsWithRemasc({ transactions: [closing, other] })).toBe(false);
    expect(endsWithRemasc({ transactions: [] })).toBe(false);
  });
});
