// KZG commitments to blobs, and proofs of blobs (EIP-4844) and of their cells (EIP-7594).

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { bigIntToFixedBytes, bytesToBigInt } from '../../primitives/bytes.ts';
import { type MclModule, type Pointer, SCALAR_SIZE, withMemory } from '../precompiles/mcl-module.ts';
import { type PairingCurve, readScalar } from '../precompiles/pairing-curve.ts';
import {
  COMPRESSED_BYTES,
  G2_GENERATOR,
  isKzgProofRight,
  readCompressedPoint,
  readPointOfOrder,
  writeCompressedPoint,
} from '../precompiles/point-evaluation.ts';
import { PrecompileError } from '../precompiles/precompiled-contract.ts';
import {
  BLOB_NUMBERS,
  BlobNumberError,
  CELL_NUMBERS,
  CELLS,
  cellConstants,
  coefficientsOf,
  modulo,
  type Pieces,
  powersOf,
  quotientAt,
  valueAt,
  weightedRemainder,
} from './blob-polynomial.ts';
import { CellProofs } from './cell-proofs.ts';
import { sumOfProducts } from './sum-of-products.ts';

/** The result of Ethereum's KZG ceremony: points multiplied by powers of a secret that nobody knows. */
export interface TrustedSetup {
  /** The generator of G1 times the powers 0 to 4,095, as compressed points of 48 bytes. */
  readonly g1: Uint8Array;
  /** The points of {@link CellProofs}. */
  readonly cells: Uint8Array;
  /** The generator of G2 times the 64th power, 256 bytes (EIP-2537). */
  readonly g2Power64: Uint8Array;
}

/** Points to read between two yields (some milliseconds). */
const POINTS_OF_PIECE = 16;

const CHALLENGE_DOMAIN = new TextEncoder().encode('FSBLOBVERIFY_V1_');

/** Returns the point where the commitment is opened to prove a blob. */
function challengeOf(blob: Uint8Array, commitment: Uint8Array): bigint {
  const hash = createHash('sha256').update(CHALLENGE_DOMAIN).update(bigIntToFixedBytes(4_096n, 16));
  return modulo(bytesToBigInt(hash.update(blob).update(commitment).digest()));
}

/** Returns a hash-based number for the weights of a sum, so that errors cannot cancel out. */
function weightOf(parts: readonly Uint8Array[]): bigint {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return modulo(bytesToBigInt(hash.digest()));
}

/** Commits to blobs, and creates and verifies proofs. */
export class Kzg {
  readonly #curve: PairingCurve;
  readonly #mcl: MclModule;
  readonly #setup: TrustedSetup;
  readonly #cellProofs: CellProofs;
  /** The setup powers read so far. They stay in the memory of the library. */
  #powers: Pointer | undefined;
  #read = 0;

  constructor(curve: PairingCurve, setup: TrustedSetup) {
    this.#curve = curve;
    this.#mcl = curve.mcl;
    this.#setup = setup;
    this.#cellProofs = new CellProofs(curve, setup.cells);
  }

  /** Returns the commitment to a blob, 48 bytes. Throws `BlobNumberError`. */
  *commitment(blob: Uint8Array): Pieces<Uint8Array> {
    return yield* this.#commitmentTo(yield* coefficientsOf(blob));
  }

  /** Returns the proof that a blob matches its commitment, 48 bytes. Throws `BlobNumberError`. */
  *blobProof(blob: Uint8Array, commitment: Uint8Array): Pieces<Uint8Array> {
    const coefficients = yield* coefficientsOf(blob);
    return yield* this.#commitmentTo(quotientAt(coefficients, challengeOf(blob, commitment)));
  }

