// Verification of KZG proofs (EIP-4844).

import { createHash } from 'node:crypto';
import {
  bigIntToFixedBytes,
  bytesToBigInt,
  compareBytes,
  concatBytes,
  equalBytes,
} from '../../primitives/bytes.ts';
import { fromHex } from '../../primitives/hex.ts';
import { FIELD_SIZE, type Pointer, SCALAR_SIZE, withMemory } from './mcl-module.ts';
import { type PairingCurve, readScalar } from './pairing-curve.ts';
import {
  type LazyLibrary,
  type PrecompiledFunction,
  PrecompileError,
  requireLength,
} from './precompiled-contract.ts';

/** The size of a compressed point in bytes: its x coordinate, with three flags in the highest bits. */
export const COMPRESSED_BYTES = 48;

const IS_COMPRESSED = 0x80;
const IS_INFINITY = 0x40;
const IS_LARGER_Y = 0x20;
const FLAGS = IS_COMPRESSED | IS_INFINITY | IS_LARGER_Y;

/**
 * Reads a compressed point of BLS12-381's G1 in the encoding of the consensus layer. Throws `PrecompileError`
 * if it is invalid or not canonical. The order is not checked.
 */
export function readCompressedPoint(curve: PairingCurve, bytes: Uint8Array, result: Pointer): void {
  const { mcl } = curve;
  const flags = (bytes[0] ?? 0) & FLAGS;
  const x = bytes.slice(0, COMPRESSED_BYTES);
  x[0] = (x[0] ?? 0) & ~FLAGS;
  if ((flags & IS_COMPRESSED) === 0) throw new PrecompileError('the point is not compressed');
  if (flags & IS_INFINITY) {
    if (flags & IS_LARGER_Y || x.some((byte) => byte !== 0)) {
      throw new PrecompileError('the point at infinity has coordinates or a sign');
    }
    mcl._mclBnG1_clear(result);
    return;
  }
  const y = result + FIELD_SIZE;
  curve.field.readUnpadded(x, result);
  rootOfEquation(curve, result, y);
  if (isLargerThanNegative(curve, y) !== ((flags & IS_LARGER_Y) !== 0)) mcl._mclBnFp_neg(y, y);
  mcl._mclBnFp_setInt32(y + FIELD_SIZE, 1);
}

/** Like {@link readCompressedPoint}, but also throws if the point is not in the subgroup. */
export function readPointOfOrder(curve: PairingCurve, bytes: Uint8Array, result: Pointer): void {
  readCompressedPoint(curve, bytes, result);
  curve.g1.requireOrder(result);
}

/** Encodes a point of G1 for {@link readCompressedPoint}. Normalises the point. */
export function writeCompressedPoint(curve: PairingCurve, point: Pointer): Uint8Array {
  const bytes = new Uint8Array(COMPRESSED_BYTES);
  if (curve.g1.isInfinity(point)) {
    bytes[0] = IS_COMPRESSED | IS_INFINITY;
    return bytes;
  }
  curve.mcl._mclBnG1_normalize(point, point);
  bytes.set(curve.field.write(point).subarray(-COMPRESSED_BYTES));
  const sign = isLargerThanNegative(curve, point + FIELD_SIZE) ? IS_LARGER_Y : 0;
  bytes[0] = (bytes[0] ?? 0) | IS_COMPRESSED | sign;
  return bytes;
}

/** Computes one of the two `y` with `y^2 = x^3 + 4`. */
function rootOfEquation({ mcl }: PairingCurve, x: Pointer, y: Pointer): void {
  const hasRoot = withMemory(mcl, FIELD_SIZE, (four) => {
    mcl._mclBnFp_setInt32(four, 4);
    mcl._mclBnFp_sqr(y, x);
    mcl._mclBnFp_mul(y, y, x);
    mcl._mclBnFp_add(y, y, four);
    return mcl._mclBnFp_squareRoot(y, y) === 0;
  });
  if (!hasRoot) throw new PrecompileError('the point is not on the curve');
}

function isLargerThanNegative({ mcl, field }: PairingCurve, y: Pointer): boolean {
  return withMemory(mcl, FIELD_SIZE, (negative) => {
    mcl._mclBnFp_neg(negative, y);
    return compareBytes(field.write(y), field.write(negative)) > 0;
  });
}

/** Encodes the coordinates of a point as in EIP-2537. */
function encodedPoint(...coordinates: readonly string[]): Uint8Array {
  return fromHex(`0x${coordinates.map((coordinate) => coordinate.padStart(128, '0')).join('')}`);
}

