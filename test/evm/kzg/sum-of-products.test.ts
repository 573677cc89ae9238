import { beforeAll, describe, expect, it } from 'vitest';
import { sumOfProducts } from '../../../src/evm/kzg/sum-of-products.ts';
import { withMemory } from '../../../src/evm/precompiles/mcl-module.ts';
import { type PairingCurve, readScalar } from '../../../src/evm/precompiles/pairing-curve.ts';
import { ORDER, writeCompressedPoint } from '../../../src/evm/precompiles/point-evaluation.ts';
import { bigIntToFixedBytes } from '../../../src/primitives/bytes.ts';
import { Dice } from '../../fuzz/engines/dice.ts';

const G1_GENERATOR: readonly bigint[] = [
  0x17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bbn,
  0x08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1n,
];

let curve: PairingCurve;
beforeAll(async () => {
  const { CURVES } = await import('../../../src/evm/precompiles/mcl-curves.ts');
  ({ bls12381Curve: curve } = await CURVES);
});

/** Returns the computed and the expected sum for points (`factors` times the generator) and scalars. */
function sums(factors: readonly bigint[], scalars: readonly bigint[]): [Uint8Array, Uint8Array] {
  const { mcl, g1 } = curve;
  const count = factors.length;
  return withMemory(mcl, (count + 2) * g1.size + 32, (result) => {
    const generator = result + g1.size;
    const points = generator + g1.size;
    const scalar = points + count * g1.size;
    g1.read(Buffer.concat(G1_GENERATOR.map((coordinate) => bigIntToFixedBytes(coordinate, 64))), generator);
    const multiply = (target: number, factor: bigint): void => {
      readScalar(mcl, bigIntToFixedBytes(factor % ORDER, 32), scalar);
      mcl._mclBnG1_mul(target, generator, scalar);
    };
    for (const [index, factor] of factors.entries()) {
      multiply(points + index * g1.size, factor);
      mcl._mclBnG1_normalize(points + index * g1.size, points + index * g1.size);
    }
    const work = sumOfProducts(curve, result, points, scalars);
    while (work.next().done !== true);
    const sum = writeCompressedPoint(curve, result);
    multiply(
      result,
      factors.reduce((total, factor, index) => total + factor * (scalars[index] ?? 0n), 0n),
    );
    return [sum, writeCompressedPoint(curve, result)];
  });
}

describe('sumOfProducts', () => {
  it.each([
    ['zero scalars only', [5n, 6n], [0n, 0n]],
    ['the largest and the smallest scalars', [1n, 2n, 3n, 4n], [ORDER - 1n, 1n, 0n, ORDER - 2n]],
    ['digits that carry', [1n, 7n, 9n], [0x80n, 0x7f80n, BigInt(`0x${'7f'.repeat(31)}ff`)]],
    ['a repeated point', [3n, 3n, 3n], [200n, 200n, 56n]],
    ['points that cancel each other', [3n, ORDER - 3n], [77n, 77n]],
    ['the point at infinity', [0n, 2n], [9n, 4n]],
    ['no point', [], []],
  ])('returns the right sum for %s', (_, factors, scalars) => {
    const [sum, expected] = sums(factors, scalars);
    expect(sum).toEqual(expected);
  });

  it('returns the right sum for random points and scalars', () => {
    const dice = new Dice(7_594);
    for (let round = 0; round < 8; round++) {
      const count = 1 + dice.below(40);
      const random = () => Array.from({ length: count }, () => dice.word() % ORDER);
      const [sum, expected] = sums(random(), random());
      expect(sum).toEqual(expected);
    }
  });
});
