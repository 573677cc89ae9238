/** A pointer into the memory of the library. */
export type Pointer = number;
type Unary = (result: Pointer, operand: Pointer) => void;
type Binary = (result: Pointer, left: Pointer, right: Pointer) => void;
type Question = (operand: Pointer) => 0 | 1;
/** Returns the number of bytes read or written; 0 if they do not encode a number below the modulus. */
type Deserialize = (result: Pointer, bytes: Pointer, length: number) => number;
type Serialize = (bytes: Pointer, capacity: number, operand: Pointer) => number;

/**
 * The functions of the mcl library that the precompiles use (C interface, `mcl/bn.h`). An instance of the
 * module supports one curve. The library's own classes are not used, because they share one instance.
 */
export interface MclModule {
  readonly wasmMemory: { readonly buffer: ArrayBuffer };
  _malloc(bytes: number): Pointer;
  _free(pointer: Pointer): void;
  /** Selects the curve. Returns 0. */
  _mclBn_init(curve: number, compiledFor: number): number;
  /** Sets whether `isValid` also checks the order of a point. */
  _mclBn_verifyOrderG1(isVerified: 0 | 1): void;
  _mclBn_verifyOrderG2(isVerified: 0 | 1): void;
  /** Sets the mapping of field elements to points: 5 for RFC 9380. */
  _mclBn_setMapToMode(mode: number): number;
  /** Reads the bytes modulo the order of the group. */
  _mclBnFr_setBigEndianMod(result: Pointer, bytes: Pointer, length: number): number;
  _mclBnFp_setInt32(result: Pointer, value: number): void;
  _mclBnFp_clear(result: Pointer): void;
  _mclBnFp_deserialize: Deserialize;
  _mclBnFp_serialize: Serialize;
  _mclBnFp_neg: Unary;
  _mclBnFp_sqr: Unary;
  _mclBnFp_add: Binary;
  _mclBnFp_mul: Binary;
  /** Returns 0, or a negative number if there is no root. */
  _mclBnFp_squareRoot(result: Pointer, operand: Pointer): number;
  _mclBnFp_mapToG1: Unary;
  _mclBnFp2_mapToG2: Unary;
  _mclBnG1_clear(result: Pointer): void;
  _mclBnG1_isValid: Question;
  _mclBnG1_isValidOrder: Question;
  _mclBnG1_isZero: Question;
  _mclBnG1_normalize: Unary;
  _mclBnG1_neg: Unary;
  _mclBnG1_dbl: Unary;
  _mclBnG1_add: Binary;
  _mclBnG1_sub: Binary;
  _mclBnG1_mul: Binary;
  /** Computes the sum of `count` products of points and scalars. Normalises the points. */
  _mclBnG1_mulVec(result: Pointer, points: Pointer, scalars: Pointer, count: number): void;
  _mclBnG2_clear(result: Pointer): void;
  _mclBnG2_isValid: Question;
  _mclBnG2_isValidOrder: Question;
  _mclBnG2_isZero: Question;
  _mclBnG2_normalize: Unary;
  _mclBnG2_add: Binary;
  _mclBnG2_sub: Binary;
  _mclBnG2_mul: Binary;
  _mclBnG2_mulVec(result: Pointer, points: Pointer, scalars: Pointer, count: number): void;
  /** Computes the product of the Miller loops of `count` pairs. */
  _mclBn_millerLoopVec(result: Pointer, g1: Pointer, g2: Pointer, count: number): void;
  _mclBn_finalExp: Unary;
  _mclBnGT_mul: Binary;
  _mclBnGT_isOne: Question;
}

/** Sizes in the memory of the library in bytes, for all curves: base field elements and scalars. */
export const FIELD_SIZE = 48;
export const SCALAR_SIZE = 32;

/** The library's numbers of the curves (`mcl/curve_type.h`). */
export const MCL_BN254 = 4;
export const MCL_BLS12_381 = 5;

/** Calls `work` with temporary memory of the library. */
export function withMemory<Result>(mcl: MclModule, bytes: number, work: (memory: Pointer) => Result): Result {
  const memory = mcl._malloc(bytes);
  try {
    return work(memory);
  } finally {
    mcl._free(memory);
  }
}

/** Like {@link withMemory}, for a generator. The memory is freed when it ends or `return()` is called. */
export function* withMemoryInSteps<Result>(
  mcl: MclModule,
  bytes: number,
  work: (memory: Pointer) => Generator<void, Result, void>,
): Generator<void, Result, void> {
  const memory = mcl._malloc(bytes);
  try {
    return yield* work(memory);
  } finally {
    mcl._free(memory);
  }
}

/** Returns a view of the memory, valid until the memory grows. */
export function memoryView(mcl: MclModule, address: Pointer, length: number): Uint8Array {
  return new Uint8Array(mcl.wasmMemory.buffer, address, length);
}