  /** Verifies the proof that the blob matches the commitment. */
  *isBlobProofRight(blob: Uint8Array, commitment: Uint8Array, proof: Uint8Array): Pieces<boolean> {
    const coefficients = yield* orNone(coefficientsOf(blob));
    if (coefficients === null) return false;
    const point = challengeOf(blob, commitment);
    const value = valueAt(coefficients, point);
    yield;
    const [z, y] = [bigIntToFixedBytes(point, 32), bigIntToFixedBytes(value, 32)];
    return isRight(() => isKzgProofRight(this.#curve, commitment, z, y, proof));
  }

  /** Returns the proofs of a blob's cells in order, 48 bytes each. Throws `BlobNumberError`. */
  *cellProofs(blob: Uint8Array): Pieces<Uint8Array[]> {
    return yield* this.#cellProofs.prove(yield* coefficientsOf(blob));
  }

  /** Verifies the proofs that the blob's cells match the commitment. */
  *areCellProofsRight(
    blob: Uint8Array,
    commitment: Uint8Array,
    proofs: readonly Uint8Array[],
  ): Pieces<boolean> {
    const coefficients = yield* orNone(coefficientsOf(blob));
    if (coefficients === null || proofs.length !== CELLS) return false;
    const weights = powersOf(weightOf([blob, commitment, ...proofs]), CELLS);
    const constants = cellConstants();
    const remainder = yield* weightedRemainder(coefficients, constants, weights);
    yield* this.#readPowers(CELL_NUMBERS);
    const { g1 } = this.#curve;
    // The proofs, the commitment, and the two sums to pair.
    const points = this.#mcl._malloc((CELLS + 3) * g1.size);
    try {
      for (let first = 0; first < CELLS; first += POINTS_OF_PIECE) {
        const some = proofs.slice(first, first + POINTS_OF_PIECE);
        const areOnes = isRight(() => {
          for (const [index, proof] of some.entries())
            readPointOfOrder(this.#curve, proof, points + (first + index) * g1.size);
          return true;
        });
        if (!areOnes) return false;
        yield;
      }
      const committed = points + CELLS * g1.size;
      const areAll = isRight(() => {
        readPointOfOrder(this.#curve, commitment, committed);
        return true;
      });
      if (!areAll) return false;
      return yield* this.#isPairingRight(points, committed, { weights, constants, remainder });
    } finally {
      this.#mcl._free(points);
    }
  }

  /**
   * Verifies one pairing equation. Left: the weighted proofs, paired with the 64th power of the secret minus
   * each cell's constant. Right: the weighted commitment minus the remainder. `committed` is followed by
   * memory for two points.
   */
  *#isPairingRight(
    proofs: Pointer,
    committed: Pointer,
    parts: Readonly<Record<'weights' | 'constants' | 'remainder', readonly bigint[]>>,
  ): Pieces<boolean> {
    const { g1, g2 } = this.#curve;
    const mcl = this.#mcl;
    const { weights, constants, remainder } = parts;
    const left = committed + g1.size;
    const right = left + g1.size;
    this.#sumInto(left, proofs, weights);
    yield;
    const scaled = weights.map((weight, cell) => modulo(weight * (constants[cell] ?? 0n)));
    this.#sumInto(right, proofs, scaled);
    yield;
    const total = modulo(weights.reduce((sum, weight) => sum + weight, 0n));
    return withMemory(mcl, g1.size + 2 * g2.size, (product) => {
      this.#sumInto(product, committed, [total]);
      mcl._mclBnG1_add(right, right, product);
      this.#sumInto(product, this.#powersPointer(), remainder);
      mcl._mclBnG1_sub(right, right, product);
      mcl._mclBnG1_neg(left, left);
      const paired = product + g1.size;
      g2.read(this.#setup.g2Power64, paired);
      g2.read(G2_GENERATOR, paired + g2.size);
      return this.#curve.isProductOne(left, paired, 2);
    });
  }

  #powersPointer(): Pointer {
    this.#powers ??= this.#mcl._malloc(BLOB_NUMBERS * this.#curve.g1.size);
    return this.#powers;
  }

  /** Reads `count` powers of the setup. They are trusted to be in the subgroup. */
  *#readPowers(count: number): Pieces<void> {
    const powers = this.#powersPointer();
    while (this.#read < count) {
      const end = Math.min(count, this.#read + POINTS_OF_PIECE);
      for (let index = this.#read; index < end; index++) {
        const bytes = this.#setup.g1.subarray(COMPRESSED_BYTES * index, COMPRESSED_BYTES * (index + 1));
        readCompressedPoint(this.#curve, bytes, powers + index * this.#curve.g1.size);
      }
      this.#read = end;
      yield;
    }
  }

  /** Computes the sum of the coefficients times the powers of the setup. */
  *#commitmentTo(coefficients: readonly bigint[]): Pieces<Uint8Array> {
    yield* this.#readPowers(coefficients.length);
    const result = this.#mcl._malloc(this.#curve.g1.size);
    try {
      yield* sumOfProducts(this.#curve, result, this.#powersPointer(), coefficients);
      return writeCompressedPoint(this.#curve, result);
    } finally {
      this.#mcl._free(result);
    }
  }

  /** Computes the sum of the products of consecutive points and scalars. */
  #sumInto(result: Pointer, points: Pointer, scalars: readonly bigint[]): void {
    withMemory(this.#mcl, scalars.length * SCALAR_SIZE, (memory) => {
      for (const [index, scalar] of scalars.entries()) {
        readScalar(this.#mcl, bigIntToFixedBytes(scalar, SCALAR_SIZE), memory + index * SCALAR_SIZE);
      }
      this.#mcl._mclBnG1_mulVec(result, points, memory, scalars.length);
    });
  }
}

/** Returns `false` for invalid points. */
function isRight(check: () => boolean): boolean {
  try {
    return check();
  } catch (error) {
    if (error instanceof PrecompileError) return false;
    throw error;
  }
}

/** Returns `null` for a blob with an invalid field element. */
function* orNone(work: Pieces<bigint[]>): Pieces<bigint[] | null> {
  try {
    return yield* work;
  } catch (error) {
    if (error instanceof BlobNumberError) return null;
    throw error;
  }
}

declare const TRUSTED_SETUP: string | undefined;

/** The file of the setup. Sources use the built file (`src/build/trusted-setup.mjs`). */
const SETUP_FILE = new URL(
  typeof TRUSTED_SETUP === 'undefined' ? '../../../dist/kzg/trusted-setup.bin' : TRUSTED_SETUP,
  import.meta.url,
);

const G1_BYTES = 48 * BLOB_NUMBERS;
const CELLS_BYTES = 48 * CELLS * CELL_NUMBERS;

/** Loads the library and the setup. Rejects if the file of the setup cannot be read. */
export async function loadKzg(): Promise<Kzg> {
  const [{ bls12381Curve }, file] = await Promise.all([
    import('../precompiles/mcl-curves.ts').then(({ CURVES }) => CURVES),
    readFile(SETUP_FILE),
  ]);
  return new Kzg(bls12381Curve, {
    g1: file.subarray(0, G1_BYTES),
    cells: file.subarray(G1_BYTES, G1_BYTES + CELLS_BYTES),
    g2Power64: file.subarray(G1_BYTES + CELLS_BYTES),
  });
}
