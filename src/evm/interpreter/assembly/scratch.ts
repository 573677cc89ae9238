/**
 * Temporary memory of the arithmetic functions. Its content is not used between calls.
 *
 * The compiler places these regions in the static data below `__heap_base`, so they cannot overlap data above
 * it.
 */

/** The numerator of a long division, then its remainder: ten 64-bit digits. */
export const NUMERATOR: usize = memory.data(10 * 8, 16);

/** The normalised divisor of a long division: four 64-bit digits. */
export const DIVISOR: usize = memory.data(4 * 8, 16);

/** The quotient of a long division: eight 64-bit digits. */
export const QUOTIENT: usize = memory.data(8 * 8, 16);

/** Operands reduced by a modulus, or a short product: two values. */
export const REDUCED: usize = memory.data(2 * 32, 16);

/** Absolute values of the operands of a signed division: two values. */
export const ABSOLUTE: usize = memory.data(2 * 32, 16);

/** The product so far, and the repeatedly squared base: two values. */
export const POWER: usize = memory.data(2 * 32, 16);

/** The state of the hash: 25 lanes of 64 bits. */
export const HASH_STATE: usize = memory.data(25 * 8, 16);
