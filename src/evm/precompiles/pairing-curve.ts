// Elliptic curves with pairings: points in the memory of the library and in the encodings of precompiles, and
// the pairings.

import { concatBytes } from '../../primitives/bytes.ts';
import {
  FIELD_SIZE,
  type MclModule,
  memoryView,
  type Pointer,
  SCALAR_SIZE,
  withMemory,
  withMemoryInSteps,
} from './mcl-module.ts';
import { PrecompileError, type PrecompileSteps } from './precompiled-contract.ts';

/** The base field of a curve, and the encoding of its elements in precompiles. */
class BaseField {
  /** The size of an encoded number in bytes. */
  readonly encodedBytes: number;
  readonly #mcl: MclModule;
  readonly #bytes: number;

  /** `bytes` is the size of a number; `padding` is the number of zero bytes before an encoded number. */
  constructor(mcl: MclModule, bytes: number, padding: number) {
    this.#mcl = mcl;
    this.#bytes = bytes;
    this.encodedBytes = padding + bytes;
  }

  /** Reads a number from the start of the bytes. Throws `PrecompileError` if it is not below the modulus. */
  read(bytes: Uint8Array, result: Pointer): void {
    const padding = this.encodedBytes - this.#bytes;
    for (let index = 0; index < padding; index++) {
      if (bytes[index] !== 0) throw new PrecompileError('the number is not padded with zeros');
    }
    this.readUnpadded(bytes.subarray(padding), result);
  }

