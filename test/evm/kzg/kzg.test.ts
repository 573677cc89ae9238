import { beforeAll, describe, expect, it } from 'vitest';
import { coefficientsOf, type Pieces, valueAt } from '../../../src/evm/kzg/blob-polynomial.ts';
import type { Kzg } from '../../../src/evm/kzg/kzg.ts';
import { loadKzg } from '../../../src/evm/kzg/kzg.ts';
import { ORDER } from '../../../src/evm/precompiles/point-evaluation.ts';
import { bigIntToFixedBytes } from '../../../src/primitives/bytes.ts';
import { BLOB_SIZE } from '../../../src/protocol/blobs.ts';
import { provenBlobs } from '../../support/blobs.ts';

function run<Result>(work: Pieces<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** The bytes with one bit changed. */
function altered(bytes: Uint8Array, place: number): Uint8Array {
  const copy = bytes.slice();
  copy[place] = (copy[place] ?? 0) ^ 1;
  return copy;
}

describe('KZG', () => {
  const blobs = provenBlobs();
  const [text, full] = blobs;
  let kzg: Kzg;
  beforeAll(async () => {
    kzg = await loadKzg();
  });

  it('commits to blobs and proves them as c-kzg-4844 does', () => {
    for (const { blob, commitment, blobProof } of blobs) {
      expect(run(kzg.commitment(blob))).toEqual(commitment);
      expect(run(kzg.blobProof(blob, commitment))).toEqual(blobProof);
    }
  });

  it('accepts only the blob proofs of c-kzg-4844', () => {
    for (const { blob, commitment, blobProof } of blobs) {
      expect(run(kzg.isBlobProofRight(blob, commitment, blobProof))).toBe(true);
      expect(run(kzg.isBlobProofRight(altered(blob, 63), commitment, blobProof))).toBe(false);
    }
    expect(run(kzg.isBlobProofRight(text.blob, full.commitment, text.blobProof))).toBe(false);
    expect(run(kzg.isBlobProofRight(text.blob, text.commitment, full.blobProof))).toBe(false);
    expect(run(kzg.isBlobProofRight(text.blob, text.commitment, new Uint8Array(48)))).toBe(false);
    expect(run(kzg.isBlobProofRight(text.blob, altered(text.commitment, 47), text.blobProof))).toBe(false);
  });

  it('accepts only the cell proofs of c-kzg-4844 in their order', () => {
    for (const { blob, commitment, cellProofs } of blobs) {
      expect(run(kzg.areCellProofsRight(blob, commitment, cellProofs))).toBe(true);
      expect(run(kzg.areCellProofsRight(altered(blob, BLOB_SIZE - 1), commitment, cellProofs))).toBe(false);
      const [first, second, ...rest] = cellProofs;
      const swapped = [second, first, ...rest].flatMap((proof) => proof ?? []);
      expect(run(kzg.areCellProofsRight(blob, commitment, swapped))).toBe(false);
      expect(run(kzg.areCellProofsRight(blob, commitment, cellProofs.slice(1)))).toBe(false);
      expect(run(kzg.areCellProofsRight(blob, commitment, cellProofs.with(77, new Uint8Array(48))))).toBe(
        false,
      );
    }
    expect(run(kzg.areCellProofsRight(text.blob, full.commitment, text.cellProofs))).toBe(false);
    const noPoint = altered(text.commitment, 47);
    expect(run(kzg.areCellProofsRight(text.blob, noPoint, text.cellProofs))).toBe(false);
  });

  it('proves the cells of a blob as c-kzg-4844 does', () => {
    for (const { blob, cellProofs } of blobs) expect(run(kzg.cellProofs(blob))).toEqual(cellProofs);
  });

  it('proves the cells of a blob with four non-zero field elements', () => {
    const blob = new Uint8Array(BLOB_SIZE);
    for (const index of [0, 1, 2_047, 4_095]) blob.set(bigIntToFixedBytes(ORDER - 1n, 32), 32 * index);
    expect(run(kzg.areCellProofsRight(blob, run(kzg.commitment(blob)), run(kzg.cellProofs(blob))))).toBe(
      true,
    );
  });

  it('rejects blobs with a field element that is not below the group order', () => {
    const blob = new Uint8Array(BLOB_SIZE);
    blob.set(bigIntToFixedBytes(ORDER, 32), 32 * 5);
    expect(() => run(kzg.commitment(blob))).toThrow(
      'field element 5 of the blob is not below the group order',
    );
    expect(run(kzg.isBlobProofRight(blob, text.commitment, text.blobProof))).toBe(false);
    expect(run(kzg.areCellProofsRight(blob, text.commitment, text.cellProofs))).toBe(false);
  });

  it('commits to a zero blob with the point at infinity', () => {
    const infinity = new Uint8Array(48);
    infinity[0] = 0xc0;
    const blob = new Uint8Array(BLOB_SIZE);
    expect(run(kzg.commitment(blob))).toEqual(infinity);
    expect(run(kzg.isBlobProofRight(blob, infinity, run(kzg.blobProof(blob, infinity))))).toBe(true);
    expect(
      run(
        kzg.areCellProofsRight(
          blob,
          infinity,
          Array.from({ length: 128 }, () => infinity),
        ),
      ),
    ).toBe(true);
  });

  it('computes the polynomial that has the values of the blob', () => {
    const coefficients = run(coefficientsOf(full.blob));
    // The blob has the bit-reversed order: its first element is the value at 1, its second the value at -1.
    const numberAt = (index: number) =>
      BigInt(`0x${Buffer.from(full.blob.subarray(32 * index, 32 * index + 32)).toString('hex')}`);
    expect(valueAt(coefficients, 1n)).toBe(numberAt(0));
    expect(valueAt(coefficients, ORDER - 1n)).toBe(numberAt(1));
  });
});
