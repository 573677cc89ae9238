import { createHash } from 'node:crypto';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';
import { p256 } from '@noble/curves/nist.js';
import { ORDER } from '../../../src/evm/precompiles/point-evaluation.ts';
import { bigIntToFixedBytes, concatBytes } from '../../../src/primitives/bytes.ts';
import { curve } from '../../../src/primitives/secp256k1/curve.ts';
import { type PrecompileName, precompileAddress } from '../../../src/protocol/hardforks/precompiles.ts';
import type { RuleSet } from '../../../src/protocol/hardforks/rule-set.ts';
import type { Dice } from './dice.ts';
import type { PrecompileCall } from './native-calls.ts';

const KEY = bigIntToFixedBytes(7n, 32);
const P256_POINT = p256.getPublicKey(KEY, false).subarray(1);
const P256_ORDER = p256.Point.Fn.ORDER;

function word(value: bigint | number): Uint8Array {
  return bigIntToFixedBytes(BigInt.asUintN(256, BigInt(value)), 32);
}

function ecRecover(dice: Dice): Uint8Array {
  const hash = dice.bytes(32);
  const { compact, recovery } = curve.sign(hash, KEY);
  return concatBytes(hash, word(dice.oneIn(6) ? dice.word() : 27 + recovery), compact);
}

/** Lengths around word sizes, and around the maximum of EIP-7823. */
const LENGTHS = [0, 1, 2, 31, 32, 33, 64, 65, 1_023, 1_024, 1_025];

/** The operands of MODEXP. Missing bytes of long operands are zero. */
function modularExponentiation(dice: Dice): Uint8Array {
  const lengths = [0, 1, 2].map(() => (dice.oneIn(12) ? dice.word() : BigInt(dice.pick(LENGTHS))));
  return concatBytes(...lengths.map(word), dice.bytes(dice.below(140)));
}

function affine({ x, y }: { x: bigint; y: bigint }, size: number): Uint8Array {
  return concatBytes(bigIntToFixedBytes(x, size), bigIntToFixedBytes(y, size));
}

/** A small multiple of the generator, the point at infinity, or sometimes an invalid point. */
function bn254Point(dice: Dice): Uint8Array {
  const factor = BigInt(dice.below(5));
  if (dice.oneIn(10)) return dice.bytes(64);
  return factor === 0n ? new Uint8Array(64) : affine(bn254.G1.Point.BASE.multiply(factor).toAffine(), 32);
}

function bls12Point(dice: Dice): Uint8Array {
  const factor = BigInt(dice.below(5));
  if (dice.oneIn(10)) return dice.bytes(128);
  return factor === 0n
    ? new Uint8Array(128)
    : affine(bls12_381.G1.Point.BASE.multiply(factor).toAffine(), 64);
}

function blake2(dice: Dice): Uint8Array {
  const rounds = bigIntToFixedBytes(BigInt(dice.pick([0, 1, 12, 60])), 4);
  return concatBytes(rounds, dice.bytes(208), Uint8Array.of(dice.pick([0, 1, 1, 2])));
}

/** The zero polynomial with a valid proof (the point at infinity) or an invalid proof. */
function pointEvaluation(dice: Dice): Uint8Array {
  const infinity = new Uint8Array(48);
  infinity[0] = 0xc0;
  const hash = new Uint8Array(createHash('sha256').update(infinity).digest());
  hash[0] = dice.oneIn(8) ? 2 : 1;
  const z = dice.oneIn(8) ? ORDER : dice.word() % ORDER;
  return concatBytes(hash, word(z), word(dice.oneIn(4) ? dice.word() : 0), infinity, infinity);
}

/** A secp256r1 signature. Sometimes a number is replaced: the order, zero, or a random value. */
function p256Signature(dice: Dice): Uint8Array {
  const hash = dice.bytes(32);
  const signature = p256.sign(hash, KEY, { prehash: false, lowS: dice.oneIn(2) });
  const parts = [hash, signature.subarray(0, 32), signature.subarray(32), P256_POINT.subarray(0, 32)];
  const numbers = [...parts, P256_POINT.subarray(32)];
  if (dice.oneIn(3)) {
    numbers[dice.below(numbers.length)] = word(dice.pick([0n, 1n, P256_ORDER, P256_ORDER - 1n, dice.word()]));
  }
  return concatBytes(...numbers);
}

const DATA: Partial<Record<PrecompileName, (dice: Dice) => Uint8Array>> = {
  ECREC: ecRecover,
  MODEXP: modularExponentiation,
  BN254_ADD: (dice) => concatBytes(bn254Point(dice), bn254Point(dice)),
  BN254_MUL: (dice) => concatBytes(bn254Point(dice), word(dice.word())),
  BLAKE2F: blake2,
  KZG_POINT_EVALUATION: pointEvaluation,
  BLS12_G1ADD: (dice) => concatBytes(bls12Point(dice), bls12Point(dice)),
  BLS12_G1MSM: (dice) => concatBytes(bls12Point(dice), word(dice.word())),
  P256VERIFY: p256Signature,
};

/**
 * A call of a precompile with plausible input. Sometimes the input is too short or too long, or the rule set
 * lacks the precompile.
 */
export function precompileCall({ precompiles }: RuleSet, dice: Dice): PrecompileCall {
  const all = Object.entries(DATA) as [PrecompileName, (dice: Dice) => Uint8Array][];
  const known = all.filter(([name]) => precompiles.contracts.includes(name));
  const [name, dataOf] = dice.pick(dice.oneIn(8) ? all : known);
  const data = dataOf(dice);
  const length = dice.oneIn(10) ? dice.below(data.length + 40) : data.length;
  const cut = new Uint8Array(length);
  cut.set(data.subarray(0, length));
  return { to: precompileAddress(name), data: cut };
}
