/** A source of 32-bit numbers that gives the same ones for the same seed (xorshift32). */
export class SeededNumbers {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0 || 1;
  }

  /** A number from 0 to `limit - 1`. */
  below(limit: number): number {
    return this.bits() % limit;
  }

  /** 32 random bits, as a number without sign. */
  bits(): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return this.#state >>> 0;
  }
}

const WORD = 256;

/**
 * A value of 256 bits, more often than not one where arithmetic goes wrong: near zero, near a power of two, short,
 * made of limbs of all ones or all zeros, near a value that was given before or a multiple of one.
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
      // Its divisions by a factor come out even, or nearly so.
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
