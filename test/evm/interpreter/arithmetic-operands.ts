/** Deterministic generator of 32-bit numbers (xorshift32). */
export class SeededNumbers {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0 || 1;
  }

  /** A number from 0 to `limit - 1`. */
  below(limit: number): number {
    return this.bits() % limit;
  }

  /** 32 random bits as an unsigned number. */
  bits(): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return this.#state >>> 0;
  }
}

const WORD = 256;

/**
 * A 256-bit value that is often an edge case of arithmetic.
 * Edge cases are short values, values near zero or a power of two, and limbs of all ones or all zeros.
 * Values near an earlier value, or near a multiple of one, are edge cases too.
 */
export function edgeBiasedValue(random: SeededNumbers, earlier: readonly bigint[]): bigint {
  const nearby = BigInt(random.below(5) - 2);
  switch (random.below(9)) {
    case 0:
      return BigInt.asUintN(WORD, nearby);
    case 1:
      return BigInt.asUintN(WORD, (1n << BigInt(random.below(WORD))) + nearby);
    case 2:
      return BigInt.asUintN(WORD, -(1n << BigInt(random.below(WORD))) + nearby);
    case 3:
      return BigInt.asUintN(1 + random.below(WORD), randomValue(random));
    case 4:
      return extremeLimbs(random);
    case 5:
      return BigInt.asUintN(WORD, (earlier[random.below(earlier.length || 1)] ?? 0n) + nearby);
    case 6: {
      // A division by the factor leaves no remainder or a small one.
      const factor = earlier[random.below(earlier.length || 1)] ?? 1n;
      return BigInt.asUintN(WORD, factor * edgeBiasedValue(random, []) + nearby);
    }
    default:
      return randomValue(random);
  }
}

function randomValue(random: SeededNumbers): bigint {
  let value = 0n;
  for (let i = 0; i < 8; i++) value = (value << 32n) | BigInt(random.bits());
  return value;
}

function extremeLimbs(random: SeededNumbers): bigint {
  let value = 0n;
  for (let i = 0; i < 4; i++) {
    const limb = [0n, 1n, 0xffff_ffff_ffff_ffffn, 0x8000_0000_0000_0000n, BigInt(random.bits())][
      random.below(5)
    ];
    value = (value << 64n) | (limb ?? 0n);
  }
  return value;
}
