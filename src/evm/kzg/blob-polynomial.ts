// Blobs as polynomials over the scalars of BLS12-381 (EIP-4844): a blob holds the values at the roots of unity.

import { bytesToBigInt } from '../../primitives/bytes.ts';
import { ORDER } from '../precompiles/point-evaluation.ts';

/** The numbers in a blob, and the bytes of each. */
export const BLOB_NUMBERS = 4_096;
const NUMBER_BYTES = 32;

/** A number that generates all others but zero by its powers. */
const GENERATOR = 7n;
/** Multiplications between two yields: some two milliseconds. */
const PRODUCTS_OF_PIECE = 2_048;

/** Work that can pause where it yields, after a few milliseconds each. */
export type Pieces<Result> = Generator<void, Result, void>;

/** Returns the number below the order that is congruent to the argument, which may be negative. */
export function modulo(value: bigint): bigint {
  const rest = value % ORDER;
  return rest < 0n ? rest + ORDER : rest;
}

/** Returns `base` to a power that is not negative. */
export function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, modulo(base)];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % ORDER;
    square = (square * square) % ORDER;
  }
  return result;
}

/** Returns the primitive root of unity of that order, a power of two. */
export function rootOfUnity(order: number): bigint {
  return power(GENERATOR, (ORDER - 1n) / BigInt(order));
}

/** Returns the powers of a number from 0 on. */
export function powersOf(base: bigint, count: number): bigint[] {
  const powers: bigint[] = [];
  let next = 1n;
  for (let index = 0; index < count; index++) {
    powers.push(next);
    next = (next * base) % ORDER;
  }
  return powers;
}

/** Returns an index of so many bits with its bits in the opposite order. */
function reversedBits(index: number, bits: number): number {
  let reversed = 0;
  for (let bit = 0; bit < bits; bit++) reversed |= ((index >> bit) & 1) << (bits - 1 - bit);
  return reversed;
}

/**
 * Computes a layer of a discrete Fourier transform in place: of pairs of numbers `half` places apart. The layers of 1, 2, 4 and so on
 * up to half the count turn numbers in the order of reversed bits into their transform. `roots` are half as many powers of a root of
 * unity of the order of the count.
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

/** A blob that holds a number which is not below the order. */
export class BlobNumberError extends Error {
  constructor(readonly index: number) {
    super(`field element ${index} of the blob is not below the group order of BLS12-381`);
  }
}

/**
 * Returns the coefficients of the polynomial whose values a blob of `BLOB_SIZE` bytes holds, the constant one first. Throws
 * {@link BlobNumberError}.
 */
export function* coefficientsOf(blob: Uint8Array): Pieces<bigint[]> {
  const values: bigint[] = [];
  for (let index = 0; index < BLOB_NUMBERS; index++) {
    const value = bytesToBigInt(blob.subarray(NUMBER_BYTES * index, NUMBER_BYTES * (index + 1)));
    if (value >= ORDER) throw new BlobNumberError(index);
    values.push(value);
  }
  yield;
  // The values stand in the order of reversed bits, which is the one that the transform begins with.
  const inverseRoots = powersOf(power(rootOfUnity(BLOB_NUMBERS), BigInt(BLOB_NUMBERS - 1)), BLOB_NUMBERS / 2);
  for (let half = 1; half < BLOB_NUMBERS; half *= 2) {
    transformLayer(values, inverseRoots, half);
    yield;
  }
  const inverseCount = power(BigInt(BLOB_NUMBERS), ORDER - 2n);
  return values.map((value) => (value * inverseCount) % ORDER);
}

/** Returns the value of a polynomial. */
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

/** The parts in which a blob, extended to twice its size, is spread over the network (EIP-7594), and the numbers of each. */
export const CELLS = 128;
export const CELL_NUMBERS = 64;
const CELL_BITS = 7;
/** Transforms of that size between two yields: some four milliseconds. */
const COLUMNS_OF_PIECE = 8;

/** Returns an index of a cell with its bits in the opposite order. */
export function reversedCell(index: number): number {
  return reversedBits(index, CELL_BITS);
}

/**
 * Returns for each `offset` below 64 the transform over 128 roots of unity of every 64th coefficient of a blob's polynomial from
 * that offset on, divided by 128.
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
 * Returns for each cell the number `c` with which `X^64 - c` is zero at all points of the cell: the 128th roots of unity in the
 * order of reversed bits.
 */
export function cellConstants(): bigint[] {
  const roots = powersOf(rootOfUnity(CELLS), CELLS);
  return roots.map((_, cell) => roots[reversedCell(cell)] ?? 0n);
}

/**
 * Returns the sum over all cells of `weight` times the polynomial of fewer than 64 coefficients that has the values of the
 * blob's polynomial in the cell: the blob's modulo `X^64 - c`.
 */
export function* weightedRemainder(
  coefficients: readonly bigint[],
  constants: readonly bigint[],
  weights: readonly bigint[],
): Pieces<bigint[]> {
  const sum = new Array<bigint>(CELL_NUMBERS).fill(0n);
  let terms = [...weights];
  for (let block = 0; block < BLOB_NUMBERS / CELL_NUMBERS; block++) {
    // The terms are the weights times the power of each constant by which the block of coefficients is multiplied.
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
