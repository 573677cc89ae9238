import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';
import { describe, expect, it } from 'vitest';
import { bigIntToFixedBytes, concatBytes } from '../../../src/primitives/bytes.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { wordBytes } from '../../support/words.ts';
import { contractNamed } from './contracts.ts';

interface Field2 {
  readonly c0: bigint;
  readonly c1: bigint;
}

type Encode<Coordinate> = (coordinate: Coordinate) => Uint8Array;

const blsField: Encode<bigint> = (value) => bigIntToFixedBytes(value, 64);
const blsField2: Encode<Field2> = ({ c0, c1 }) => concatBytes(blsField(c0), blsField(c1));
const bnField2: Encode<Field2> = ({ c0, c1 }) => concatBytes(wordBytes(c1), wordBytes(c0));

/** Returns a function that encodes multiples of a point. The factor may be negative. */
function multiples<Coordinate>(
  base: {
    multiplyUnsafe(k: bigint): { toAffine(): { readonly x: Coordinate; readonly y: Coordinate } };
  },
  order: bigint,
  encode: Encode<Coordinate>,
): (k: number) => Uint8Array {
  return (k) => {
    const { x, y } = base.multiplyUnsafe((BigInt(k) + order) % order).toAffine();
    return concatBytes(encode(x), encode(y));
  };
}

const bnOrder = bn254.fields.Fr.ORDER;
const blsOrder = bls12_381.fields.Fr.ORDER;
const bnG1 = multiples(bn254.G1.Point.BASE, bnOrder, wordBytes);
const bnG2 = multiples(bn254.G2.Point.BASE, bnOrder, bnField2);
const blsG1 = multiples(bls12_381.G1.Point.BASE, blsOrder, blsField);
const blsG2 = multiples(bls12_381.G2.Point.BASE, blsOrder, blsField2);

type Name = 'BN254_PAIRING' | 'BLS12_PAIRING_CHECK' | 'BLS12_G1MSM' | 'BLS12_G2MSM';

/** Runs the contract in steps, checks that `run` returns the same, and counts the steps. */
async function answerOf(name: Name, input: Uint8Array): Promise<{ answer: string; pieces: number }> {
  const contract = contractNamed('prague', name);
  await contract.load();
  const work = contract.runInSteps?.(input);
  if (work === undefined) throw new Error(`${name} has no pieces`);
  let pieces = 1;
  let piece = work.next();
  for (; piece.done !== true; pieces++) piece = work.next();
  const answer = toHex(piece.value);
  expect(toHex(contract.run(input, undefined as never))).toBe(answer);
  return { answer, pieces };
}

describe('products of pairings in parts of eight', () => {
  it.each([1, 7, 8, 16])('a pairing of %i pairs is one only if another pair cancels them', async (count) => {
    for (const [name, g1, g2] of [
      ['BN254_PAIRING', bnG1, bnG2],
      ['BLS12_PAIRING_CHECK', blsG1, blsG2],
    ] as const) {
      // The factors differ, so that all pairs differ.
      const factors = Array.from({ length: count }, (_, index) => index + 1);
      const sum = factors.reduce((total, factor) => total + factor, 0);
      const product = (last: number): Uint8Array =>
        concatBytes(...[...factors, last].map((factor) => concatBytes(g1(factor), g2(1))));
      const [one, other] = [await answerOf(name, product(-sum)), await answerOf(name, product(-sum - 1))];
      expect(BigInt(one.answer)).toBe(1n);
      expect(BigInt(other.answer)).toBe(0n);
      expect(one.pieces).toBe(count + 2);
    }
  });
});

describe('multi-scalar multiplications in parts of 32', () => {
  it.each([1, 32, 33, 65])('a multi-scalar multiplication of %i points returns the sum', async (count) => {
    for (const [name, point] of [
      ['BLS12_G1MSM', blsG1],
      ['BLS12_G2MSM', blsG2],
    ] as const) {
      const factors = Array.from({ length: count }, (_, index) => 1 + (index % 5));
      const input = concatBytes(
        ...factors.map((factor, index) => concatBytes(point(factor), wordBytes(BigInt(index + 2)))),
      );
      const sum = factors.reduce((total, factor, index) => total + factor * (index + 2), 0);
      const { answer, pieces } = await answerOf(name, input);
      expect(answer).toBe(toHex(point(sum)));
      expect(pieces).toBe(count + 1);
    }
  });
});
