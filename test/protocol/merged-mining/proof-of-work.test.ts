import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bigIntToFixedBytes, bytesToBigInt, concatBytes } from '../../../src/primitives/bytes.ts';
import { doubleSha256 } from '../../../src/primitives/sha256.ts';
import type { BlockHeader, MergedMining } from '../../../src/protocol/block.ts';
import { hashForMergedMining } from '../../../src/protocol/header-encoding.ts';
import {
  branchRoot,
  COMMITMENT_TAG,
  compressCoinbase,
  encodeBranch,
  meetsTarget,
  proofOfWorkFault,
  readCompressedCoinbase,
  workTarget,
} from '../../../src/protocol/merged-mining/proof-of-work.ts';
import { emptyGenesis } from '../../support/empty-genesis.ts';
import { bytes } from '../arbitraries.ts';

const GENESIS = emptyGenesis().header;

const HEADER: BlockHeader = { ...GENESIS, number: 1, timestamp: 7 };
const COMMITMENT = concatBytes(COMMITMENT_TAG, hashForMergedMining(HEADER));
const SIBLINGS = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];

/** A Bitcoin header with the root. Its hash meets the target unless `meets` is false. */
function parentHeader(root: Uint8Array, meets = true, target = workTarget(HEADER.difficulty)): Uint8Array {
  const header = concatBytes(new Uint8Array(36), root, new Uint8Array(12));
  const view = new DataView(header.buffer);
  for (let nonce = 0; ; nonce++) {
    view.setUint32(76, nonce, true);
    if (meetsTarget(doubleSha256(header), target) === meets) return header;
  }
}

/** Number of bytes before and after the commitment in the coinbase transaction. */
interface Surroundings {
  readonly before: number;
  readonly after: number;
}

function proofOf(transaction: Uint8Array, siblings = SIBLINGS): MergedMining {
  return {
    header: parentHeader(branchRoot(doubleSha256(transaction), siblings)),
    coinbaseTransaction: compressCoinbase(transaction),
    merkleProof: encodeBranch(siblings),
  };
}

function transactionWith({ before, after }: Surroundings, commitment = COMMITMENT): Uint8Array {
  return concatBytes(new Uint8Array(before).fill(0xaa), commitment, new Uint8Array(after).fill(0xbb));
}

function faultOf(mergedMining: MergedMining): string | null {
  return proofOfWorkFault({ ...HEADER, mergedMining });
}

const GOOD = proofOf(transactionWith({ before: 150, after: 20 }));

describe('work target', () => {
  it('the work target is 2^256 over the difficulty', () => {
    expect(bytesToBigInt(workTarget(2n ** 256n))).toBe(1n);
    expect(bytesToBigInt(workTarget(10n))).toBe(2n ** 256n / 10n);
  });

  it('the work target is the target of difficulty 3 for lower difficulties', () => {
    for (const difficulty of [0n, 1n, 2n, 3n])
      expect(workTarget(difficulty)).toEqual(new Uint8Array(32).fill(0x55));
  });

  it('the work target is met by hashes that are at most the target as little-endian numbers', () => {
    const isRight = fc.property(bytes(32), bytes(32), (hash, target) => {
      expect(meetsTarget(hash, target)).toBe(bytesToBigInt(hash.toReversed()) <= bytesToBigInt(target));
    });
    fc.assert(isRight);
    const target = bigIntToFixedBytes(2n ** 200n + 5n, 32);
    expect(meetsTarget(target.toReversed(), target)).toBe(true);
    expect(meetsTarget(bigIntToFixedBytes(2n ** 200n + 6n, 32).toReversed(), target)).toBe(false);
  });
});

describe('compressed coinbase transaction', () => {
  it('a compressed coinbase transaction keeps hash and length for any position of the tag', () => {
    const isRight = fc.property(fc.nat(400), fc.nat(200), (before, after) => {
      const transaction = transactionWith({ before, after });
      const compressed = compressCoinbase(transaction);
      const read = readCompressedCoinbase(compressed);
      expect(read?.hash).toEqual(doubleSha256(transaction));
      expect(read?.length).toBe(transaction.length);
      expect(compressed).toHaveLength(40 + (before % 64) + COMMITMENT.length + after);
    });
    fc.assert(isRight);
  });

  it('a compressed coinbase transaction keeps all bytes without a tag', () => {
    const transaction = new Uint8Array(100);
    expect(readCompressedCoinbase(compressCoinbase(transaction))?.tail).toEqual(transaction);
  });

  it('a compressed coinbase transaction must contain a midstate of complete SHA-256 blocks', () => {
    expect(readCompressedCoinbase(new Uint8Array(39))).toBeNull();
    expect(readCompressedCoinbase(new Uint8Array(40).fill(1))).toBeNull();
    expect(readCompressedCoinbase(new Uint8Array(40).fill(0xff, 0, 7))).toBeNull();
  });
});