/** The generators of the groups of BLS12-381. */
const G1_GENERATOR = encodedPoint(
  '17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
  '08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1',
);
export const G2_GENERATOR = encodedPoint(
  '024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8',
  '13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e',
  '0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801',
  '0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be',
);
/** The generator of G2 times the secret of the KZG ceremony, the only setup point needed. */
const G2_TIMES_SECRET = encodedPoint(
  '185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
  '15bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72',
  '014353bdb96b626dd7d5ee8599d1fca2131569490e28de18e82451a496a9c9794ce26d105941f383ee689bfbbb832a99',
  '1666c54b0a32529503432fcae0181b4bef79de09fc63671fda5ed1ba9bfa07899495346f3d7ac9cd23048ef30d0a154f',
);

/**
 * Returns true if the polynomial of the commitment has the value `y` at `z` (EIP-4844's `verify_kzg_proof`).
 * Commitment and proof are compressed points (48 bytes). `z` and `y` are 32 bytes and below the order of the
 * group. Throws `PrecompileError` for invalid points.
 */
export function isKzgProofRight(
  curve: PairingCurve,
  commitment: Uint8Array,
  z: Uint8Array,
  y: Uint8Array,
  proof: Uint8Array,
): boolean {
  const { mcl, g1, g2 } = curve;
  return withMemory(mcl, 4 * g1.size + 2 * g2.size + SCALAR_SIZE, (left) => {
    const proofPoint = left + g1.size;
    const right = proofPoint + g1.size;
    const product = right + 2 * g2.size;
    const generator = product + g1.size;
    const scalar = generator + g1.size;
    readPointOfOrder(curve, commitment, left);
    readPointOfOrder(curve, proof, proofPoint);
    // commitment + z * proof - y * generator, paired with the generator, must equal the proof paired with the
    // secret.
    readScalar(mcl, z, scalar);
    mcl._mclBnG1_mul(product, proofPoint, scalar);
    mcl._mclBnG1_add(left, left, product);
    readScalar(mcl, y, scalar);
    g1.read(G1_GENERATOR, generator);
    mcl._mclBnG1_mul(product, generator, scalar);
    mcl._mclBnG1_sub(left, left, product);
    mcl._mclBnG1_neg(proofPoint, proofPoint);
    g2.read(G2_GENERATOR, right);
    g2.read(G2_TIMES_SECRET, right + g2.size);
    return curve.isProductOne(left, right, 2);
  });
}

/** The order of BLS12-381's groups. The field elements of blobs are below it. */
export const ORDER = 0x73eda753_299d7d48_3339d808_09a1d805_53bda402_fffe5bfe_ffffffff_00000001n;
const FIELD_ELEMENTS_PER_BLOB = 4_096n;
const VERSION_OF_KZG = 1;

/** The output of the precompile for a valid proof. */
const ANSWER = concatBytes(bigIntToFixedBytes(FIELD_ELEMENTS_PER_BLOB, 32), bigIntToFixedBytes(ORDER, 32));

/**
 * Creates KZG_POINT_EVALUATION (EIP-4844), which throws for an invalid proof. The input is a versioned hash,
 * `z` and `y` (32 bytes each), commitment and proof (48 bytes each).
 */
export function pointEvaluation(library: LazyLibrary<PairingCurve>, price: number): PrecompiledFunction {
  return library.function(
    () => BigInt(price),
    (curve, input) => {
      requireLength(input, 192);
      const [z, y] = [input.subarray(32, 64), input.subarray(64, 96)];
      const [commitment, proof] = [input.subarray(96, 144), input.subarray(144)];
      if (!equalBytes(input.subarray(0, 32), versionedHash(commitment))) {
        throw new PrecompileError('the versioned hash does not match the commitment');
      }
      if (bytesToBigInt(z) >= ORDER || bytesToBigInt(y) >= ORDER) {
        throw new PrecompileError('the number is not below the group order');
      }
      if (!isKzgProofRight(curve, commitment, z, y, proof)) throw new PrecompileError('the proof is wrong');
      return ANSWER.slice();
    },
  );
}

/** Returns the versioned hash of a KZG commitment (EIP-4844). */
export function versionedHash(commitment: Uint8Array): Uint8Array {
  const hash = new Uint8Array(createHash('sha256').update(commitment).digest());
  hash[0] = VERSION_OF_KZG;
  return hash;
}
