// Pairings on elliptic curves.

import { FIELD_SIZE, type MclModule, type Pointer, withMemory, withMemoryInPieces } from './mcl-module.ts';
import { BaseField, PointGroup } from './point-group.ts';

/** The size of a value of a pairing in memory in bytes. */
const TARGET_SIZE = 12 * FIELD_SIZE;

/** The number of pairs whose Miller loops are computed at once: more of them are faster per pair, but take longer. */
const PAIRS_OF_PIECE = 8;

/** The properties of a curve and the encoding of its points in precompiles. */
export interface CurveTraits {
  /** The size of a number of the base field in bytes, and that of the padding before it. */
  readonly fieldBytes: number;
  readonly paddingBytes: number;
  /** True when the imaginary part of a number of the extension field comes first. */
  readonly isImaginaryFirst: boolean;
  /** True when all points of the curve over the base field are in G1, so that their order needs no check. */
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

  /** True if the product of the pairings of `count` encoded pairs of points is one. Yields after each pair. */
  *isProductOfEncodedOne(input: Uint8Array, count: number): Generator<void, boolean, void> {
    if (count === 0) return true;
    const chunk = Math.min(count, PAIRS_OF_PIECE);
    const bytes = 2 * TARGET_SIZE + chunk * (this.g1.size + this.g2.size);
    return yield* withMemoryInPieces(this.mcl, bytes, (product) =>
      this.#isProductOne(input, count, product, chunk),
    );
  }

  /** `product` points to memory for the product, for that of a chunk, and for its points. */
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

  /** True if the product of the pairings of `count` points of G1 in memory with as many of G2 is one. */
  isProductOne(left: Pointer, right: Pointer, count: number): boolean {
    return withMemory(this.mcl, TARGET_SIZE, (product) => {
      this.mcl._mclBn_millerLoopVec(product, left, right, count);
      return this.#isOne(product);
    });
  }

  /** True if a product of Miller loops is one after the final exponentiation; it is overwritten. */
  #isOne(product: Pointer): boolean {
    this.mcl._mclBn_finalExp(product, product);
    return this.mcl._mclBnGT_isOne(product) === 1;
  }
}
