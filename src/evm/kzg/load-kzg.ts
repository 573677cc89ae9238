// The setup and the curve that KZG needs, which are loaded when blobs are first worked on.

import { readFile } from 'node:fs/promises';
import { BLOB_NUMBERS, CELL_NUMBERS, CELLS } from './blob-polynomial.ts';
import { Kzg } from './kzg.ts';

declare const TRUSTED_SETUP: string | undefined;

/** The file of the setup; the sources take it from what was built (`src/build/trusted-setup.mjs`). */
const SETUP_FILE = new URL(
  typeof TRUSTED_SETUP === 'undefined' ? '../../../dist/kzg/trusted-setup.bin' : TRUSTED_SETUP,
  import.meta.url,
);

const G1_BYTES = 48 * BLOB_NUMBERS;
const CELLS_BYTES = 48 * CELLS * CELL_NUMBERS;

/** Resolves to what commits to blobs and proves them. Rejects where the file of the setup cannot be read. */
export async function loadKzg(): Promise<Kzg> {
  const [{ bls12381Curve }, file] = await Promise.all([
    import('../precompiles/mcl-curves.ts'),
    readFile(SETUP_FILE),
  ]);
  return new Kzg(bls12381Curve, {
    g1: file.subarray(0, G1_BYTES),
    cells: file.subarray(G1_BYTES, G1_BYTES + CELLS_BYTES),
    g2Power64: file.subarray(G1_BYTES + CELLS_BYTES),
  });
}
