/**
 * The proofs of all cells of a blob (EIP-7594), computed together with transforms (Feist and Khovratovich,
 * "Fast amortized KZG proofs", 2023).
 *
 * The proof of a cell is the quotient of the blob's polynomial by `X^64 - c`, at the secret. Let `a` be the
 * coefficients and `S` the powers of the secret in G1.
 *
 * - `h[m]` is the sum over `k` and `r` of `a[64 * (m + 1 + k) + r] * S[64 * k + r]`
 * - the proof is the sum over `m` of `c^m * h[m]`
 *
 * For each `r`, `h` is a convolution and therefore a product of transforms. The constants `c` of the cells
 * are roots of unity, so the sums over `m` are also a transform.
 */

import { bigIntToFixedBytes } from '../../primitives/bytes.ts';
import { memoryView, type Pointer, SCALAR_SIZE, withMemory } from '../precompiles/mcl-module.ts';
import { type PairingCurve, readScalar } from '../precompiles/pairing-curve.ts';
import {
  COMPRESSED_BYTES,
  readCompressedPoint,
  writeCompressedPoint,
} from '../precompiles/point-evaluation.ts';
import {
  CELL_NUMBERS,
  CELLS,
  columnTransforms,
  type Pieces,
  power,
  powersOf,
  reversedCell,
  rootOfUnity,
} from './blob-polynomial.ts';

/** Number of setup points: for each root of unity, one per index in a cell. */
const SETUP_POINTS = CELLS * CELL_NUMBERS;
/** Points to read, multiply or write between two yields (some milliseconds). */
const POINTS_OF_PIECE = 16;
/** The index of the first quotient coefficient in the convolution (powers from the 62nd down). */
const FIRST_COEFFICIENT = CELL_NUMBERS - 1;

/** Proves the cells of blobs. After the first blob, the setup stays in the memory of the library. */
export class CellProofs {
  readonly #curve: PairingCurve;
  readonly #setup: Uint8Array;
  #points: Pointer | undefined;
  #read = 0;

  /**
   * `setup` has 8,192 compressed points. For each of the 128 roots of unity, in order, it has 64 transforms.
   * Transform `r` covers every 64th power of the secret in G1, in reverse order, ending at power `63 - r`.
   */
  constructor(curve: PairingCurve, setup: Uint8Array) {
    this.#curve = curve;
    this.#setup = setup;
  }

  /** Returns the cell proofs in order, 48 bytes each, for the coefficients of a polynomial. */
  *prove(coefficients: readonly bigint[]): Pieces<Uint8Array[]> {
    const { mcl, g1 } = this.#curve;
    const setup = yield* this.#readSetup();
    const columns = yield* columnTransforms(coefficients);
    const products = mcl._malloc(2 * CELLS * g1.size);
    const quotients = products + CELLS * g1.size;
    try {
      for (let index = 0; index < CELLS; index++) {
        const scalars = columns.map((column) => column[index] ?? 0n).reverse();
        this.#sum(products + reversedCell(index) * g1.size, setup + index * CELL_NUMBERS * g1.size, scalars);
        yield;
      }
      const root = rootOfUnity(CELLS);
      yield* this.#transform(products, power(root, BigInt(CELLS - 1)));
      for (let index = 0; index < CELLS; index++) {
        const target = quotients + reversedCell(index) * g1.size;
        if (index >= CELL_NUMBERS - 1) mcl._mclBnG1_clear(target);
        else this.#copy(target, products + (FIRST_COEFFICIENT + index) * g1.size);
      }
      yield* this.#transform(quotients, root);
      const proofs: Uint8Array[] = [];
      for (let cell = 0; cell < CELLS; cell++) {
        proofs.push(writeCompressedPoint(this.#curve, quotients + reversedCell(cell) * g1.size));
        if (cell % POINTS_OF_PIECE === 0) yield;
      }
      return proofs;
    } finally {
      mcl._free(products);
    }
  }

  *#readSetup(): Pieces<Pointer> {
    const { mcl, g1 } = this.#curve;
    this.#points ??= mcl._malloc(SETUP_POINTS * g1.size);
    const points = this.#points;
    while (this.#read < SETUP_POINTS) {
      for (const end = this.#read + POINTS_OF_PIECE; this.#read < end; this.#read++) {
        const bytes = this.#setup.subarray(
          COMPRESSED_BYTES * this.#read,
          COMPRESSED_BYTES * (this.#read + 1),
        );
        readCompressedPoint(this.#curve, bytes, points + this.#read * g1.size);
      }
      yield;
    }
    return points;
  }

  /** Computes the sum of the products of points and scalars. */
  #sum(result: Pointer, points: Pointer, scalars: readonly bigint[]): void {
    const { mcl } = this.#curve;
    withMemory(mcl, scalars.length * SCALAR_SIZE, (memory) => {
      for (const [index, scalar] of scalars.entries()) {
        readScalar(mcl, bigIntToFixedBytes(scalar, SCALAR_SIZE), memory + index * SCALAR_SIZE);
      }
      mcl._mclBnG1_mulVec(result, points, memory, scalars.length);
    });
  }

  #copy(target: Pointer, source: Pointer): void {
    const { mcl, g1 } = this.#curve;
    memoryView(mcl, target, g1.size).set(memoryView(mcl, source, g1.size));
  }

  /** Transforms 128 points in bit-reversed order, in place. */
  *#transform(points: Pointer, root: bigint): Pieces<void> {
    const { mcl, g1 } = this.#curve;
    const memory = mcl._malloc((CELLS / 2) * SCALAR_SIZE + g1.size);
    const product = memory + (CELLS / 2) * SCALAR_SIZE;
    try {
      for (const [index, scalar] of powersOf(root, CELLS / 2).entries()) {
        readScalar(mcl, bigIntToFixedBytes(scalar, SCALAR_SIZE), memory + index * SCALAR_SIZE);
      }
      let multiplied = 0;
      for (let half = 1; half < CELLS; half *= 2) {
        const step = CELLS / (2 * half);
        for (let index = 0; index < CELLS / 2; index++) {
          const place = index % half;
          const upper = points + (2 * (index - place) + place) * g1.size;
          const lower = upper + half * g1.size;
          if (place === 0) this.#copy(product, lower);
          else mcl._mclBnG1_mul(product, lower, memory + place * step * SCALAR_SIZE);
          mcl._mclBnG1_sub(lower, upper, product);
          mcl._mclBnG1_add(upper, upper, product);
          if (place > 0 && ++multiplied % POINTS_OF_PIECE === 0) yield;
        }
      }
    } finally {
      mcl._free(memory);
    }
  }
}
