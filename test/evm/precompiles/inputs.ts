import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';
import { p256 } from '@noble/curves/nist.js';
import fc from 'fast-check';
import { bigIntToFixedBytes, concatBytes } from '../../../src/primitives/bytes.ts';
import { curve } from '../../../src/primitives/secp256k1/curve.ts';
import { wordBytes } from '../../support/words.ts';
import { evaluationOf, KZG_ORDER } from './kzg-evaluations.ts';

type Bytes = fc.Arbitrary<Uint8Array>;

const bytes = (maxLength: number): Bytes => fc.uint8Array({ maxLength });

function joined(...parts: Bytes[]): Bytes {
  return fc.tuple(...parts).map((drawn) => concatBytes(...drawn));
}

function repeated(part: Bytes, maxLength: number): Bytes {
  return fc.array(part, { maxLength }).map((parts) => concatBytes(...parts));
}

/** Returns the input as it is, cut, extended, or changed in one byte. */
function damaged(input: Bytes): Bytes {
  return fc
    .tuple(input, fc.constantFrom('intact', 'intact', 'cut', 'continued', 'changed'), fc.nat(), fc.nat(255))
    .map(([whole, damage, place, byte]) => {
      if (damage === 'cut') return whole.subarray(0, place % (whole.length + 1));
      if (damage === 'continued') return concatBytes(whole, new Uint8Array(1 + (place % 40)).fill(byte));
      const copy = whole.slice();
      if (damage === 'changed' && copy.length > 0) copy[place % copy.length] = byte;
      return copy;
    });
}

const scalar = fc
  .oneof(
    fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    fc.bigInt({ min: 0n, max: 20n }),
    fc.constantFrom(
      bn254.fields.Fr.ORDER,
      bn254.fields.Fr.ORDER - 1n,
      bls12_381.fields.Fr.ORDER,
      bls12_381.fields.Fr.ORDER - 1n,
      2n ** 256n - 1n,
    ),
  )
  .map(wordBytes);

const factor = fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 2n ** 20n }));

interface Field2 {
  readonly c0: bigint;
  readonly c1: bigint;
}

interface Affine<Coordinate> {
  readonly x: Coordinate;
  readonly y: Coordinate;
}

/** A point of a group, or infinity, in the encoding of the curve's precompiles. */
function point<Coordinate>(
  base: { multiplyUnsafe(k: bigint): { toAffine(): Affine<Coordinate> } },
  encode: (coordinate: Coordinate) => Uint8Array,
  infinityBytes: number,
): Bytes {
  return factor.map((k) => {
    if (k === 0n) return new Uint8Array(infinityBytes);
    const { x, y } = base.multiplyUnsafe(k).toAffine();
    return concatBytes(encode(x), encode(y));
  });
}

const bnG1 = fc.oneof(
  { weight: 5, arbitrary: point(bn254.G1.Point.BASE, wordBytes, 64) },
  // A coordinate above the modulus.
  { weight: 1, arbitrary: fc.constant(concatBytes(wordBytes(1n + bn254.fields.Fp.ORDER), wordBytes(2))) },
  { weight: 1, arbitrary: joined(scalar, scalar) },
);
const bnField2 = ({ c0, c1 }: Field2) => concatBytes(wordBytes(c1), wordBytes(c0));
/** On the curve, but not in the subgroup. */
const bnG2OfOtherOrder = (() => {
  const { Fp2 } = bn254.fields;
  const { b } = bn254.G2.Point.CURVE();
  for (let c0 = 1n; ; c0++) {
    const x = Fp2.create({ c0, c1: 0n });
    try {
      const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), b));
      if (!bn254.G2.Point.fromAffine({ x, y }).isTorsionFree()) return concatBytes(bnField2(x), bnField2(y));
    } catch {
      // No root: no such point.
    }
  }
})();
const bnG2 = fc.oneof(
  { weight: 6, arbitrary: point(bn254.G2.Point.BASE, bnField2, 128) },
  { weight: 1, arbitrary: fc.constant(bnG2OfOtherOrder) },
);

