// MODEXP, in time slices.

import { bigIntToFixedBytes, bytesToBigInt } from '../../primitives/bytes.ts';
import type { ModularExponentiationGas } from '../../protocol/hardforks/precompiles.ts';
import {
  allSteps,
  type PrecompiledFunction,
  PrecompileError,
  type PrecompileSteps,
  readyFunction,
  slicePadded,
} from './precompiled-contract.ts';

/** Smaller exponents are processed bit by bit, because a table of powers would not pay off. */
const SHORT_EXPONENT = 1n << 32n;

/** Work per time slice (about a millisecond), in products of two 64-bit limbs. */
const PIECE_WORK = 200_000;

/**
 * Returns `base ^ exponent mod modulus`; 0 for a modulus of 0. Yields about every millisecond, or after each
 * multiplication of very long numbers.
 */
function* modularPower(base: bigint, exponent: bigint, modulus: bigint): Generator<void, bigint, void> {
  if (modulus <= 1n) return 0n;
  const reduced = base % modulus;
  // The constant accounts for the overhead per operation on short numbers.
  const limbs = modulus.toString(16).length / 16 + 4;
  const costs = exponent < SHORT_EXPONENT ? 2 : 5;
  const perPiece = Math.max(1, Math.floor(PIECE_WORK / (costs * limbs ** 2)));
  return yield* exponent < SHORT_EXPONENT
    ? powerByBits(reduced, Number(exponent), modulus, perPiece)
    : powerByDigits(reduced, exponent, modulus, perPiece);
}

function* powerByBits(
  base: bigint,
  exponent: number,
  modulus: bigint,
  perPiece: number,
): Generator<void, bigint, void> {
  let product = 1n;
  let square = base;
  let left = perPiece;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) product = (product * square) % modulus;
    if (rest > 1) square = (square * square) % modulus;
    if (--left > 0) continue;
    left = perPiece;
    yield;
  }
  return product;
}

/** Processes four bits of the exponent at a time, with a table of the first 16 powers of the base. */
function* powerByDigits(
  base: bigint,
  exponent: bigint,
  modulus: bigint,
  perPiece: number,
): Generator<void, bigint, void> {
  const powers = [1n];
  for (let power = base; powers.length < 16; power = (power * base) % modulus) powers.push(power);
  let product = 1n;
  let left = perPiece;
  for (const digit of exponent.toString(16)) {
    for (let bit = 0; bit < 4; bit++) product = (product * product) % modulus;
    if (digit !== '0') product = (product * (powers[Number.parseInt(digit, 16)] ?? 1n)) % modulus;
    if (--left > 0) continue;
    left = perPiece;
    yield;
  }
  return product;
}

const HEADER_LENGTH = 96;

/** In bytes. */
interface Lengths {
  readonly base: bigint;
  readonly exponent: bigint;
  readonly modulus: bigint;
}

function lengthsOf(input: Uint8Array): Lengths {
  const word = (index: number) => bytesToBigInt(slicePadded(input, 32 * index, 32));
  return { base: word(0), exponent: word(1), modulus: word(2) };
}

/**
 * Creates MODEXP: `base ^ exponent mod modulus`, with the length of the modulus. The input is three lengths
 * (32 bytes each), base, exponent and modulus (EIP-198), padded with zeros. Throws `PrecompileError` for a
 * length above the limit of the rule set.
 */
export function modularExponentiation(price: ModularExponentiationGas): PrecompiledFunction {
  return readyFunction({
    gas: (input) => priceOf(price, lengthsOf(input), input),
    run: (input) => allSteps(powerOf(input, price.maxOperandLength)),
    runInSteps: (input) => powerOf(input, price.maxOperandLength),
  });
}

function* powerOf(input: Uint8Array, longest: number | null): PrecompileSteps {
  const lengths = lengthsOf(input);
  if (longest !== null && Object.values(lengths).some((length) => length > longest)) {
    throw new PrecompileError(`a number is longer than ${longest} bytes`);
  }
  // The price does not bound the length of the exponent in this case.
  if (lengths.modulus === 0n) return new Uint8Array(0);
  const [base, exponent, modulus] = [Number(lengths.base), Number(lengths.exponent), Number(lengths.modulus)];
  const numberAt = (offset: number, length: number) => numberOf(input, HEADER_LENGTH + offset, length);
  const result = yield* modularPower(
    numberAt(0, base),
    numberAt(base, exponent),
    numberAt(base + exponent, modulus),
  );
  return bigIntToFixedBytes(result, modulus);
}

function numberOf(input: Uint8Array, offset: number, length: number): bigint {
  const known = bytesToBigInt(input.subarray(offset, offset + length));
  const missing = Math.max(0, offset + length - Math.max(offset, input.length));
  return known << BigInt(8 * missing);
}

function priceOf(price: ModularExponentiationGas, lengths: Lengths, input: Uint8Array): bigint {
  const longest = lengths.base > lengths.modulus ? lengths.base : lengths.modulus;
  const iterations = iterationCount(lengths, input, ITERATIONS_PER_BYTE[price.formula]);
  const complexity = COMPLEXITY[price.formula](longest);
  const computed = (complexity * iterations) / BigInt(price.divisor);
  const minimum = BigInt(price.minimum);
  return computed > minimum ? computed : minimum;
}

/** Iterations per byte of the exponent after the first 32 bytes. */
const ITERATIONS_PER_BYTE = { 'EIP-198': 8n, 'EIP-2565': 8n, 'EIP-7883': 16n } as const;

/** Returns the highest set bit of the first 32 bytes, plus `perByte` per further byte. */
function iterationCount(lengths: Lengths, input: Uint8Array, perByte: bigint): bigint {
  const headLength = lengths.exponent < 32n ? Number(lengths.exponent) : 32;
  const start = BigInt(HEADER_LENGTH) + lengths.base;
  const head =
    start < BigInt(input.length) ? bytesToBigInt(slicePadded(input, Number(start), headLength)) : 0n;
  const highestBit = head === 0n ? 0n : BigInt(head.toString(2).length - 1);
  const count = perByte * (lengths.exponent - BigInt(headLength)) + highestBit;
  return count > 1n ? count : 1n;
}

/** The multiplication complexity of EIP-198. */
function complexityByThresholds(length: bigint): bigint {
  if (length <= 64n) return length ** 2n;
  if (length <= 1_024n) return length ** 2n / 4n + 96n * length - 3_072n;
  return length ** 2n / 16n + 480n * length - 199_680n;
}

function squaredWords(length: bigint): bigint {
  return ((length + 7n) / 8n) ** 2n;
}

/** The multiplication complexity by formula, for numbers of this length in bytes. */
const COMPLEXITY = {
  'EIP-198': complexityByThresholds,
  'EIP-2565': squaredWords,
  'EIP-7883': (length: bigint): bigint => (length <= 32n ? 16n : 2n * squaredWords(length)),
} as const;
