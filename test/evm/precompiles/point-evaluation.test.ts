import { bls12_381 } from '@noble/curves/bls12-381.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type PrecompiledContract,
  PrecompileError,
} from '../../../src/evm/precompiles/precompiled-contract.ts';
import { concatBytes } from '../../../src/primitives/bytes.ts';
import { fromHex } from '../../../src/primitives/hex.ts';
import { wordBytes } from '../../support/words.ts';
import { CONTEXT, contractNamed } from './contracts.ts';
import { kzgScalar as scalar } from './inputs.ts';
import {
  compressedProduct,
  evaluationInput,
  evaluationOf,
  KZG_ORDER,
  SECRET_IN_G1,
} from './kzg-evaluations.ts';

const { G1, G2 } = bls12_381;
const ANSWER = concatBytes(wordBytes(4_096), wordBytes(KZG_ORDER));

describe('KZG_POINT_EVALUATION', () => {
  let contract: PrecompiledContract;
  beforeAll(async () => {
    contract = contractNamed('cancun', 'KZG_POINT_EVALUATION');
    await contract.load();
  });

  const expectRejection = (input: Uint8Array) => {
    expect(() => contract.run(input, CONTEXT)).toThrow(PrecompileError);
  };

  it('costs 50,000 gas for any input', () => {
    expect([contract.gas(new Uint8Array(0)), contract.gas(new Uint8Array(192))]).toEqual([50_000n, 50_000n]);
  });

  it('accepts a proof of the ceremony', () => {
    const z = '564c0a11a0f704f4fc3e8acfe0f8245f0ad1347b378fbf96e206da11a5d36306';
    const y = '24d25032e67a7e6a4910df5834b8fe70e6bcfeeac0352434196bdf4b2485d5a1';
    const commitment =
      '8f59a8d2a1a625a17f3fea0fe5eb8c896db3764f3185481bc22f91b4aaffcca25f26936857bc3a7c2539ea8ec3a952b7';
    const proof =
      '873033e038326e87ed3e1276fd140253fa08e9fc25fb2d9a98527fc22a2c9612fbeafdad446cbc7bcdbdcd780af2c16a';
    const hash = '01e798154708fe7789429634053cbf9f99b619f9f084048927333fce637f549b';
    expect(contract.run(fromHex(`0x${hash}${z}${y}${commitment}${proof}`), CONTEXT)).toEqual(ANSWER);
  });

  it('accepts the right value of a polynomial and rejects another value', () => {
    fc.assert(
      fc.property(
        scalar,
        scalar,
        scalar,
        fc.bigInt({ min: 1n, max: KZG_ORDER - 1n }),
        (constant, slope, z, error) => {
          expect(contract.run(evaluationOf({ constant, slope }, z), CONTEXT)).toEqual(ANSWER);
          expectRejection(evaluationOf({ constant, slope }, z, error));
        },
      ),
      { seed: 4844, numRuns: 30 },
    );
  });

  it('rejects any input with one changed byte', () => {
    const right = evaluationOf({ constant: 3n, slope: 5n }, 7n);
    fc.assert(
      fc.property(fc.nat(191), fc.integer({ min: 1, max: 255 }), (place, change) => {
        const changed = right.slice();
        changed[place] = (changed[place] ?? 0) ^ change;
        expectRejection(changed);
      }),
      { seed: 4844, numRuns: 100 },
    );
  });

  it('rejects a shorter or a longer input', () => {
    const right = evaluationOf({ constant: 3n, slope: 5n }, 7n);
    expectRejection(right.subarray(0, 191));
    expectRejection(concatBytes(right, Uint8Array.of(0)));
    expectRejection(new Uint8Array(0));
  });

  it('rejects numbers that are not below the group order', () => {
    const commitment = compressedProduct(G1.Point.BASE, 3n);
    const proof = G1.Point.ZERO.toBytes(true);
    expect(contract.run(evaluationInput(commitment, 9n, 3n, proof), CONTEXT)).toEqual(ANSWER);
    expectRejection(evaluationInput(commitment, 9n + KZG_ORDER, 3n, proof));
    expectRejection(evaluationInput(commitment, 9n, 3n + KZG_ORDER, proof));
  });

  it('rejects points with another encoding, outside the curve or outside the subgroup', () => {
    const commitment = compressedProduct(G1.Point.BASE, 3n);
    const infinity = G1.Point.ZERO.toBytes(true);
    const withBytes = (point: Uint8Array, first: number, last?: number) => {
      const changed = point.slice();
      changed[0] = first;
      if (last !== undefined) changed[47] = last;
      return changed;
    };
    const x = (value: bigint) => {
      const point = new Uint8Array(48);
      point.set(wordBytes(value), 16);
      return withBytes(point, 0x80);
    };
    const bad = [
      withBytes(infinity, 0x40),
      withBytes(infinity, 0xe0),
      withBytes(infinity, 0xc0, 1),
      withBytes(commitment, (commitment[0] ?? 0) & 0x7f),
      // Invalid x coordinates: the field modulus, 1 (not on the curve), and 4 (outside the subgroup).
      withBytes(
        fromHex(`0x${bls12_381.fields.Fp.ORDER.toString(16)}`),
        0x80 | Number(bls12_381.fields.Fp.ORDER >> 376n),
      ),
      x(1n),
      x(4n),
    ];
    for (const point of bad) {
      expectRejection(evaluationInput(commitment, 9n, 3n, point));
      expectRejection(evaluationInput(point, 9n, 3n, infinity));
    }
  });
});

it('SECRET_IN_G1 matches the published result of the KZG ceremony', () => {
  // e(s G1, G2) = e(G1, s G2)
  const secretInG2 = G2.Point.fromHex(
    'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
  );
  const { Fp12 } = bls12_381.fields;
  expect(
    Fp12.eql(bls12_381.pairing(SECRET_IN_G1, G2.Point.BASE), bls12_381.pairing(G1.Point.BASE, secretInG2)),
  ).toBe(true);
});
