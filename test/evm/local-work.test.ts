import { Block as BitcoinBlock, Transaction as BitcoinTransaction } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../src/primitives/bytes.ts';
import { compressCoinbase, LocalWork, workTarget } from '../../src/protocol/merged-mining/proof-of-work.ts';

const hash32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

/** The coinbase transaction with the commitment, built with bitcoinjs-lib. */
function coinbaseOf(commitment: Uint8Array): BitcoinTransaction {
  const transaction = new BitcoinTransaction();
  transaction.version = 1;
  const text = new TextEncoder().encode('node-cli own work');
  transaction.addInput(
    new Uint8Array(32),
    0xffffffff,
    0xffffffff,
    concatBytes(Uint8Array.of(text.length), text),
  );
  const payload = concatBytes(new TextEncoder().encode('RSKBLOCK:'), commitment);
  transaction.addOutput(concatBytes(Uint8Array.of(0x6a, payload.length), payload), 0n);
  return transaction;
}

/** A Bitcoin hash as the number that is compared with the target. */
function numberOf(hash: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(hash.toReversed()).toString('hex')}`);
}

describe('LocalWork', () => {
  it('builds the same parent-chain block as bitcoinjs-lib, and its hash meets the target', () => {
    const isRight = fc.property(hash32, fc.bigInt({ min: 0n, max: 200n }), (commitment, difficulty) => {
      const proof = new LocalWork(commitment, difficulty).search(Number.POSITIVE_INFINITY);
      if (proof === null) throw new Error('there is no proof');
      const coinbase = coinbaseOf(commitment);
      const block = BitcoinBlock.fromBuffer(proof.header);
      expect(block.version).toBe(0x20000000);
      expect(block.merkleRoot).toEqual(BitcoinBlock.calculateMerkleRoot([coinbase]));
      expect(coinbase.isCoinbase()).toBe(true);
      expect(proof.coinbaseTransaction).toEqual(compressCoinbase(new Uint8Array(coinbase.toBuffer())));
      expect(proof.merkleProof).toHaveLength(0);
      const most = BigInt(`0x${Buffer.from(workTarget(difficulty)).toString('hex')}`);
      expect(numberOf(block.getHash()) <= most).toBe(true);
    });
    fc.assert(isRight, { numRuns: 50 });
  });

  it('returns the lowest nonce, independent of pauses in the search', () => {
    const isSame = fc.property(hash32, (commitment) => {
      const whole = new LocalWork(commitment, 50n).search(Number.POSITIVE_INFINITY);
      const work = new LocalWork(commitment, 50n);
      let attempts = 1;
      let proof = work.search(1);
      for (; proof === null; attempts++) proof = work.search(1);
      expect(proof).toEqual(whole);
      const block = BitcoinBlock.fromBuffer(proof.header);
      expect(block.nonce).toBe(attempts - 1);
      const again = new LocalWork(commitment, 50n);
      for (let nonce = 0; nonce < block.nonce; nonce++) expect(again.solution(0, nonce)).toBeNull();
      expect(again.solution(0, block.nonce)).toEqual(proof);
    });
    fc.assert(isSame, { numRuns: 20 });
  });

  it('does not change a proof in a later search', () => {
    const work = new LocalWork(new Uint8Array(32).fill(5), 1n);
    const proof = work.search(100);
    const copy = structuredClone(proof);
    work.search(100);
    expect(proof).toEqual(copy);
  });

  it('writes the timestamp and the nonce to the header', () => {
    const work = new LocalWork(new Uint8Array(32), 1n);
    let nonce = 0xfffffff0;
    let proof = work.solution(0x01020304, nonce);
    while (proof === null) proof = work.solution(0x01020304, ++nonce);
    const block = BitcoinBlock.fromBuffer(proof.header);
    expect([block.timestamp, block.nonce]).toEqual([0x01020304, nonce]);
  });
});