const blsField = (value: bigint) => bigIntToFixedBytes(value, 64);
const blsField2 = ({ c0, c1 }: Field2) => concatBytes(blsField(c0), blsField(c1));
const blsG1OfOtherOrder = (() => {
  const { Fp } = bls12_381.fields;
  for (let x = 1n; ; x++) {
    try {
      const y = Fp.sqrt(Fp.add(Fp.pow(x, 3n), 4n));
      if (!bls12_381.G1.Point.fromAffine({ x, y }).isTorsionFree())
        return concatBytes(blsField(x), blsField(y));
    } catch {
      // No root: no such point.
    }
  }
})();
const blsG2OfOtherOrder = (() => {
  const { Fp2 } = bls12_381.fields;
  const { b } = bls12_381.G2.Point.CURVE();
  for (let c0 = 1n; ; c0++) {
    const x = Fp2.create({ c0, c1: 0n });
    try {
      const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), b));
      if (!bls12_381.G2.Point.fromAffine({ x, y }).isTorsionFree())
        return concatBytes(blsField2(x), blsField2(y));
    } catch {
      // No root: no such point.
    }
  }
})();
const blsG1 = fc.oneof(
  { weight: 8, arbitrary: point(bls12_381.G1.Point.BASE, blsField, 128) },
  { weight: 1, arbitrary: fc.constant(blsG1OfOtherOrder) },
);
const blsG2 = fc.oneof(
  { weight: 8, arbitrary: point(bls12_381.G2.Point.BASE, blsField2, 256) },
  { weight: 1, arbitrary: fc.constant(blsG2OfOtherOrder) },
);
const blsNumber = fc
  .oneof(
    fc.bigInt({ min: 0n, max: bls12_381.fields.Fp.ORDER - 1n }),
    fc.constantFrom(0n, 1n, bls12_381.fields.Fp.ORDER - 1n, bls12_381.fields.Fp.ORDER, 2n ** 384n - 1n),
  )
  .map(blsField);

interface Multiples<Coordinate> {
  multiplyUnsafe(k: bigint): { negate(): { toAffine(): Affine<Coordinate> }; toAffine(): Affine<Coordinate> };
}

/** Pairs whose pairings have the product one: `e(a P, b Q) e(-(a b) P, Q)`. Some have another product. */
function cancellingPairs<Coordinate>(
  g1: Multiples<bigint>,
  g2: Multiples<Coordinate>,
  encode: (coordinate: bigint) => Uint8Array,
  encode2: (coordinate: Coordinate) => Uint8Array,
): Bytes {
  const number = fc.bigInt({ min: 1n, max: 1_000n });
  return fc.tuple(number, number, fc.constantFrom(0n, 0n, 1n)).map(([a, b, error]) => {
    const [left, right] = [
      g1.multiplyUnsafe(a).toAffine(),
      g1
        .multiplyUnsafe(a * b + error)
        .negate()
        .toAffine(),
    ];
    const [other, base] = [g2.multiplyUnsafe(b).toAffine(), g2.multiplyUnsafe(1n).toAffine()];
    return concatBytes(
      ...[encode(left.x), encode(left.y), encode2(other.x), encode2(other.y)],
      ...[encode(right.x), encode(right.y), encode2(base.x), encode2(base.y)],
    );
  });
}
const bnCancelling = cancellingPairs(bn254.G1.Point.BASE, bn254.G2.Point.BASE, wordBytes, bnField2);
const blsCancelling = cancellingPairs(bls12_381.G1.Point.BASE, bls12_381.G2.Point.BASE, blsField, blsField2);

/** A number below the order of BLS12-381's groups. */
export const kzgScalar = fc.oneof(
  fc.bigInt({ min: 0n, max: KZG_ORDER - 1n }),
  fc.constantFrom(0n, 1n, KZG_ORDER - 1n),
);

/** A signature and its hash. `v` may belong to another key or be invalid. */
const signature = fc
  .tuple(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.bigInt({ min: 1n, max: 2n ** 255n }), fc.nat(3))
  .map(([hash, key, change]) => {
    const { compact, recovery } = curve.sign(hash, wordBytes(key));
    return concatBytes(hash, wordBytes(change < 2 ? 27 + (recovery ^ change) : 24 + change), compact);
  });

const modularExponentiation = fc
  .tuple(bytes(70), bytes(70), bytes(70), fc.nat(9), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }))
  .map(([base, exponent, modulus, kind, length]) => {
    const numbers = concatBytes(base, exponent, modulus);
    // Lengths beyond the end of the data.
    if (kind === 0)
      return concatBytes(wordBytes(length), wordBytes(exponent.length), wordBytes(modulus.length), numbers);
    if (kind === 1)
      return concatBytes(wordBytes(base.length), wordBytes(length), wordBytes(modulus.length), numbers);
    if (kind === 2) return concatBytes(wordBytes(0), wordBytes(length), wordBytes(0), numbers);
    if (kind === 3)
      return concatBytes(wordBytes(base.length), wordBytes(300), wordBytes(modulus.length), numbers);
    return concatBytes(
      wordBytes(base.length),
      wordBytes(exponent.length),
      wordBytes(modulus.length),
      numbers,
    );
  });

