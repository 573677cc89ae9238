import { fromHex } from '../../primitives/hex.ts';
import { readScalar } from './base-field.ts';
import { readCompressedPoint } from './compressed-point.ts';
import { withMemory } from './mcl-memory.ts';
import { SCALAR_SIZE } from './mcl-module.ts';
import type { PairingCurve } from './pairing-curve.ts';

/** The coordinates of a point, in the encoding of EIP-2537. */
function encodedPoint(...coordinates: readonly string[]): Uint8Array {
  return fromHex(`0x${coordinates.map((coordinate) => coordinate.padStart(128, '0')).join('')}`);
}

/** The generators of the groups of BLS12-381. */
const G1_GENERATOR = encodedPoint(
  '17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
  '08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1',
);
const G2_GENERATOR = encodedPoint(
  '024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8',
  '13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e',
  '0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801',
  '0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be',
);
/**
 * The generator of G2 times the secret of Ethereum's KZG ceremony: the one number of its outcome that the check of a
 * proof needs.
 */
const G2_TIMES_SECRET = encodedPoint(
  '185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
  '15bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72',
  '014353bdb96b626dd7d5ee8599d1fca2131569490e28de18e82451a496a9c9794ce26d105941f383ee689bfbbb832a99',
  '1666c54b0a32529503432fcae0181b4bef79de09fc63671fda5ed1ba9bfa07899495346f3d7ac9cd23048ef30d0a154f',
);

/**
 * Whether the polynomial of a commitment has the value `y` at `z`, which its proof shows (EIP-4844's
 * `verify_kzg_proof`). Commitment and proof are compressed points, 48 bytes; `z` and `y` have 32 bytes and are below
 * the group's order. Throws a `PrecompileError` for bad points.
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
    readCompressedPoint(curve, commitment, left);
    readCompressedPoint(curve, proof, proofPoint);
    // commitment + z * proof - y * generator, paired with the generator, is the proof paired with the secret.
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