  /** Reads a number without padding. Throws `PrecompileError` if it is not below the modulus. */
  readUnpadded(bytes: Uint8Array, result: Pointer): void {
    const number = bytes.subarray(0, this.#bytes);
    const isBelowModulus = withMemory(this.#mcl, this.#bytes, (memory) => {
      memoryView(this.#mcl, memory, this.#bytes).set(number.toReversed());
      return this.#mcl._mclBnFp_deserialize(result, memory, this.#bytes) === this.#bytes;
    });
    if (!isBelowModulus) throw new PrecompileError('the number is not below the modulus of the field');
  }

  /** Encodes a number. */
  write(number: Pointer): Uint8Array {
    const encoded = new Uint8Array(this.encodedBytes);
    withMemory(this.#mcl, this.#bytes, (memory) => {
      this.#mcl._mclBnFp_serialize(memory, this.#bytes, number);
      encoded.set(memoryView(this.#mcl, memory, this.#bytes).toReversed(), this.encodedBytes - this.#bytes);
    });
    return encoded;
  }
}

/** Reads a scalar of 32 bytes, reduced modulo the order of the group. */
export function readScalar(mcl: MclModule, bytes: Uint8Array, result: Pointer): void {
  withMemory(mcl, SCALAR_SIZE, (memory) => {
    memoryView(mcl, memory, SCALAR_SIZE).set(bytes.subarray(0, SCALAR_SIZE));
    mcl._mclBnFr_setBigEndianMod(result, memory, SCALAR_SIZE);
  });
}

/** Products per time slice. A higher number is faster per product, but takes longer. */
const POINTS_OF_PIECE = 32;

/** The library's functions for the points of a group. */
interface GroupFunctions {
  clear(result: Pointer): void;
  /** Returns 1 if the point is on the curve. */
  isValid(point: Pointer): 0 | 1;
  isValidOrder(point: Pointer): 0 | 1;
  isZero(point: Pointer): 0 | 1;
  normalize(result: Pointer, point: Pointer): void;
  add(result: Pointer, left: Pointer, right: Pointer): void;
  multiply(result: Pointer, point: Pointer, scalar: Pointer): void;
  /** Computes a sum of products. */
  multiplyMany(result: Pointer, points: Pointer, scalars: Pointer, count: number): void;
}

/** The points of a group in the memory of the library and in the encoding of precompiles. */
class PointGroup {
  /** The size of an encoded point in bytes. */
  readonly encodedBytes: number;
  /** The size of a point in memory in bytes. */
  readonly size: number;
  readonly #mcl: MclModule;
  readonly #field: BaseField;
  readonly #functions: GroupFunctions;
  /** The indexes of the numbers of a coordinate in memory, in the order of the encoding. */
  readonly #places: readonly number[];

  constructor(mcl: MclModule, field: BaseField, functions: GroupFunctions, places: readonly number[]) {
    this.#mcl = mcl;
    this.#field = field;
    this.#functions = functions;
    this.#places = places;
    this.encodedBytes = 2 * places.length * field.encodedBytes;
    this.size = 3 * places.length * FIELD_SIZE;
  }

  /** Reads a point from the start of the bytes. Throws `PrecompileError` if it is not on the curve. */
  read(bytes: Uint8Array, result: Pointer): void {
    this.#functions.clear(result);
    // The point at infinity is encoded as zeros.
    if (bytes.subarray(0, this.encodedBytes).every((byte) => byte === 0)) return;
    this.readCoordinate(bytes, result);
    this.readCoordinate(bytes.subarray(this.encodedBytes / 2), result + this.size / 3);
    this.#mcl._mclBnFp_setInt32(result + (2 * this.size) / 3, 1);
    if (!this.#functions.isValid(result)) throw new PrecompileError('the point is not on the curve');
  }

  /** Like `read`, but also throws if the point is not in the subgroup. */
  readOfOrder(bytes: Uint8Array, result: Pointer): void {
    this.read(bytes, result);
    this.requireOrder(result);
  }

  /** Throws `PrecompileError` if the point is not in the subgroup. */
  requireOrder(point: Pointer): void {
    if (!this.#functions.isValidOrder(point)) throw new PrecompileError('the point is not in the subgroup');
  }

  /** Reads the one or two numbers of a coordinate. */
  readCoordinate(bytes: Uint8Array, result: Pointer): void {
    this.#places.forEach((place, index) => {
      this.#field.read(bytes.subarray(index * this.#field.encodedBytes), result + place * FIELD_SIZE);
    });
  }

  /** Encodes a point. */
  write(point: Pointer): Uint8Array {
    if (this.isInfinity(point)) return new Uint8Array(this.encodedBytes);
    this.#functions.normalize(point, point);
    return concatBytes(
      ...[point, point + this.size / 3].flatMap((coordinate) =>
        this.#places.map((place) => this.#field.write(coordinate + place * FIELD_SIZE)),
      ),
    );
  }

  isInfinity(point: Pointer): boolean {
    return this.#functions.isZero(point) === 1;
  }

  /** Adds two encoded points; the order is not checked. */
  add(input: Uint8Array): Uint8Array {
    return withMemory(this.#mcl, 2 * this.size, (left) => {
      const right = left + this.size;
      this.read(input, left);
      this.read(input.subarray(this.encodedBytes), right);
      this.#functions.add(left, left, right);
      return this.write(left);
    });
  }

  /** Multiplies an encoded point of the subgroup by a scalar of 32 bytes. */
  multiply(input: Uint8Array): Uint8Array {
    return withMemory(this.#mcl, this.size + SCALAR_SIZE, (point) => {
      const scalar = point + this.size;
      this.readOfOrder(input, point);
      readScalar(this.#mcl, input.subarray(this.encodedBytes), scalar);
      this.#functions.multiply(point, point, scalar);
      return this.write(point);
    });
  }

  /**
   * Returns the sum of `count` products of encoded points and scalars. Yields after each point, because
   * checking its order dominates the time.
   */
  *multiplyMany(input: Uint8Array, count: number): PrecompileSteps {
    const chunk = Math.min(count, POINTS_OF_PIECE);
    const bytes = 2 * this.size + chunk * (this.size + SCALAR_SIZE);
    return yield* withMemoryInSteps(this.#mcl, bytes, (sum) => this.#sumOfProducts(input, count, sum, chunk));
  }

  /** `sum` points to memory for the sum, the sum of a chunk, and the chunk's points and scalars. */
  *#sumOfProducts(input: Uint8Array, count: number, sum: Pointer, chunk: number): PrecompileSteps {
    const partial = sum + this.size;
    const points = partial + this.size;
    const scalars = points + chunk * this.size;
    this.#functions.clear(sum);
    for (let first = 0; first < count; first += chunk) {
      const size = Math.min(chunk, count - first);
      for (let index = 0; index < size; index++) {
        const pair = input.subarray((first + index) * (this.encodedBytes + SCALAR_SIZE));
        this.readOfOrder(pair, points + index * this.size);
        readScalar(this.#mcl, pair.subarray(this.encodedBytes), scalars + index * SCALAR_SIZE);
        yield;
      }
      this.#functions.multiplyMany(partial, points, scalars, size);
      this.#functions.add(sum, sum, partial);
    }
    return this.write(sum);
  }
}

/** The size of a pairing value in memory in bytes. */
const TARGET_SIZE = 12 * FIELD_SIZE;

/** Miller loops per time slice. A higher number is faster per pair, but takes longer. */
const PAIRS_OF_PIECE = 8;

/** The properties of a curve and the encoding of its points in precompiles. */
interface CurveTraits {
  /** The size of a base field element and of the padding before it, in bytes. */
  readonly fieldBytes: number;
  readonly paddingBytes: number;
  /** True if the imaginary part of an extension field element comes first. */
  readonly isImaginaryFirst: boolean;
  /** True if all points of the curve over the base field are in G1, so that the order needs no check. */
  readonly isG1Whole: boolean;
}

/** A curve with a pairing of points of its groups G1 and G2. */
export class PairingCurve {
  readonly field: BaseField;
  readonly g1: PointGroup;
  readonly g2: PointGroup;
  readonly mcl: MclModule;

  constructor(mcl: MclModule, { fieldBytes, paddingBytes, isImaginaryFirst, isG1Whole }: CurveTraits) {
    this.mcl = mcl;
    this.field = new BaseField(mcl, fieldBytes, paddingBytes);
    const g1 = {
      clear: mcl._mclBnG1_clear,
      isValid: mcl._mclBnG1_isValid,
      isValidOrder: isG1Whole ? () => 1 as const : mcl._mclBnG1_isValidOrder,
      isZero: mcl._mclBnG1_isZero,
      normalize: mcl._mclBnG1_normalize,
      add: mcl._mclBnG1_add,
      multiply: mcl._mclBnG1_mul,
      multiplyMany: mcl._mclBnG1_mulVec,
    };
    const g2 = {
      clear: mcl._mclBnG2_clear,
      isValid: mcl._mclBnG2_isValid,
      isValidOrder: mcl._mclBnG2_isValidOrder,
      isZero: mcl._mclBnG2_isZero,
      normalize: mcl._mclBnG2_normalize,
      add: mcl._mclBnG2_add,
      multiply: mcl._mclBnG2_mul,
      multiplyMany: mcl._mclBnG2_mulVec,
    };
    this.g1 = new PointGroup(mcl, this.field, g1, [0]);
    this.g2 = new PointGroup(mcl, this.field, g2, isImaginaryFirst ? [1, 0] : [0, 1]);
  }

  /** Returns true if the product of the pairings of `count` encoded pairs is one. Yields after each pair. */
  *isProductOfEncodedOne(input: Uint8Array, count: number): Generator<void, boolean, void> {
    if (count === 0) return true;
    const chunk = Math.min(count, PAIRS_OF_PIECE);
    const bytes = 2 * TARGET_SIZE + chunk * (this.g1.size + this.g2.size);
    return yield* withMemoryInSteps(this.mcl, bytes, (product) =>
      this.#isProductOne(input, count, product, chunk),
    );
  }

  /** `product` points to memory for the product, the product of a chunk, and the chunk's points. */
  *#isProductOne(
    input: Uint8Array,
    count: number,
    product: Pointer,
    chunk: number,
  ): Generator<void, boolean, void> {
    const { g1, g2, mcl } = this;
    const partial = product + TARGET_SIZE;
    const left = partial + TARGET_SIZE;
    const right = left + chunk * g1.size;
    for (let first = 0; first < count; first += chunk) {
      const size = Math.min(chunk, count - first);
      for (let index = 0; index < size; index++) {
        const pair = input.subarray((first + index) * (g1.encodedBytes + g2.encodedBytes));
        g1.readOfOrder(pair, left + index * g1.size);
        g2.readOfOrder(pair.subarray(g1.encodedBytes), right + index * g2.size);
        if (first + index > 0) yield;
      }
      mcl._mclBn_millerLoopVec(first === 0 ? product : partial, left, right, size);
      if (first > 0) mcl._mclBnGT_mul(product, product, partial);
    }
    if (count > 1) yield;
    return this.#isOne(product);
  }

  /** Returns true if the product of the pairings of `count` points of G1 and G2 in memory is one. */
  isProductOne(left: Pointer, right: Pointer, count: number): boolean {
    return withMemory(this.mcl, TARGET_SIZE, (product) => {
      this.mcl._mclBn_millerLoopVec(product, left, right, count);
      return this.#isOne(product);
    });
  }

  /** Applies the final exponentiation in place. Returns true if the result is one. */
  #isOne(product: Pointer): boolean {
    this.mcl._mclBn_finalExp(product, product);
    return this.mcl._mclBnGT_isOne(product) === 1;
  }
}
