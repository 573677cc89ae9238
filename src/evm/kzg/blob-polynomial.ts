// Blobs as polynomials over the scalars of BLS12-381 (EIP-4844). A blob contains the values at the roots of
// unity.

import { bytesToBigInt } from '../../primitives/bytes.ts';
import { ORDER } from '../precompiles/point-evaluation.ts';

/** The number of field elements in a blob, and the size of each in bytes. */
export const BLOB_NUMBERS = 4_096;
const NUMBER_BYTES = 32;

/** A generator of the multiplicative group. */
const GENERATOR = 7n;
/** Multiplications between two yields (some two milliseconds). */
const PRODUCTS_OF_PIECE = 2_048;

/** A computation that yields every few milliseconds. */
export type Pieces<Result> = Generator<void, Result, void>;

/** Reduces a number, which may be negative, modulo the order. */
export function modulo(value: bigint): bigint {
  const rest = value % ORDER;
  return rest < 0n ? rest + ORDER : rest;
}

/** Computes a power with a non-negative exponent. */
export function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, modulo(base)];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % ORDER;
    square = (square * square) % ORDER;
  }
  return result;
}

/** Returns the primitive root of unity of this order, a power of two. */
export function rootOfUnity(order: number): bigint {
  return power(GENERATOR, (ORDER - 1n) / BigInt(order));
}

/** Returns the powers of a number, starting at 0. */
export function powersOf(base: bigint, count: number): bigint[] {
  const powers: bigint[] = [];
  let next = 1n;
  for (let index = 0; index < count; index++) {
    powers.push(next);
    next = (next * base) % ORDER;
  }
  return powers;
}

/** Reverses the bits of an index. */
function reversedBits(index: number, bits: number): number {
  let reversed = 0;
  for (let bit = 0; bit < bits; bit++) reversed |= ((index >> bit) & 1) << (bits - 1 - bit);
  return reversed;
}

/**
 * Computes one layer of a discrete Fourier transform in place, on pairs of numbers `half` indexes apart. The
 * layers 1, 2, 4, … up to half the count transform numbers in bit-reversed order. `roots` are the first half
 * of the powers of a root of unity whose order is the count.
 */
function transformLayer(values: bigint[], roots: readonly bigint[], half: number): void {
  const step = values.length / (2 * half);
  for (let start = 0; start < values.length; start += 2 * half) {
    for (let place = start; place < start + half; place++) {
      const upper = values[place] ?? 0n;
      const lower = ((values[place + half] ?? 0n) * (roots[(place - start) * step] ?? 0n)) % ORDER;
      const [sum, difference] = [upper + lower, upper - lower];
      values[place] = sum >= ORDER ? sum - ORDER : sum;
      values[place + half] = difference < 0n ? difference + ORDER : difference;
    }
  }
}

/** Thrown if a field element of a blob is not below the order. */
export class BlobNumberError extends Error {
  constructor(readonly index: number) {
    super(`field element ${index} of the blob is not below the group order of BLS12-381`);
  }
}

/** Returns the coefficients of a blob's polynomial, constant first. Throws {@link BlobNumberError}. */
export function* coefficientsOf(blob: Uint8Array): Pieces<bigint[]> {
  const values: bigint[] = [];
  for (let index = 0; index < BLOB_NUMBERS; index++) {
    const value = bytesToBigInt(blob.subarray(NUMBER_BYTES * index, NUMBER_BYTES * (index + 1)));
    if (value >= ORDER) throw new BlobNumberError(index);
    values.push(value);
  }
  yield;
  // A blob is in bit-reversed order, as the transform expects.
  const inverseRoots = powersOf(power(rootOfUnity(BLOB_NUMBERS), BigInt(BLOB_NUMBERS - 1)), BLOB_NUMBERS / 2);
  for (let half = 1; half < BLOB_NUMBERS; half *= 2) {
    transformLayer(values, inverseRoots, half);
    yield;
  }
  const inverseCount = power(BigInt(BLOB_NUMBERS), ORDER - 2n);
  return values.map((value) => (value * inverseCount) % ORDER);
}