const blake2f = fc
  .tuple(fc.nat(40), fc.uint8Array({ minLength: 208, maxLength: 208 }), fc.nat(2))
  .map(([rounds, rest, final]) =>
    concatBytes(bigIntToFixedBytes(BigInt(rounds), 4), rest, Uint8Array.of(final)),
  );

/** Inputs with right and wrong values of the polynomials `constant + slope * x`. */
const pointEvaluation = fc
  .tuple(kzgScalar, kzgScalar, kzgScalar, fc.constantFrom(0n, 0n, 1n))
  .map(([constant, slope, z, error]) => evaluationOf({ constant, slope }, z, error));

/** Right and wrong signatures of secp256r1. Some keys are not points, and some numbers are out of range. */
const passkeySignature = fc
  .tuple(
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
    fc.bigInt({ min: 1n, max: 2n ** 255n }),
    fc.constantFrom(
      'right',
      'right',
      'other hash',
      'high s',
      'zero r',
      'zero s',
      'no key',
      'r above the order',
    ),
  )
  .map(([hash, secret, kind]) => {
    const key = wordBytes(secret);
    const signed = p256.sign(hash, key, { prehash: false, lowS: true });
    const [r, s] = [signed.subarray(0, 32), signed.subarray(32)];
    const order = p256.Point.Fn.ORDER;
    const high = wordBytes(order - BigInt(`0x${Buffer.from(s).toString('hex')}`));
    const parts = {
      hash: kind === 'other hash' ? hash.map((byte) => byte ^ 1) : hash,
      r: kind === 'zero r' ? wordBytes(0) : kind === 'r above the order' ? wordBytes(order) : r,
      s: kind === 'zero s' ? wordBytes(0) : kind === 'high s' ? high : s,
      key: kind === 'no key' ? new Uint8Array(64) : p256.getPublicKey(key, false).subarray(1),
    };
    return concatBytes(parts.hash, parts.r, parts.s, parts.key);
  });

/** Valid and invalid inputs by precompile name. `runs` is low for slow precompiles. */
export const INPUTS: Readonly<Record<string, { readonly input: Bytes; readonly runs: number }>> = {
  ECREC: { input: fc.oneof(damaged(signature), bytes(140)), runs: 300 },
  SHA256: { input: bytes(300), runs: 100 },
  RIPEMD160: { input: bytes(300), runs: 100 },
  ID: { input: bytes(300), runs: 100 },
  MODEXP: { input: fc.oneof(damaged(modularExponentiation), bytes(120)), runs: 500 },
  BN254_ADD: { input: damaged(joined(bnG1, bnG1)), runs: 100 },
  BN254_MUL: { input: damaged(joined(bnG1, scalar)), runs: 100 },
  BN254_PAIRING: { input: damaged(fc.oneof(repeated(joined(bnG1, bnG2), 3), bnCancelling)), runs: 40 },
  BLAKE2F: { input: damaged(blake2f), runs: 200 },
  KZG_POINT_EVALUATION: { input: damaged(pointEvaluation), runs: 60 },
  BLS12_G1ADD: { input: damaged(joined(blsG1, blsG1)), runs: 100 },
  BLS12_G1MSM: { input: damaged(repeated(joined(blsG1, scalar), 4)), runs: 50 },
  BLS12_G2ADD: { input: damaged(joined(blsG2, blsG2)), runs: 60 },
  BLS12_G2MSM: { input: damaged(repeated(joined(blsG2, scalar), 4)), runs: 30 },
  BLS12_PAIRING_CHECK: {
    input: damaged(fc.oneof(repeated(joined(blsG1, blsG2), 3), blsCancelling)),
    runs: 30,
  },
  BLS12_MAP_FP_TO_G1: { input: damaged(blsNumber), runs: 40 },
  BLS12_MAP_FP2_TO_G2: { input: damaged(joined(blsNumber, blsNumber)), runs: 30 },
  P256VERIFY: { input: damaged(passkeySignature), runs: 100 },
};