describe('proofOfWorkFault', () => {
  it.each([
    { before: 24, after: 0 },
    { before: 63, after: 128 },
    { before: 64, after: 4 },
    { before: 999, after: 50 },
  ])('accepts $before bytes before the commitment and $after after it', (surroundings) => {
    expect(faultOf(proofOf(transactionWith(surroundings)))).toBeNull();
  });

  it('accepts a block of one transaction and the largest block', () => {
    const transaction = transactionWith({ before: 100, after: 0 });
    expect(faultOf(proofOf(transaction, []))).toBeNull();
    expect(
      faultOf(
        proofOf(
          transaction,
          Array.from({ length: 30 }, () => new Uint8Array(32).fill(3)),
        ),
      ),
    ).toBeNull();
  });

  it('accepts a commitment behind a commitment to another block', () => {
    const other = concatBytes(COMMITMENT_TAG, new Uint8Array(32).fill(9));
    const transaction = concatBytes(new Uint8Array(70), other, COMMITMENT);
    expect(faultOf(proofOf(transaction))).toBeNull();
  });

  const tail = transactionWith({ before: 64, after: 4 }).subarray(64);
  const longTail = concatBytes(new Uint8Array(64), tail);
  const short = transactionWith({ before: 20, after: 3 });

  it.each<[string, MergedMining, string]>([
    ['a header of 79 bytes', { ...GOOD, header: GOOD.header.slice(1) }, 'has 79 bytes, expected 80'],
    ['an empty header', { ...GOOD, header: new Uint8Array(0) }, 'has 0 bytes, expected 80'],
    [
      'a hash above the target',
      { ...GOOD, header: parentHeader(GOOD.header.slice(36, 68), false) },
      'is above the target 5555',
    ],
    [
      'an empty coinbase transaction',
      { ...GOOD, coinbaseTransaction: new Uint8Array(0) },
      'there is no compressed coinbase transaction',
    ],
    [
      'a Merkle proof with half a hash',
      { ...GOOD, merkleProof: new Uint8Array(48) },
      'not a list of 32-byte hashes',
    ],
    [
      'a Merkle proof that is too long',
      { ...GOOD, merkleProof: new Uint8Array(992) },
      'has 992 bytes; at most 960 are allowed',
    ],
    ['a missing tag', proofOf(new Uint8Array(100)), 'has no RSKBLOCK: tag'],
    [
      'a commitment to another block',
      proofOf(transactionWith({ before: 70, after: 0 }, concatBytes(COMMITMENT_TAG, new Uint8Array(32)))),
      'does not commit to the block',
    ],
    [
      'a later tag',
      proofOf(concatBytes(transactionWith({ before: 70, after: 0 }), COMMITMENT_TAG, new Uint8Array(32))),
      'does not commit to the block',
    ],
    [
      'a commitment that ends too early',
      proofOf(transactionWith({ before: 70, after: 0 }).slice(0, -1)),
      'does not commit to the block',
    ],
    [
      'a tag after more than one SHA-256 block',
      {
        ...proofOf(longTail),
        coinbaseTransaction: concatBytes(compressCoinbase(new Uint8Array(0)), longTail),
      },
      'begins 64 bytes after the midstate',
    ],
    [
      'too many bytes after the commitment',
      proofOf(transactionWith({ before: 64, after: 129 })),
      '129 bytes follow the commitment',
    ],
    ['a transaction as long as a Merkle node', proofOf(short), 'has 64 bytes; it must be longer than 64'],
    [
      'another Merkle proof',
      { ...GOOD, merkleProof: encodeBranch(SIBLINGS.toReversed()) },
      "does not lead from the coinbase transaction to the Merkle root in the parent chain's header",
    ],
  ])('rejects %s', (_, mergedMining, fault) => {
    expect(faultOf(mergedMining)).toContain(fault);
  });

  it('rejects a proof with any changed byte', () => {
    const parts = ['header', 'coinbaseTransaction', 'merkleProof'] as const;
    for (const part of parts) {
      for (let index = 0; index < GOOD[part].length; index++) {
        const changed = GOOD[part].slice();
        changed[index] = (changed[index] ?? 0) ^ 0x40;
        // A changed nonce can meet the target too. Then the proof is valid.
        const isOtherProof =
          part === 'header' &&
          (index < 36 || index >= 68) &&
          meetsTarget(doubleSha256(changed), workTarget(HEADER.difficulty));
        expect(faultOf({ ...GOOD, [part]: changed }) === null, `${part} ${index}`).toBe(isOtherProof);
      }
    }
  });

  it('rejects a proof of another block', () => {
    expect(proofOfWorkFault({ ...HEADER, timestamp: 8, mergedMining: GOOD })).toContain('does not commit');
    expect(proofOfWorkFault({ ...HEADER, difficulty: 2n ** 100n, mergedMining: GOOD })).toContain(
      'above the target',
    );
  });
});