/** Evaluates a polynomial. */
export function valueAt(coefficients: readonly bigint[], point: bigint): bigint {
  let value = 0n;
  for (let index = coefficients.length - 1; index >= 0; index--) {
    value = (value * point + (coefficients[index] ?? 0n)) % ORDER;
  }
  return value;
}

/** Returns the coefficients of `(p - p(point)) / (X - point)`. */
export function quotientAt(coefficients: readonly bigint[], point: bigint): bigint[] {
  const quotient = new Array<bigint>(coefficients.length - 1).fill(0n);
  let carried = 0n;
  for (let index = coefficients.length - 1; index > 0; index--) {
    carried = (carried * point + (coefficients[index] ?? 0n)) % ORDER;
    quotient[index - 1] = carried;
  }
  return quotient;
}

/** Cells of a blob after its extension to twice the size (EIP-7594), and elements per cell. */
export const CELLS = 128;
export const CELL_NUMBERS = 64;
const CELL_BITS = 7;
/** Transforms between two yields (some four milliseconds). */
const COLUMNS_OF_PIECE = 8;

/** Reverses the bits of a cell index. */
export function reversedCell(index: number): number {
  return reversedBits(index, CELL_BITS);
}

/**
 * For each `offset` below 64, takes every 64th coefficient of a blob's polynomial from `offset` on. Returns
 * their transforms over 128 roots of unity, divided by 128.
 */
export function* columnTransforms(coefficients: readonly bigint[]): Pieces<bigint[][]> {
  const roots = powersOf(rootOfUnity(CELLS), CELLS / 2);
  const divisor = power(BigInt(CELLS), ORDER - 2n);
  const columns: bigint[][] = [];
  for (let offset = 0; offset < CELL_NUMBERS; offset++) {
    const column = new Array<bigint>(CELLS).fill(0n);
    for (let row = 0; row < BLOB_NUMBERS / CELL_NUMBERS; row++) {
      column[reversedCell(row)] = ((coefficients[CELL_NUMBERS * row + offset] ?? 0n) * divisor) % ORDER;
    }
    for (let half = 1; half < CELLS; half *= 2) transformLayer(column, roots, half);
    columns.push(column);
    if (offset % COLUMNS_OF_PIECE === 0) yield;
  }
  return columns;
}

/**
 * Returns the number `c` of each cell: `X^64 - c` is zero at all points of the cell. These are the 128th
 * roots of unity in bit-reversed order.
 */
export function cellConstants(): bigint[] {
  const roots = powersOf(rootOfUnity(CELLS), CELLS);
  return roots.map((_, cell) => roots[reversedCell(cell)] ?? 0n);
}

/**
 * Returns the weighted sum of the cells' polynomials. The polynomial of a cell has fewer than 64
 * coefficients: it is the blob's polynomial modulo `X^64 - c`.
 */
export function* weightedRemainder(
  coefficients: readonly bigint[],
  constants: readonly bigint[],
  weights: readonly bigint[],
): Pieces<bigint[]> {
  const sum = new Array<bigint>(CELL_NUMBERS).fill(0n);
  let terms = [...weights];
  for (let block = 0; block < BLOB_NUMBERS / CELL_NUMBERS; block++) {
    // The terms are the weights, times the power of each cell's constant for the current block of
    // coefficients.
    const factor = modulo(terms.reduce((total, term) => total + term, 0n));
    for (let index = 0; index < CELL_NUMBERS; index++) {
      const coefficient = coefficients[block * CELL_NUMBERS + index] ?? 0n;
      sum[index] = ((sum[index] ?? 0n) + coefficient * factor) % ORDER;
    }
    terms = terms.map((term, cell) => (term * (constants[cell] ?? 0n)) % ORDER);
    if (block % (PRODUCTS_OF_PIECE / CELLS) === 0) yield;
  }
  return sum;
}
